import FidoResults
import UAFCrypto
import UAFMessages

/// The steps that every flow shares: ask the server for a UAF request, receive and check it, send the UAF response, and follow
/// the server's further requests.
struct RequestOpening: Sendable {
  /// A request that passed every check.
  struct Opened: Sendable {
    let request: UAFRequest
    let appID: String
    let lifetimeMilliseconds: UInt32?
    let tokens: [Token]
    /// The UAF request as it was received.
    let message: [UInt8]
  }

  /// A UAF request whose AppID may still have to be checked against the list of facets.
  private struct Received: Sendable {
    let request: UAFRequest
    let claim: ServerLink.AppIDClaim
    let carried: Carrier.Carried
  }

  private enum Stage: Sendable {
    case new
    /// The HTTP request that was sent, asking for a UAF request.
    case asked(TransportRequest)
    /// The UAF request that was read early, or why it is refused.
    case received(Result<Received, Refusal>)
    /// A further request that came with a verdict.
    case handed(Carrier.Carried)
    case over
  }

  let settings: ClientSettings
  private(set) var operation: UAFOperation
  private(set) var context: RequestContext
  /// The context of the last HTTP request for a UAF request, as it was sent.
  private(set) var askedContext = ""
  private(set) var link = ServerLink()
  private var stage = Stage.new
  private var furtherRequests = 0

  /// How many further requests are followed, so that a server cannot keep a login running for ever.
  static let maximumFurtherRequests = 4

  init(settings: ClientSettings, operation: UAFOperation, context: RequestContext) {
    self.settings = settings
    self.operation = operation
    self.context = context
  }

  /// Whether the current UAF request came with a verdict on an earlier response.
  var isFurther: Bool { furtherRequests > 0 }

  private var carrier: Carrier { Carrier(settings: settings) }

  /// Asks the server for a UAF request, which ``collect(over:)`` receives.
  ///
  /// - Parameter allowing: adds the entitlement for the operation to the context.
  mutating func start<Wire: Transport & ~Copyable>(
    over transport: inout Wire, allowing: (inout RequestContext) throws(CryptoError) -> Void = { _ in }
  ) throws(Refusal) {
    guard case .new = stage else { throw outOfTurn() }
    stage = .over
    try link.checkUsername(context.username)
    // The addresses are those of a relying party, which would not understand this request.
    guard settings.webAuthn == nil else {
      throw link.refusal(.invalidParameter, "the server speaks WebAuthn, which does not have this operation")
    }
    do throws(CryptoError) { try allowing(&context) } catch { throw link.refusal(.cannotUse, error.description) }
    if settings.redeemsTokens { try requireTokenInPlace() }
    // Nothing was received yet: use the configured AppID, or our FacetID if none is configured.
    let requestURL = try expanded(
      settings.endpoint(for: operation).requestURL, appID: settings.appIDs.first ?? settings.facetID)
    askedContext = context.jsonText
    let question = carrier.question(operation, context, to: requestURL)
    try link.begin(question, over: &transport)
    stage = .asked(question)
  }

  /// In an authentication, reads the server's answer before ``collect(over:)`` does, and asks for the list of facets.
  ///
  /// The caller must have seen that the answer has arrived, so this does not wait. If the answer is wrong, ``collect(over:)``
  /// throws.
  mutating func receive<Wire: Transport & ~Copyable>(over transport: inout Wire) {
    guard operation == .authentication, case .asked(let question) = stage else { return }
    stage = .over
    do throws(Refusal) {
      guard let response = try link.finish(orAskAgain: question, over: &transport) else {
        stage = .asked(question)
        return
      }
      let carried = try carrier.request(in: response, operation, of: link)
      stage = .received(.success(try received(carried, over: &transport)))
    } catch { stage = .received(.failure(error)) }
  }

  /// Receives the UAF request, and checks its operation, version and facet.
  mutating func collect<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Opened {
    let received = try takeRequest(over: &transport)
    let appID = try link.appID(by: received.claim, operation, settings: settings, over: &transport)
    return Opened(
      request: received.request, appID: appID, lifetimeMilliseconds: received.carried.lifetimeMilliseconds,
      tokens: received.carried.tokens, message: received.carried.message)
  }

  private mutating func takeRequest<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Received
  {
    switch stage {
    case .asked(let question):
      stage = .over
      // Only the HTTP request for an authentication may be repeated, because it changes nothing at the server.
      let response =
        operation == .authentication
        ? try link.finish(repeating: question, over: &transport) : try link.finish(over: &transport)
      return try received(try carrier.request(in: response, operation, of: link), over: &transport)
    case .received(let early):
      stage = .over
      return try early.get()
    case .handed(let further):
      stage = .over
      return try received(further, over: &transport)
    case .new, .over: throw outOfTurn()
    }
  }

