import UAFMessages

/// How one kind of relying party carries WebAuthn over HTTP: its addresses, its members, and what it reports as a success.
///
/// A value lives for one ceremony and keeps what ties the ceremony's requests together, such as a session or a transaction.
/// Options and responses have WebAuthn's own form on this side, so nothing that is signed depends on the dialect. The facts about
/// each server are in docs/webauthn-servers.md.
protocol WebAuthnDialect: Sendable {
  /// The cookies of the first request; empty for none.
  var firstCookies: String { get }

  /// Whether an answer whose body is not JSON is one of the server's own; false by default.
  func reads(bare response: TransportResponse) -> Bool

  /// The next request before the response; the last one asks for the options.
  ///
  /// - Throws: ``DialectFault`` if what the person entered cannot be sent.
  func question() throws(DialectFault) -> DialectRequest

  /// Reads the answer to ``question()``.
  ///
  /// - Returns: the options in WebAuthn's JSON form; nil if there is another question.
  /// - Throws: ``DialectFault``.
  mutating func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject?

  /// The request that carries a response.
  ///
  /// - Parameters:
  ///   - response: the response in WebAuthn's JSON form.
  ///   - origin: the origin in its client data.
  func request(for response: JSONObject, origin: String) -> DialectRequest

  /// Reads the answer to the response, or to what ``sequel(to:)`` has asked; by default it only calls ``check(_:)``.
  ///
  /// - Returns: the request without which the server forgets the response; nil if the server has accepted it.
  /// - Throws: ``DialectFault`` for anything else.
  mutating func sequel(to answer: DialectAnswer) throws(DialectFault) -> DialectRequest?

  /// Reads the last answer, and returns if the server has accepted the response.
  ///
  /// - Throws: ``DialectFault`` for anything else.
  func check(_ answer: DialectAnswer) throws(DialectFault)

  /// The tokens that the server has issued with an answer that was accepted; none by default.
  func tokens(of answer: DialectAnswer) -> [Token]
}

extension WebAuthnDialect {
  var firstCookies: String { "" }

  func reads(bare response: TransportResponse) -> Bool { false }

  mutating func sequel(to answer: DialectAnswer) throws(DialectFault) -> DialectRequest? {
    try check(answer)
    return nil
  }

  func tokens(of answer: DialectAnswer) -> [Token] { [] }
}

extension WebAuthnInterface {
  func dialect(_ context: DialectContext) -> any WebAuthnDialect {
    switch self {
    case .conformance: ConformanceDialect(context: context)
    case .privacyIDEA: PrivacyIDEADialect(context: context)
    case .allauth: AllauthDialect(context: context)
    case .djangoOTP: DjangoOTPDialect(context: context)
    case .glewlwyd: GlewlwydDialect(context: context)
    case .kanidm: KanidmDialect(context: context)
    case .flaskSecurity: FlaskSecurityDialect(context: context)
    }
  }
}

/// What a dialect needs to know about one ceremony.
struct DialectContext: Sendable {
  let operation: UAFOperation
  /// The account's name at the server.
  let username: String
  /// The configured addresses: the two of the operation, or twice what every address of the server begins with.
  let endpoint: ServerEndpoint
  /// What the person entered for a registration: a code, or the password at the server; nil for a login, and without one.
  let entry: String?
  /// The server's name for a code in a request for options; nil if it takes codes in the header `Authorization`.
  let codeMember: String?
  /// The type of privacyIDEA's tokens; the other dialects have none.
  let tokenType: PrivacyIDEATokenType

  /// An address below the configured one.
  func url(_ path: String) -> String { "\(endpoint.requestURL)/\(path)" }

  /// The headers by which a framework for web pages recognises a request that no page of another site has caused: a token, and
  /// the server's own origin.
  func againstForgery(_ token: String) -> [HeaderField] {
    let server = endpoint.requestURL.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return [HeaderField(.csrfToken, token), HeaderField(.referer, server.prefix(3).joined(separator: "/") + "/")]
  }
}

/// A request of a dialect; its body is JSON, or empty with GET.
struct DialectRequest: Sendable {
  let url: String
  /// Nil for GET.
  let body: JSONValue?
  var headers: [HeaderField] = []
  var authorization: String?

  static func post(_ url: String, _ body: JSONObject, headers: [HeaderField] = []) -> DialectRequest {
    DialectRequest(url: url, body: .object(body), headers: headers)
  }

  /// A request whose body is no object.
  static func post(_ url: String, _ body: JSONValue) -> DialectRequest { DialectRequest(url: url, body: body) }

  static func get(_ url: String, headers: [HeaderField] = []) -> DialectRequest {
    DialectRequest(url: url, body: nil, headers: headers)
  }
}

/// What a dialect sees of an answer: one below status 300, or a refusal of the server between 400 and 499.
struct DialectAnswer: Sendable {
  let status: Int
  /// The body; nil if it is empty or, with a refusal, a short text.
  let json: JSONValue?
  /// Whether the answer set or changed a cookie.
  let hasNewCookies: Bool
  /// The session that the answer names in a header; nil if it names none.
  let session: String?

  /// The body as an object.
  ///
  /// - Throws: ``DialectFault/missing(_:)`` for anything else.
  func object() throws(DialectFault) -> JSONObject {
    guard case .object(let object)? = json else { throw .missing("a JSON object") }
    return object
  }
}

/// Why a dialect cannot go on.
enum DialectFault: Error {
  /// The server refused, perhaps with words of its own, of any length and with any characters.
  case refused(String?)
  /// The server did not accept the person's password, which the registration begins with.
  case signInRefused
  /// What the person entered has characters that the request cannot carry.
  case entryNotSendable
  /// The answer is neither a refusal nor a success.
  case noSuccess(String)
  /// The answer has no such member.
  case missing(String)
}

/// Reading answers whose forms only their server knows.
extension JSONObject {
  /// The value at the end of a path of members; nil if a member is missing, or one on the way is not an object.
  func value(at path: String...) -> JSONValue? { value(at: path) }

  /// The same for a path from elsewhere.
  func value(at path: [String]) -> JSONValue? { value(at: path[...]) }

  /// The text at the end of a path of members; nil if there is none.
  func text(at path: String...) -> String? {
    if case .string(let text)? = value(at: path[...]) { text } else { nil }
  }

  private func value(at path: ArraySlice<String>) -> JSONValue? {
    guard let name = path.first, let value = self[name] else { return nil }
    guard path.count > 1 else { return value }
    guard case .object(let object) = value else { return nil }
    return object.value(at: path.dropFirst())
  }

  /// The object of a member.
  ///
  /// - Throws: ``DialectFault/missing(_:)``.
  func object(_ name: String) throws(DialectFault) -> JSONObject {
    guard case .object(let object)? = self[name] else { throw .missing("'\(name)'") }
    return object
  }

  /// The text of a member that must be there.
  ///
  /// - Throws: ``DialectFault/missing(_:)``.
  func requiredText(_ name: String) throws(DialectFault) -> String {
    guard let text = text(name) else { throw .missing("'\(name)'") }
    return text
  }
}
