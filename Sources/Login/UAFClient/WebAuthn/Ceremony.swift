import FidoResults
import UAFCrypto
import UAFMessages
import WebAuthn

/// The exchanges of a WebAuthn ceremony: options are asked for, and the answer to them is sent.
///
/// The dialect says what is asked and what the answers mean. The server's cookies live here, for this ceremony alone.
struct Ceremony: Sendable {
  private enum Stage: Sendable {
    case new
    /// The question that was sent.
    case asked(TransportRequest)
    /// The options that were read ahead of time, or why there are none.
    case received(Result<JSONObject, Refusal>)
    /// The options are here, and wait for an answer.
    case offered
    case over
  }

  let settings: ClientSettings
  let rules: WebAuthnSettings
  let operation: UAFOperation
  let username: String
  private(set) var link = ServerLink()
  private var dialect: any WebAuthnDialect
  private var stage = Stage.new
  private var cookies: String

  /// Makes a ceremony.
  ///
  /// - Parameter entry: what the person entered for a registration: a code, or the password at the server.
  init(
    _ operation: UAFOperation, settings: ClientSettings, rules: WebAuthnSettings, username: String,
    entry: String? = nil
  ) {
    self.operation = operation
    self.settings = settings
    self.rules = rules
    self.username = username
    dialect = rules.interface.dialect(
      DialectContext(
        operation: operation, username: username, endpoint: settings.endpoint(for: operation), entry: entry,
        codeMember: rules.codeMember, tokenType: rules.tokenType))
    cookies = dialect.firstCookies
  }

  // MARK: Options