  /// Checks operation and version, and asks for the list of facets if one is needed.
  private mutating func received<Wire: Transport & ~Copyable>(
    _ carried: Carrier.Carried, over transport: inout Wire
  ) throws(Refusal) -> Received {
    guard carried.op == nil || carried.op == operation else { throw foreign() }
    let request: UAFRequest
    do {
      request = try UAFRequest(parsing: carried.message)
    } catch {
      throw link.refusal(error)
    }
    guard request.header.op == operation else { throw foreign() }
    let claim = try link.claim(of: request.header, operation, settings: settings, over: &transport)
    return Received(request: request, claim: claim, carried: carried)
  }

  /// Reads the answer to the last HTTP request and discards it, because it is no longer needed.
  ///
  /// - Returns: whether the server was reached.
  mutating func drop<Wire: Transport & ~Copyable>(over transport: inout Wire) -> Bool {
    defer { stage = .over }
    switch stage {
    case .asked:
      do throws(TransportFailure) { _ = try transport.finish() } catch {
        if case .noHandshake = error { return false }
      }
      return true
    case .received(.success(let received)):
      if case .listed = received.claim { _ = try? transport.finish() }
      return true
    case .received(.failure(let refusal)): return refusal.handshakeCompleted
    case .new, .handed, .over: return false
    }
  }

  /// Receives the server's verdict in an operation that has no UAF request.
  mutating func collectAcknowledgement<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    guard case .asked = stage else { throw outOfTurn() }
    stage = .over
    try carrier.acknowledgement(in: try link.finish(over: &transport), operation, of: link)
  }

  /// Sends the server a UAF response and receives its verdict.
  ///
  /// If the response alone does not suffice, the server sends a further request. It must be an authentication, and
  /// ``collect(over:)`` receives it.
  ///
  /// - Parameters:
  ///   - expected: what the server's success must be about.
  ///   - allowing: adds the entitlement for new keys to the context.
  mutating func submit<Wire: Transport & ~Copyable>(
    _ response: UAFResponse, appID: String, for expected: ExpectedVerdict, over transport: inout Wire,
    allowing: (inout RequestContext) -> Void = { _ in }
  ) throws(Refusal) -> Verdict {
    var context = context
    allowing(&context)
    // A token is redeemed once, by the request.
    if settings.redeemsTokens { context.authCode = nil }
    let url = try expanded(settings.endpoint(for: operation).responseURL, appID: appID)
    try link.begin(carrier.answer(response, to: operation, context, to: url), over: &transport)
    let verdict = try carrier.verdict(in: try link.finish(over: &transport), operation, of: link)
    guard let further = verdict.newUAFRequest else {
      let challenge = (try? FinalChallengeParams(encoded: response.fcParams))?.challenge ?? ""
      return .accepted(
        Acceptance(
          tokens: verdict.additionalTokens, username: context.username, expected: expected, challenge: challenge,
          forgottenKeyIDs: verdict.forgottenKeyIDs.filter(context.lostKeyIDs.contains),
          machineSecret: verdict.machineSecret, machineNews: verdict.machineNews))
    }
    guard furtherRequests < Self.maximumFurtherRequests else {
      throw link.refusal(
        ofServer: .unknown, "the server demands more than \(Self.maximumFurtherRequests) additional authentications")
    }
    furtherRequests += 1
    operation = .authentication
    // The code or proof was valid for this operation, and is not sent again with what follows.
    self.context.authCode = nil
    self.context.proof = nil
    self.context.codeProof = nil
    stage = .handed(Carrier.Carried(message: Array(further.utf8), op: nil, lifetimeMilliseconds: nil))
    return .furtherRequest
  }

  // MARK: Refusals

  func outOfTurn() -> Refusal {
    link.refusal(.requestNotExist, "there is no open request at this step")
  }

  func foreign() -> Refusal {
    link.refusal(
      ofServer: .invalidParameter,
      "the server's request is for a different operation from the one requested")
  }

  /// Refuses a registration without a token, and a token for any other operation: no address of the server would redeem it.
  private func requireTokenInPlace() throws(Refusal) {
    guard (context.authCode != nil) != (operation == .registration) else { return }
    throw operation == .registration
      ? link.refusal(.invalidParameter, "there is no token to redeem", because: .codeMissing)
      : link.refusal(
        .invalidParameter, "the server redeems tokens for registrations alone", because: .codesResetNothing)
  }

  private func expanded(_ template: String, appID: String) throws(Refusal) -> String {
    let url = URLTemplate(template).expanded(
      user: context.username, appID: appID, transaction: context.transaction ?? "")
    guard let url, settings.address(url) != nil else {
      throw link.refusal(.invalidParameter, "a server address in the configuration is not an https URL")
    }
    return url
  }
}

/// Checks that the purpose of a challenge is one that the core asked for (docs/protocol.md, "What a challenge is for").
///
/// A compromised network program could ask our server for a different operation, and pass that challenge to the core: the
/// signature would then authorise that operation. So the core signs nothing before it has compared the challenge with the
/// request that it sent.
struct PurposeCheck {
  /// The purposes that the core asked for.
  let purposes: [ChallengePurpose]
  /// The context of the HTTP request, as it was sent.
  let context: String
  /// A text in the UAF request that the person should confirm; the challenge must contain its hash.
  var text: String?
  /// Whether the configured server must state the purpose in its challenges.
  let demandsMark: Bool

