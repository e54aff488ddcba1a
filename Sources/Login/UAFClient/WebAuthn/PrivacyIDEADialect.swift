import UAFMessages

/// `privacyidea`: tokens of type `passkey` of a privacyIDEA server.
///
/// A registration begins with the person's password, for which the server gives an authorisation. A login names the account,
/// so the server refuses another person's key.
struct PrivacyIDEADialect: WebAuthnDialect {
  let context: DialectContext
  /// The value of `Authorization` for a person who has signed in.
  private var authorization: String?
  /// The members that the response has to repeat.
  private var transaction: JSONObject = [:]

  init(context: DialectContext) { self.context = context }

  func question() throws(DialectFault) -> DialectRequest {
    let type: JSONObject = ["type": .string("passkey")]
    guard context.operation == .registration else { return .post(context.url("validate/initialize"), type) }
    guard let authorization else {
      return .post(
        context.url("auth"), ["username": .string(context.username), "password": .string(context.entry ?? "")])
    }
    var request = DialectRequest.post(context.url("token/init"), type)
    request.authorization = authorization
    return request
  }

  mutating func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? {
    if context.operation == .registration, authorization == nil {
      guard answer.status < 400 else { throw .signInRefused }
      guard let token = try succeeded(answer).text(at: "result", "value", "token") else {
        throw .missing("'token'")
      }
      authorization = token
      return nil
    }
    // The value of a challenge is false: nothing has been accepted yet.
    let detail = try succeeded(answer).object("detail")
    let isLogin = context.operation == .authentication
    var options = try detail.object(isLogin ? "passkey" : "passkey_registration")
    transaction = ["transaction_id": .string(try (isLogin ? options : detail).requiredText("transaction_id"))]
    if !isLogin { transaction.set("serial", .string(try detail.requiredText("serial"))) }
    // The challenge is a text, and the bytes to sign are those of the text, whatever alphabet it seems to have.
    let challenge = Array(try options.requiredText("challenge").utf8)
    options.set("challenge", .string(Base64URL.encode(challenge)))
    return options
  }

  func request(for response: JSONObject, origin: String) -> DialectRequest {
    var body = transaction
    body.set("credential_id", response["id"])
    let isLogin = context.operation == .authentication
    let members: [String]
    if isLogin {
      body.set("user", .string(context.username))
      members = ["authenticatorData", "clientDataJSON", "signature", "userHandle"]
    } else {
      body.set("type", .string("passkey"))
      body.set("rawId", response["rawId"])
      body.set("authenticatorAttachment", response["authenticatorAttachment"])
      members = ["attestationObject", "clientDataJSON"]
    }
    for name in members { body.set(name, response.value(at: "response", name)) }
    // The server compares the origin in the client data with this header, and with nothing else.
    var request = DialectRequest.post(
      context.url(isLogin ? "validate/check" : "token/init"), body, headers: [HeaderField(.origin, origin)])
    request.authorization = authorization
    return request
  }

  func check(_ answer: DialectAnswer) throws(DialectFault) {
    let object = try accepted(answer)
    guard context.operation == .authentication else { return }
    // A policy such as "passOnNoToken" sets the value as well, without any key.
    guard object.value(at: "result", "authentication") == .string("ACCEPT") else {
      throw .noSuccess("'authentication' in the reply is not 'ACCEPT', so no key was accepted")
    }
    guard let name = object.text(at: "detail", "username"), !name.isIdentical(to: context.username) else { return }
    throw .noSuccess("the server logged in a different account")
  }

  /// An answer without an error.
  private func succeeded(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject {
    let object = try answer.object()
    guard answer.status < 400, object.value(at: "result", "status") != .bool(false) else {
      throw .refused(object.text(at: "result", "error", "message"))
    }
    guard answer.status == 200, object.value(at: "result", "status") == .bool(true) else {
      throw .noSuccess("the reply reports neither a success nor an error")
    }
    return object
  }

  /// An answer whose value says that the key was accepted.
  private func accepted(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject {
    let object = try succeeded(answer)
    switch object.value(at: "result", "value") {
    case .bool(true): return object
    case .bool(false): throw .refused(object.text(at: "detail", "message"))
    default: throw .noSuccess("'value' in the reply is neither true nor false")
    }
  }
}
