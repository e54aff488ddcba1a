import UAFMessages

/// `kanidm`: passkeys of a kanidm server.
///
/// A login names the account and is tied together by a session that a header of each answer carries. A registration begins with
/// the token of a credential reset, and is stored only when it is committed. Written from kanidm's published types; it has not
/// been tried with kanidm itself (docs/webauthn-servers.md).
struct KanidmDialect: WebAuthnDialect {
  private enum Step { case begin, options, response, commit }

  /// The name of a new key in the person's list of passkeys.
  private static let label = "pam-uaf"

  let context: DialectContext
  private var step = Step.begin
  /// The session of a login.
  private var session: String?
  /// The session of a registration, which is a value of its own and not a header.
  private var update: JSONValue?
  /// The identifiers of the passkeys that the account had before.
  private var known: [JSONValue] = []

  init(context: DialectContext) { self.context = context }

  /// Whether an answer is a refusal of kanidm, which writes JSON under the media type of a text: a string or an object.
  ///
  /// The pages of a proxy may have that type. They are no JSON, or a number such as their status.
  func reads(bare response: TransportResponse) -> Bool {
    guard (400...499).contains(response.status), response.body.count <= 512,
      MediaType.essence(of: response.contentType) == "text/plain"
    else { return false }
    return switch try? JSONValue(parsing: response.body) {
    case .string, .object: true
    default: false
    }
  }

  // MARK: Options

  func question() throws(DialectFault) -> DialectRequest {
    switch (context.operation, step) {
    case (.registration, .begin):
      guard let token = context.entry, !token.isEmpty else { throw .entryNotSendable }
      return .post(url("credential/_exchange_intent"), .string(token))
    case (.registration, _): return changing(.string("passkeyinit"))
    case (_, .begin):
      let start: JSONObject = [
        "username": .string(context.username), "issue": .string("token"), "privileged": .bool(false),
      ]
      return authenticating(["init2": .object(start)])
    case (_, _): return authenticating(["begin": .string("passkey")])
    }
  }

  private func url(_ path: String) -> String { context.url("v1/" + path) }

  private func authenticating(_ step: JSONObject) -> DialectRequest {
    .post(
      url("auth"), ["step": .object(step)], headers: session.map { [HeaderField(.kanidmSession, $0)] } ?? [])
  }

  /// A step of the registration: what to do, and in which session.
  private func changing(_ change: JSONValue) -> DialectRequest {
    .post(url("credential/_update"), .array([change, update ?? .null]))
  }

  mutating func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? {
    guard context.operation == .registration else { return try takeLogin(answer) }
    guard step == .begin else {
      let status = try succeeded(answer).object()
      let options = try creationOptions(in: status)
      step = .response
      return options
    }
    guard case .array(let pair)? = try succeeded(answer).json, pair.count == 2, case .object(let token) = pair[0],
      token.text("token") != nil, case .object(let status) = pair[1]
    else { throw .missing("a session and its status") }
    try checkAccount(status)
    if let state = status["passkeys_state"], state != .string("Modifiable") {
      throw .noSuccess("a policy of the server does not let this account have passkeys without an attestation")
    }
    (update, step) = (.object(token), .options)
    return nil
  }

  /// The creation options in the status of a registration, with the account's name as it is here.
  private mutating func creationOptions(in status: JSONObject) throws(DialectFault) -> JSONObject {
    try checkAccount(status)
    guard case .object(var options)? = status.value(at: "mfaregstate", "Passkey", "publicKey"),
      case .object(var user)? = options["user"]
    else { throw .missing("'publicKey' of a new passkey") }
    guard user["name"] == status["spn"] else { throw .noSuccess("the options are for a different account") }
    user.set("name", .string(context.username))
    options.set("user", .object(user))
    known = Self.passkeys(of: status).compactMap { $0["uuid"] }
    return options
  }

