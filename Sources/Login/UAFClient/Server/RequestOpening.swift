import FidoResults
import UAFCrypto
import UAFMessages

/// The steps that every flow shares: ask for a UAF request, receive it, check it, answer it, and follow the server's further
/// requests.
struct RequestOpening: Sendable {
  /// A request that passed every check.
  struct Opened: Sendable {
    let request: UAFRequest
    let appID: String
    let lifetimeMilliseconds: UInt32?
    let tokens: [Token]
    /// The request as it came.
    let message: [UInt8]
  }

  /// A request whose AppID may still have to be confirmed by its list of facets.
  private struct Received: Sendable {
    let request: UAFRequest
    let claim: ServerLink.AppIDClaim
    let carried: Carrier.Carried
  }

  private enum Stage: Sendable {
    case new
    /// The question that was sent.
    case asked(TransportRequest)
    /// The request that came ahead of time, or why it is refused.
    case received(Result<Received, Refusal>)
    /// A further request that came with a verdict.
    case handed(Carrier.Carried)
    case over
  }

  let settings: ClientSettings
  private(set) var operation: UAFOperation
  private(set) var context: RequestContext
  /// The context of the question, as it was last sent.
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

  /// Whether the request at hand came with a verdict on an earlier answer.
  var isFurther: Bool { furtherRequests > 0 }

  private var carrier: Carrier { Carrier(settings: settings) }

  /// Sends the question; ``collect(over:)`` receives the answer.
  ///
  /// - Parameter allowing: adds to the question what allows the operation.
  mutating func start<Wire: Transport & ~Copyable>(
    over transport: inout Wire, allowing: (inout RequestContext) throws(CryptoError) -> Void = { _ in }
  ) throws(Refusal) {
    guard case .new = stage else { throw outOfTurn() }
    stage = .over
    try link.checkUsername(context.username)
    // The addresses are those of a relying party, which would not understand the question.
    guard settings.webAuthn == nil else {
      throw link.refusal(.invalidParameter, "the server speaks WebAuthn, which does not have this operation")
    }
    do throws(CryptoError) { try allowing(&context) } catch { throw link.refusal(.cannotUse, error.description) }
    // Nothing was received yet: use the configured AppID, or the default for a server that names none.
    let requestURL = try expanded(
      settings.endpoint(for: operation).requestURL, appID: settings.appIDs.first ?? settings.facetID)
    askedContext = context.jsonText
    let question = carrier.question(operation, context, to: requestURL)
    try link.begin(question, over: &transport)
    stage = .asked(question)
  }

  /// Reads the answer to an authentication's question before ``collect(over:)`` does, and asks for the list of facets.
  ///
  /// Called when an answer has come, so it does not wait. If the answer is wrong, ``collect(over:)`` throws.
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

  /// Receives the UAF request, checks operation, version and facet.
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
      // Only the question for an authentication changes nothing at the server.
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

  /// Reads and drops the answer to the last question, which is no longer needed.
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

  /// Receives the server's verdict when no request is expected.
  mutating func collectAcknowledgement<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    guard case .asked = stage else { throw outOfTurn() }
    stage = .over
    try carrier.acknowledgement(in: try link.finish(over: &transport), operation, of: link)
  }

  /// Sends the server a UAF response and receives its verdict.
  ///
  /// A further request means that this answer alone does not suffice. It must be an authentication, and ``collect(over:)``
  /// receives it.
  ///
  /// - Parameters:
  ///   - expected: what the server's success must be about.
  ///   - allowing: adds to the answer what allows the new keys.
  mutating func submit<Wire: Transport & ~Copyable>(
    _ response: UAFResponse, appID: String, for expected: ExpectedVerdict, over transport: inout Wire,
    allowing: (inout RequestContext) -> Void = { _ in }
  ) throws(Refusal) -> Verdict {
    var context = context
    allowing(&context)
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
    // The code allowed what was asked for, and nothing that follows.
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

  private func expanded(_ template: String, appID: String) throws(Refusal) -> String {
    let url = URLTemplate(template).expanded(
      user: context.username, appID: appID, transaction: context.transaction ?? "")
    guard let url, settings.address(url) != nil else {
      throw link.refusal(.invalidParameter, "a server address in the configuration is not an https URL")
    }
    return url
  }
}

/// Checks that a challenge is for what was asked (docs/protocol.md, "What a challenge is for").
///
/// The network program could ask our server for something different, and pass its challenge on: a signature
/// over that would then be used for that. So nothing is signed before the challenge is compared with the question that left the
/// core.
struct PurposeCheck {
  /// The purposes that were asked for.
  let purposes: [ChallengePurpose]
  /// The context of the question, as it was sent.
  let context: String
  /// A text that the request brought; the challenge contains its hash.
  var text: String?
  /// Whether root's server states the purpose in its challenges.
  let demandsMark: Bool

  /// Why nothing may be signed.
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
  /// - Returns: its purpose; nil for the challenge of another vendor's server.
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
  /// Checks that the challenge of a request is for what was asked.
  ///
  /// - Parameters:
  ///   - text: a text that the request brought, and that the person should confirm.
  ///   - isOurs: whether the server must be a `uaf-server`, because of what allows the operation.
  /// - Returns: its purpose; nil for the challenge of another vendor's server.
  func purpose(
    of challenge: ServerChallenge, among purposes: [ChallengePurpose], text: String? = nil, isOurs: Bool = false
  ) throws(Refusal) -> ChallengePurpose? {
    // Our server demands no further authentication, so if such a challenge of our server comes, somebody else asked for it.
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
  /// The text the response carries.
  let text: String

  /// SHA-256 over the text's ASCII bytes: what authenticators sign.
  let hash: [UInt8]

  /// Binds the challenge to application, client and, if its certificate is known, server.
  init(
    appID: String, challenge: ServerChallenge, facetID: String, certificate: [UInt8]
  ) throws(CryptoError) {
    let parameters = FinalChallengeParams(
      appID: appID, challenge: challenge, facetID: facetID,
      channelBinding: try Self.channelBinding(certificate))
    text = parameters.encoded
    hash = try SHA256.hash(Array(text.utf8))
  }

  /// A certificate whose signature has no hash function of its own has no `serverEndPoint`; the certificate itself is sent
  /// instead.
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

  /// A longer certificate, encoded twice, would not leave room for the rest in one request body of the network program.
  private static let maximumCertificate = 8192
}

extension ServerLink {
  /// The final challenge for a request, bound to the certificate that came with the request.
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