  /// Why the core must not sign.
  enum Fault: Error, Equatable, CustomStringConvertible {
    case unmarked
    case unreadable
    case otherPurpose(ChallengePurpose)
    case otherQuestion(ChallengePurpose)
    case crypto(CryptoError)

    var description: String {
      switch self {
      case .unmarked:
        "the challenge does not name its purpose, as uaf-server's do; the server may be an older version"
      case .unreadable: "the challenge names its purpose in an unknown form; uaf-server may be a newer version"
      case .otherPurpose(let found):
        "attack: the challenge is for a different purpose from the one requested: \(found.word)"
      case .otherQuestion(let found):
        "attack: the challenge (\(found.word)) is for a different account, machine, code, key or "
          + "text from the one requested"
      case .crypto(let error): error.description
      }
    }
  }

  /// Checks a challenge.
  ///
  /// - Returns: the purpose of the challenge; nil for the challenge of another vendor's server.
  /// - Throws: ``Fault``.
  func check(_ challenge: ServerChallenge) throws(Fault) -> ChallengePurpose? {
    switch PurposedChallenge.read(challenge) {
    case .unmarked:
      if demandsMark { throw .unmarked }
      return nil
    case .unreadable: throw .unreadable
    case .marked(let marked):
      guard purposes.contains(marked.purpose) else { throw .otherPurpose(marked.purpose) }
      let statement = PurposedChallenge.statement(marked.purpose, context: context, text: text)
      let hash: [UInt8]
      do throws(CryptoError) { hash = try SHA256.hash(statement) } catch { throw .crypto(error) }
      guard hash.starts(with: marked.binding) else { throw .otherQuestion(marked.purpose) }
      return marked.purpose
    }
  }
}

extension RequestOpening {
  /// Checks that the purpose of a UAF request's challenge is one that the core asked for.
  ///
  /// - Parameters:
  ///   - text: a text in the UAF request that the person should confirm.
  ///   - isOurs: whether the server must be a `uaf-server`, because the entitlement is one that only `uaf-server` gives.
  /// - Returns: the purpose of the challenge; nil for the challenge of another vendor's server.
  func purpose(
    of challenge: ServerChallenge, among purposes: [ChallengePurpose], text: String? = nil, isOurs: Bool = false
  ) throws(Refusal) -> ChallengePurpose? {
    // `uaf-server` never demands a further authentication. So if a further request contains one of its challenges, somebody
    // else asked for that challenge.
    let check = PurposeCheck(
      purposes: isFurther ? [] : purposes, context: askedContext, text: text,
      demandsMark: settings.demandsPurpose || isOurs)
    do throws(PurposeCheck.Fault) { return try check.check(challenge) } catch {
      throw link.refusal(ofServer: .invalidParameter, error.description)
    }
  }
}

/// The final challenge parameters of one response, and their hash.
struct FinalChallenge: Sendable {
  /// The text that the response contains.
  let text: String

  /// SHA-256 over the text's ASCII bytes; this hash is signed by the authenticators.
  let hash: [UInt8]

  /// Binds the challenge to the application, the client and, if the server's certificate is known, the server.
  init(
    appID: String, challenge: ServerChallenge, facetID: String, certificate: [UInt8]
  ) throws(CryptoError) {
    let parameters = FinalChallengeParams(
      appID: appID, challenge: challenge, facetID: facetID,
      channelBinding: try Self.channelBinding(certificate))
    text = parameters.encoded
    hash = try SHA256.hash(Array(text.utf8))
  }

  /// Contains `serverEndPoint`.
  ///
  /// If the certificate's signature algorithm has no hash function of its own, that is not defined, and the certificate itself
  /// is sent instead.
  private static func channelBinding(_ certificate: [UInt8]) throws(CryptoError) -> ChannelBinding {
    guard !certificate.isEmpty else { return ChannelBinding() }
    let endPoint: String?
    do {
      endPoint = Base64URL.encode(try X509.serverEndPoint(der: certificate))
    } catch {
      guard case .unavailable = error else { throw error }
      endPoint = nil
    }
    return ChannelBinding(
      serverEndPoint: endPoint,
      tlsServerCertificate: certificate.count <= maximumCertificate ? Base64URL.encode(certificate) : nil)
  }

  /// A longer certificate is left out: it is base64-encoded twice, and would leave too little room in the body of one request.
  private static let maximumCertificate = 8192
}

extension ServerLink {
  /// The final challenge for a request, bound to the certificate of the server that sent it.
  func finalChallenge(
    appID: String, challenge: ServerChallenge, facetID: String
  ) throws(Refusal) -> FinalChallenge {
    do {
      return try FinalChallenge(appID: appID, challenge: challenge, facetID: facetID, certificate: certificate)
    } catch {
      throw refusal(error == .invalidCertificate ? .channelBinding : .cannotUse, error.description)
    }
  }
}