  /// Checks that a token of a credential reset is for this account: `NAME@DOMAIN`, where the domain may be left out here.
  private func checkAccount(_ status: JSONObject) throws(DialectFault) {
    let name = try status.requiredText("spn")
    let short = String(name.prefix { $0 != "@" })
    guard name.isIdentical(to: context.username) || short.isIdentical(to: context.username) else {
      throw .noSuccess("the code is for a different account")
    }
  }

  private static func passkeys(of status: JSONObject) -> [JSONObject] {
    guard case .array(let passkeys)? = status["passkeys"] else { return [] }
    return passkeys.compactMap { if case .object(let passkey) = $0 { passkey } else { nil } }
  }

  private mutating func takeLogin(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? {
    let state = try state(of: answer)
    // The header is the session; the member 'sessionid' in the body is not.
    session = answer.session ?? session
    guard session != nil else { throw .missing("the header \(HeaderField.Name.kanidmSession.rawValue)") }
    guard step == .options else {
      guard case .array(let ways)? = state["choose"] else { throw .missing("'choose'") }
      guard ways.contains(.string("passkey")) else { throw .refused(nil) }
      step = .options
      return nil
    }
    guard case .array(let allowed)? = state["continue"] else { throw .missing("'continue'") }
    for case .object(let way) in allowed {
      guard case .object(let options)? = way.value(at: "passkey", "publicKey") else { continue }
      // An empty list would let any key answer, which is not what this server means.
      guard case .array(let keys)? = options["allowCredentials"], !keys.isEmpty else { break }
      step = .response
      return options
    }
    throw .missing("'passkey' with 'allowCredentials'")
  }

  // MARK: The response

  func request(for response: JSONObject, origin: String) -> DialectRequest {
    var credential: JSONObject = ["extensions": .object([:])]
    for name in ["id", "rawId", "type", "response"] { credential.set(name, response[name]) }
    guard context.operation == .registration else {
      return authenticating(["cred": .object(["passkey": .object(credential)])])
    }
    return changing(.object(["passkeyfinish": .array([.string(Self.label), .object(credential)])]))
  }

  mutating func sequel(to answer: DialectAnswer) throws(DialectFault) -> DialectRequest? {
    guard context.operation == .registration, step == .response else {
      try check(answer)
      return nil
    }
    let status = try succeeded(answer).object()
    try checkAccount(status)
    let added = Self.passkeys(of: status).filter { !known.contains($0["uuid"] ?? .null) && $0["uuid"] != nil }
    // A key without user verification is not added, and the answer is none the worse for it.
    guard status["mfaregstate"] == .string("None"), added.map({ $0["tag"] }) == [.string(Self.label)] else {
      throw .noSuccess("the server has not added the key")
    }
    guard status["can_commit"] == .bool(true), let update else {
      throw .noSuccess("a policy of the server wants more than this key before it stores it")
    }
    step = .commit
    return .post(url("credential/_commit"), update)
  }

  func check(_ answer: DialectAnswer) throws(DialectFault) {
    guard context.operation == .authentication else {
      guard step == .commit, try succeeded(answer).json == .null else {
        throw .noSuccess("the reply does not say that the key is stored")
      }
      return
    }
    guard let token = try state(of: answer).text("success"), !token.isEmpty else {
      throw .noSuccess("the state in the reply is not 'success'")
    }
  }

  /// The state of a login, which has one member.
  private func state(of answer: DialectAnswer) throws(DialectFault) -> JSONObject {
    let state = try succeeded(answer).object().object("state")
    guard state.members.count == 1 else { throw .noSuccess("the reply has more than one state") }
    if let reason = state["denied"] {
      if case .string(let words) = reason { throw .refused(words) } else { throw .refused(nil) }
    }
    return state
  }

  private func succeeded(_ answer: DialectAnswer) throws(DialectFault) -> DialectAnswer {
    guard answer.status < 400 else {
      if case .string(let words)? = answer.json { throw .refused(words) } else { throw .refused(nil) }
    }
    guard answer.status == 200 else { throw .noSuccess("the HTTP status of the reply is not 200") }
    return answer
  }
}