  /// Sends the first question, without waiting for the answer.
  mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    guard case .new = stage else { throw outOfTurn() }
    stage = .over
    try link.checkUsername(username)
    try ask(over: &transport)
  }

  private mutating func ask<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    let asked: DialectRequest
    do throws(DialectFault) { asked = try dialect.question() } catch { throw refusal(error, httpStatus: 0) }
    let question = try request(asked)
    try link.begin(question, over: &transport)
    stage = .asked(question)
  }

  /// Reads the options of an authentication once they have come; if they are wrong, ``options(over:)`` throws.
  mutating func receive<Wire: Transport & ~Copyable>(over transport: inout Wire) {
    guard operation == .authentication, case .asked(let question) = stage else { return }
    stage = .over
    do throws(Refusal) {
      guard let response = try link.finish(orAskAgain: question, over: &transport) else {
        stage = .asked(question)
        return
      }
      if let options = try take(response) {
        stage = .received(.success(options))
      } else {
        try ask(over: &transport)
      }
    } catch { stage = .received(.failure(error)) }
  }

  /// Receives the options, after what the dialect asks before them.
  mutating func options<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> JSONValue {
    while case .asked(let question) = stage {
      stage = .over
      // Only an authentication is repeated: the options of a registration may already have used up a code.
      let response =
        operation == .authentication
        ? try link.finish(repeating: question, over: &transport) : try link.finish(over: &transport)
      if let options = try take(response) {
        stage = .offered
        return .object(options)
      }
      try ask(over: &transport)
    }
    guard case .received(let early) = stage else { throw outOfTurn() }
    stage = .over
    let options = try early.get()
    stage = .offered
    return .object(options)
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
    case .received(.success): return true
    case .received(.failure(let refusal)): return refusal.handshakeCompleted
    case .new, .offered, .over: return false
    }
  }

  private mutating func take(_ response: TransportResponse) throws(Refusal) -> JSONObject? {
    let answer = try answer(response)
    do throws(DialectFault) { return try dialect.take(answer) } catch {
      throw refusal(error, httpStatus: response.status)
    }
  }

  // MARK: The answer

  /// Sends the answer, and returns once the server has accepted it.
  ///
  /// - Returns: the tokens that came with the success, if root demands signed verdicts; nobody has checked them.
  mutating func submit<Wire: Transport & ~Copyable>(
    _ response: JSONValue, origin: String, over transport: inout Wire
  ) throws(Refusal) -> [Token] {
    guard case .offered = stage, case .object(let members) = response else { throw outOfTurn() }
    stage = .over
    var next = dialect.request(for: members, origin: origin)
    while true {
      try link.begin(try request(next), over: &transport)
      let received = try link.finish(over: &transport)
      let answer = try answer(received)
      do throws(DialectFault) {
        guard let sequel = try dialect.sequel(to: answer) else {
          return settings.demandsPurpose ? dialect.tokens(of: answer) : []
        }
        next = sequel
      } catch { throw refusal(error, httpStatus: received.status) }
    }
  }

  // MARK: Messages

  private func request(_ asked: DialectRequest) throws(Refusal) -> TransportRequest {
    let (url, parts) = try address(asked.url)
    let contentType = settings.contentType ?? MediaType.json
    var request: TransportRequest =
      if let body = asked.body {
        .post(body.bytes, to: url, contentType: contentType)
      } else {
        .get(url, accept: MediaType.essence(of: contentType))
      }
    // Cookies and sessions go back to the server that set them, and to no other; a code goes to one server.
    let server = try optionsAddress()
    let isSame = server.host == parts.host && server.port == parts.port
    request.cookies = isSame ? cookies : ""
    if isSame { (request.authorization, request.headers) = (asked.authorization, asked.headers) }
    return request
  }

  /// What the dialect may read of an answer.
  ///
  /// - Throws: ``Refusal`` for a redirect, a server that has failed, and a body that is neither JSON nor what may stand for none.
  private mutating func answer(_ response: TransportResponse) throws(Refusal) -> DialectAnswer {
    let hasFailed = response.status == 429 || (500...599).contains(response.status)
    let isJSON = MediaType.matches(response.contentType, [MediaType.json])
    let json = isJSON ? try? JSONValue(parsing: response.body) : nil
    guard json != nil || !isJSON && dialect.reads(bare: response) else {
      throw link.httpRefusal(response, "is not JSON")
    }
    guard !hasFailed, !(300...399).contains(response.status) else {
      throw link.httpRefusal(response, "is not a success")
    }
    let changed = response.cookies.flatMap { $0 == cookies ? nil : $0 }
    if let changed { cookies = changed }
    return DialectAnswer(status: response.status, json: json, hasNewCookies: changed != nil, session: response.session)
  }

  private func refusal(_ fault: DialectFault, httpStatus: Int) -> Refusal {
    switch fault {
    case .refused(let words): link.refusal(ofRelyingParty: words, httpStatus: httpStatus)
    case .signInRefused:
      link.refusal(
        ofServer: .invalidParameter, "the server did not accept the person's password", because: .serverPasswordRefused)
    case .entryNotSendable:
      link.refusal(
        .invalidParameter, "the code has characters that the request cannot carry", because: .codeNotSendable)
    case .noSuccess(let detail): link.refusal(ofServer: .jsonParser, detail)
    case .missing(let member): link.refusal(ofServer: .jsonParser, "the reply does not have \(member)")
    }
  }

  // MARK: Addresses and the relying party

  private func optionsAddress() throws(Refusal) -> HTTPSAddress {
    try address(settings.endpoint(for: operation).requestURL).parts
  }

  private func address(_ template: String) throws(Refusal) -> (url: String, parts: HTTPSAddress) {
    let url = URLTemplate(template).expanded(user: username, appID: rules.relyingPartyID ?? "", transaction: "")
    guard let url, let parts = settings.address(url) else {
      throw link.refusal(.invalidParameter, "a server address in the configuration is not an https URL")
    }
    return (url, parts)
  }

  /// The relying party of the options, if the server that was asked may speak for it.
  ///
  /// Nothing is signed for any other: a server could otherwise collect signatures for another one.
  ///
  /// - Parameter named: the rpId of the options; nil means the host.
  func relyingParty(_ named: String?) throws(Refusal) -> RelyingPartyID {
    let host = try optionsAddress().host
    let id: RelyingPartyID
    do throws(CryptoError) { id = try RelyingPartyID(named ?? rules.relyingPartyID ?? host) } catch {
      throw link.refusal(.cannotUse, error.description)
    }
    let isAllowed =
      rules.relyingPartyID.map { $0.isIdentical(to: id.text) }
      ?? id.isAllowed(forHost: host) { RegistrableDomain.of(name: $0) }
    guard isAllowed else {
      throw link.refusal(
        ofServer: .invalidParameter,
        "the server asks as the relying party '\(Text.cleaned(id.text, limit: 64))', which is neither its host nor a "
          + "registrable suffix of it; if that is right, set server.rp_id")
    }
    return id
  }

  /// Checks that a challenge of `uaf-server` is for this ceremony and this account.
  ///
  /// Such a challenge begins with its purpose (docs/webauthn.md). Whoever controls the network program could otherwise have a
  /// login sign a sign-in to the console, or another person's login.
  ///
  /// - Returns: the purpose; nil for the challenge of another vendor's server, which is refused if root demands signed verdicts.
  func purpose(of challenge: [UInt8]) throws(Refusal) -> ChallengePurpose? {
    let check = PurposeCheck(
      purposes: [operation == .registration ? .registrationByCode : .login], context: "webauthn \(username)",
      demandsMark: settings.demandsPurpose)
    do {
      return try check.check(ServerChallenge(bytes: Array(challenge.prefix(PurposedChallenge.byteCount))))
    } catch {
      throw link.refusal(ofServer: .invalidParameter, "\(error)")
    }
  }

  /// The origin that is signed for a relying party.
  func origin(of id: RelyingPartyID) -> String { rules.origin ?? "linux://\(id.text)" }

  func outOfTurn() -> Refusal { link.refusal(.requestNotExist, "no request is under way at this step") }
}
