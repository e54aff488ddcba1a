import UAFMessages

/// `privacyidea`: tokens of type `passkey` or `webauthn` of a privacyIDEA server.
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

  private var isLogin: Bool { context.operation == .authentication }

  private var type: JSONValue { .string(context.tokenType.rawValue) }

  func question() throws(DialectFault) -> DialectRequest {
    guard !isLogin else {
      return switch context.tokenType {
      case .passkey: .post(context.url("validate/initialize"), ["type": type])
      // The PIN of a token is empty: what the person knows is checked on this machine.
      case .webauthn:
        .post(context.url("validate/check"), ["user": .string(context.username), "pass": .string("")])
      }
    }
    guard let authorization else {
      return .post(
        context.url("auth"), ["username": .string(context.username), "password": .string(context.entry ?? "")])
    }
    var request = DialectRequest.post(context.url("token/init"), ["type": type])
    request.authorization = authorization
    return request
  }

  mutating func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? {
    if !isLogin, authorization == nil {
      guard answer.status < 400 else { throw .signInRefused }
      guard let token = try succeeded(answer).text(at: "result", "value", "token") else {
        throw .missing("'token'")
      }
      authorization = token
      return nil
    }
    let object = try succeeded(answer)
    return switch (context.tokenType, isLogin) {
    case (.passkey, _): try passkeyOptions(of: object)
    case (.webauthn, true): try tokenChallenge(of: object)
    case (.webauthn, false): try tokenRegistration(of: object)
    }
  }

  private mutating func passkeyOptions(of object: JSONObject) throws(DialectFault) -> JSONObject {
    // The value of a challenge is false: nothing has been accepted yet.
    let detail = try object.object("detail")
    var options = try detail.object(isLogin ? "passkey" : "passkey_registration")
    transaction = ["transaction_id": .string(try (isLogin ? options : detail).requiredText("transaction_id"))]
    if !isLogin { transaction.set("serial", .string(try detail.requiredText("serial"))) }
    // The challenge is a text, and the bytes to sign are those of the text, whatever alphabet it seems to have.
    let challenge = Array(try options.requiredText("challenge").utf8)
    options.set("challenge", .string(Base64URL.encode(challenge)))
    return options
  }

  /// The request options of all keys of the account, which the server lists one by one with the same challenge.
  ///
  /// - Throws: ``DialectFault``, also if the server has accepted the account before any key signed: a policy such as
  ///   "passOnNoToken" does that.
  private mutating func tokenChallenge(of object: JSONObject) throws(DialectFault) -> JSONObject {
    switch (object.value(at: "result", "value"), object.value(at: "result", "authentication")) {
    case (.bool(false), .string("CHALLENGE")): break
    case (.bool(false), .string("REJECT")): throw .refused(object.text(at: "detail", "message"))
    case (.bool(true), _): throw .noSuccess("the server accepts this account without a key")
    default: throw .noSuccess("'authentication' in the reply is neither 'CHALLENGE' nor 'REJECT'")
    }
    let detail = try object.object("detail")
    guard case .array(let challenges)? = detail["multi_challenge"] else { throw .missing("'multi_challenge'") }
    var common: JSONObject?
    var allowed: [JSONValue] = []
    for case .object(let challenge) in challenges where challenge["type"] == type {
      guard case .object(let options)? = challenge.value(at: "attributes", "webAuthnSignRequest"),
        case .array(let credentials)? = options["allowCredentials"], !credentials.isEmpty
      else { throw .missing("'webAuthnSignRequest' with 'allowCredentials'") }
      let first = common ?? options
      guard options["challenge"] == first["challenge"], options["rpId"] == first["rpId"] else {
        throw .noSuccess("the keys of this account have different challenges or relying parties")
      }
      common = first
      allowed += credentials
    }
    guard var options = common else { throw .noSuccess("the server asks for no token of type 'webauthn'") }
    options.set("allowCredentials", .array(allowed))
    transaction = ["transaction_id": .string(try detail.requiredText("transaction_id"))]
    return options
  }

  /// The creation options in WebAuthn's form; the handle of the account is the serial number of the token.
  private mutating func tokenRegistration(of object: JSONObject) throws(DialectFault) -> JSONObject {
    let asked = try object.object("detail").object("webAuthnRegisterRequest")
    let serial = try asked.requiredText("serialNumber")
    transaction = [
      "serial": .string(serial), "transaction_id": .string(try asked.requiredText("transaction_id")),
    ]
    var user: JSONObject = ["id": .string(Base64URL.encode(Array(serial.utf8)))]
    for name in ["name", "displayName"] { user.set(name, asked[name]) }
    var options: JSONObject = ["challenge": .string(try asked.requiredText("nonce")), "user": .object(user)]
    options.set("rp", asked["relyingParty"])
    options.set("pubKeyCredParams", asked["pubKeyCredAlgorithms"])
    for name in ["attestation", "authenticatorSelection", "excludeCredentials", "timeout"] {
      options.set(name, asked[name])
    }
    return options
  }

  func request(for response: JSONObject, origin: String) -> DialectRequest {
    var body = transaction
    for (name, path) in members { body.set(name, response.value(at: path)) }
    if isLogin { body.set("user", .string(context.username)) } else { body.set("type", type) }
    if isLogin, context.tokenType == .webauthn { body.set("pass", .string("")) }
    // The server compares the origin in the client data with this header, and with nothing else.
    var request = DialectRequest.post(
      context.url(isLogin ? "validate/check" : "token/init"), body, headers: [HeaderField(.origin, origin)])
    request.authorization = authorization
    return request
  }

  /// The server's names for the members of a response, and where they are in WebAuthn's form.
  private var members: [(name: String, path: [String])] {
    switch (context.tokenType, isLogin) {
    case (.passkey, true):
      [("credential_id", ["id"])]
        + ["authenticatorData", "clientDataJSON", "signature", "userHandle"].map { ($0, ["response", $0]) }
    case (.passkey, false):
      [("credential_id", ["id"]), ("rawId", ["rawId"]), ("authenticatorAttachment", ["authenticatorAttachment"])]
        + ["attestationObject", "clientDataJSON"].map { ($0, ["response", $0]) }
    case (.webauthn, true):
      [
        ("credentialid", ["id"]), ("authenticatordata", ["response", "authenticatorData"]),
        ("clientdata", ["response", "clientDataJSON"]), ("signaturedata", ["response", "signature"]),
        ("userhandle", ["response", "userHandle"]),
      ]
    case (.webauthn, false):
      [("regdata", ["response", "attestationObject"]), ("clientdata", ["response", "clientDataJSON"])]
    }
  }

  func check(_ answer: DialectAnswer) throws(DialectFault) {
    let object = try accepted(answer)
    guard isLogin else {
      // To a response that it does not recognise as one, the server replies with the options of a further token, as a success.
      if context.tokenType == .webauthn {
        guard case .object? = object.value(at: "detail", "webAuthnRegisterResponse") else {
          throw .noSuccess("the reply does not say that a token is registered")
        }
      }
      return
    }
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
