import UAFMessages

/// `allauth`: the interface for apps of django-allauth ("headless"), whose session is a header.
///
/// A registration begins with the person's password, for which the server asks twice. A login names nobody: the key decides who
/// that is, so the name in the answer has to be the account's.
struct AllauthDialect: WebAuthnDialect {
  private enum Step { case signIn, confirmation, options }

  let context: DialectContext
  private var step: Step
  private var session: String?

  init(context: DialectContext) {
    self.context = context
    step = context.operation == .registration ? .signIn : .options
  }

  func question() throws(DialectFault) -> DialectRequest {
    let password = JSONValue.string(context.entry ?? "")
    switch step {
    case .signIn:
      return .post(url("auth/login"), ["username": .string(context.username), "password": password])
    case .confirmation: return .post(url("auth/reauthenticate"), ["password": password], headers: headers)
    case .options:
      return .get(url(optionsPath + (context.operation == .registration ? "?passwordless" : "")), headers: headers)
    }
  }

  private func url(_ path: String) -> String { context.url("_allauth/app/v1/" + path) }

  private var optionsPath: String {
    context.operation == .registration ? "account/authenticators/webauthn" : "auth/webauthn/login"
  }

  private var headers: [HeaderField] { session.map { [HeaderField(.sessionToken, $0)] } ?? [] }

  mutating func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? {
    if step != .options, answer.status >= 400 { throw .signInRefused }
    let object = try accepted(answer)
    if let token = object.text(at: "meta", "session_token") { session = token }
    switch step {
    case .signIn:
      step = .confirmation
      return nil
    case .confirmation:
      step = .options
      return nil
    case .options:
      guard session != nil else { throw .missing("'session_token'") }
      let name = context.operation == .registration ? "creation_options" : "request_options"
      guard case .object(var options)? = object.value(at: "data", name, "publicKey") else {
        throw .missing("'\(name)'")
      }
      if case .object(var user)? = options["user"] {
        // The server names people by their mail addresses here. Who this is, the sign-in has said.
        user.set("name", .string(context.username))
        options.set("user", .object(user))
      }
      return options
    }
  }

  func request(for response: JSONObject, origin: String) -> DialectRequest {
    var credential = response
    guard context.operation == .registration else {
      return .post(url(optionsPath), ["credential": .object(credential)], headers: headers)
    }
    // The server takes only a key that can be found without its identifier, as those of this machine can.
    credential.set("clientExtensionResults", .object(["credProps": .object(["rk": .bool(true)])]))
    return .post(
      url(optionsPath), ["name": .string("pam-uaf"), "credential": .object(credential)], headers: headers)
  }

  func check(_ answer: DialectAnswer) throws(DialectFault) {
    let object = try accepted(answer)
    guard context.operation == .authentication else {
      guard object.value(at: "data", "id") != nil else { throw .noSuccess("the reply has no 'id' of a new key") }
      return
    }
    guard object.value(at: "meta", "is_authenticated") == .bool(true) else {
      throw .noSuccess("'is_authenticated' in the reply is not true")
    }
    guard let name = object.text(at: "data", "user", "username"), name.isIdentical(to: context.username) else {
      throw .noSuccess("the server logged in a different account")
    }
  }

  private func accepted(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject {
    let object = try answer.object()
    guard answer.status < 400 else {
      guard case .array(let errors)? = object["errors"], case .object(let first)? = errors.first else {
        throw .refused(nil)
      }
      throw .refused(first.text("message"))
    }
    guard answer.status == 200, object["status"] == .integer(200) else {
      throw .noSuccess("the status in the reply is not 200")
    }
    return object
  }
}
