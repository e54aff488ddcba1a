import UAFMessages

/// `flask-security`: the JSON interface of Flask-Security, whose session is a cookie.
///
/// Each answer has a token against forgery, which the next request sends back. A registration begins with the person's password.
/// A login names nobody: only this machine knows that the key is the account's. The answer to it names the account only if the
/// application has added that.
struct FlaskSecurityDialect: WebAuthnDialect {
  private enum Step { case token, signIn, names, options }

  /// The name of a new key in the person's list; a second one has a number behind it.
  private static let label = "pam-uaf"

  let context: DialectContext
  private var step = Step.token
  private var token = ""
  private var keyName = label
  /// The server's own, signed note of the challenge, which is part of the address of the response.
  private var state = ""

  init(context: DialectContext) { self.context = context }

  private var isLogin: Bool { context.operation == .authentication }

  /// Whether people are named by mail addresses, which is the default at this server.
  private var isAddress: Bool { context.username.contains("@") }

  // MARK: Options

  func question() throws(DialectFault) -> DialectRequest {
    switch step {
    // Also before a registration: a server that takes no key as the first factor has nothing at this address.
    case .token: .get(context.url("wan-signin"))
    case .signIn:
      post(
        "login",
        [
          isAddress ? "email" : "username": .string(context.username), "password": .string(context.entry ?? ""),
        ])
    case .names: .get(context.url("wan-register"))
    case .options: post(path, isLogin ? [:] : ["name": .string(keyName), "usage": .string("first")])
    }
  }

  private var path: String { isLogin ? "wan-signin" : "wan-register" }

  private func post(_ path: String, _ members: JSONObject) -> DialectRequest {
    var body = members
    // The forms read the member; an application that protects all its addresses reads the headers.
    body.set("csrf_token", .string(token))
    return .post(context.url(path), body, headers: context.againstForgery(token))
  }

  mutating func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? {
    if step == .signIn { try checkSignIn(answer) }
    let reply = try accepted(answer)
    token = try reply.requiredText("csrf_token")
    switch step {
    case .token: step = isLogin ? .options : .signIn
    case .signIn:
      guard reply["tf_required"] == .bool(false) else {
        throw .noSuccess("the server wants a second factor of this person before it accepts a key")
      }
      step = .names
    case .names:
      keyName = try Self.freeName(in: reply)
      step = .options
    case .options:
      state = try reply.requiredText("wan_state")
      guard !state.isEmpty else { throw .missing("'wan_state'") }
      return isLogin ? try reply.object("credential_options") : try creationOptions(in: reply)
    }
    return nil
  }

  /// Tells a password that is refused from any other refusal, such as that of a token.
  private func checkSignIn(_ answer: DialectAnswer) throws(DialectFault) {
    guard answer.status >= 400, case .object(let fields)? = try answer.object().value(at: "response", "field_errors"),
      fields["csrf_token"] == nil
    else { return }
    throw .signInRefused
  }

  /// A name that no key of this person has, since the server refuses a second key of one name.
  private static func freeName(in reply: JSONObject) throws(DialectFault) -> String {
    guard case .array(let keys)? = reply["registered_credentials"] else { throw .missing("'registered_credentials'") }
    var names: Set<String> = []
    for case .object(let key) in keys { if let name = key.text("name") { names.insert(name) } }
    var name = label
    var number = 1
    while names.contains(name) {
      number += 1
      name = "\(label) \(number)"
    }
    return name
  }

  /// The creation options, with the account's name as it is here, and without a wish for a security key.
  private func creationOptions(in reply: JSONObject) throws(DialectFault) -> JSONObject {
    var options = try reply.object("credential_options")
    // The server names people by the first attribute that they have. Who this is, the sign-in has said.
    var user = try options.object("user")
    user.set("name", .string(context.username))
    options.set("user", .object(user))
    guard case .object(let selection)? = options["authenticatorSelection"] else { return options }
    // Unless an application changes it, the server asks a browser for a security key, so that a first key can be carried to
    // other machines. It never checks that, and this key is for this machine alone.
    var kept: JSONObject = [:]
    for member in selection.members where !member.name.isIdentical(to: "authenticatorAttachment") {
      kept.set(member.name, member.value)
    }
    options.set("authenticatorSelection", .object(kept))
    return options
  }

  // MARK: The response

  func request(for response: JSONObject, origin: String) -> DialectRequest {
    var credential = response
    // The person's list says with it that the key can be found without its identifier, as those of this machine can.
    if !isLogin { credential.set("extensions", .string(#"{"credProps":{"rk":true}}"#)) }
    let text = String(decoding: JSONValue.object(credential).bytes, as: UTF8.self)
    return post("\(path)/\(URLTemplate.percentEncoded(state))", ["credential": .string(text)])
  }

  func check(_ answer: DialectAnswer) throws(DialectFault) {
    let reply = try accepted(answer)
    guard isLogin else {
      _ = try reply.requiredText("csrf_token")
      return
    }
    guard reply["tf_required"] == .bool(false) else {
      throw .noSuccess("'tf_required' in the reply is not false, so nobody is logged in yet")
    }
    guard let name = reply.text(at: "user", isAddress ? "email" : "username"),
      !name.isIdentical(to: context.username)
    else { return }
    throw .noSuccess("the server logged in a different account")
  }

  private func accepted(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject {
    let object = try answer.object()
    guard answer.status < 400 else {
      guard case .array(let errors)? = object.value(at: "response", "errors"), case .string(let first)? = errors.first
      else { throw .refused(nil) }
      throw .refused(first)
    }
    guard answer.status == 200, object.value(at: "meta", "code") == .integer(200) else {
      throw .noSuccess("the code in the reply is not 200")
    }
    return try object.object("response")
  }
}
