import FidoResults
import UAFCrypto
import UAFMessages
import WebAuthn

/// The two exchanges of a WebAuthn ceremony: options are asked for, and the answer to them is sent.
///
/// The bodies are those of the FIDO Alliance's interface for server tests ("FIDO2 Conformance Server API"). The server's
/// cookies live here, for this ceremony alone.
struct Ceremony: Sendable {
  private enum Stage: Sendable {
    case new
    /// The question that was sent.
    case asked(TransportRequest)
    /// The answer to it that was read ahead of time, or why it is refused.
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
  private var stage = Stage.new
  private var cookies = ""
  /// The header `Authorization` of both requests; nil without a code.
  var authorization: String?

  init(_ operation: UAFOperation, settings: ClientSettings, rules: WebAuthnSettings, username: String) {
    self.operation = operation
    self.settings = settings
    self.rules = rules
    self.username = username
  }

  // MARK: Options

  /// Asks for options, without waiting for them.
  mutating func start<Wire: Transport & ~Copyable>(
    with body: JSONObject, over transport: inout Wire
  ) throws(Refusal) {
    guard case .new = stage else { throw outOfTurn() }
    stage = .over
    try link.checkUsername(username)
    let question = request(.object(body), to: try optionsAddress().url)
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
      stage = .received(.success(try options(in: response)))
    } catch { stage = .received(.failure(error)) }
  }

  /// Receives the options.
  mutating func options<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> JSONValue {
    let options: JSONObject
    switch stage {
    case .asked(let question):
      stage = .over
      // Only an authentication is repeated: the options of a registration may already have used up a code.
      let response =
        operation == .authentication
        ? try link.finish(repeating: question, over: &transport) : try link.finish(over: &transport)
      options = try self.options(in: response)
    case .received(let early):
      stage = .over
      options = try early.get()
    case .new, .offered, .over: throw outOfTurn()
    }
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

  private mutating func options(in response: TransportResponse) throws(Refusal) -> JSONObject {
    if let changed = response.cookies { cookies = changed }
    let options = try object(in: response)
    // Options grant nothing, so a server may leave its success out.
    guard options["status"] == nil || isOK(options) else { throw noSuccess() }
    return options
  }

  // MARK: The answer

  /// Sends the answer, and returns once the server has accepted it.
  ///
  /// Only `status` with the value `ok`, with HTTP status 200, is a success.
  mutating func submit<Wire: Transport & ~Copyable>(_ answer: JSONValue, over transport: inout Wire) throws(Refusal) {
    guard case .offered = stage else { throw outOfTurn() }
    stage = .over
    let (asked, answered) = (try optionsAddress(), try address(endpoint.responseURL))
    // Cookies go back to the server that set them, and to no other; a code goes to one server.
    let isSame = asked.parts.host == answered.parts.host && asked.parts.port == answered.parts.port
    var request = request(answer, to: answered.url)
    if !isSame { (request.cookies, request.authorization) = ("", nil) }
    try link.begin(request, over: &transport)
    let response = try link.finish(over: &transport)
    guard isOK(try object(in: response)) else { throw noSuccess() }
  }

  // MARK: Messages

  private func request(_ body: JSONValue, to url: String) -> TransportRequest {
    var request = TransportRequest.post(body.bytes, to: url, contentType: settings.contentType ?? MediaType.json)
    request.cookies = cookies
    request.authorization = authorization
    return request
  }

  /// The JSON object in an answer that does not refuse.
  private func object(in response: TransportResponse) throws(Refusal) -> JSONObject {
    let hasFailed = response.status == 429 || (500...599).contains(response.status)
    guard MediaType.matches(response.contentType, [MediaType.json]),
      case .object(let object)? = try? JSONValue(parsing: response.body)
    else { throw link.httpRefusal(response, "is not JSON") }
    if !hasFailed, !(200...399).contains(response.status) || object["status"] == .string("failed") {
      throw link.refusal(ofRelyingParty: Self.words(object), httpStatus: response.status)
    }
    guard response.status == 200 else { throw link.httpRefusal(response, "is not a success") }
    return object
  }

  private static func words(_ object: JSONObject) -> String? {
    if case .string(let text)? = object["errorMessage"] { text } else { nil }
  }

  private func isOK(_ object: JSONObject) -> Bool { object["status"] == .string("ok") }

  private func noSuccess() -> Refusal {
    link.refusal(ofServer: .jsonParser, "the status in the reply is not 'ok', so nothing was accepted")
  }

  // MARK: Addresses and the relying party

  private var endpoint: ServerEndpoint { settings.endpoint(for: operation) }

  private func optionsAddress() throws(Refusal) -> (url: String, parts: HTTPSAddress) {
    try address(endpoint.requestURL)
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
    let host = try optionsAddress().parts.host
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

  /// The origin that is signed for a relying party.
  func origin(of id: RelyingPartyID) -> String { rules.origin ?? "linux://\(id.text)" }

  func outOfTurn() -> Refusal { link.refusal(.requestNotExist, "no request is under way at this step") }
}
