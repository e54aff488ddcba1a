import UAFMessages

/// `glewlwyd`: a scheme `webauthn` of a glewlwyd server, which writes bytes as standard base64.
///
/// A registration begins with the person's password, for which the server sets a cookie. Neither a success nor a refusal has a
/// body, so a success must set a cookie too: a proxy that answers everything with 200 would otherwise be one.
struct GlewlwydDialect: WebAuthnDialect {
  let context: DialectContext
  private var isSignedIn = false
  private var session: JSONValue?

  init(context: DialectContext) { self.context = context }

  /// Whether a body is empty or a short text: a proxy's page is longer, and has a type of its own.
  func reads(bare response: TransportResponse) -> Bool {
    response.body.count <= 64 && MediaType.essence(of: response.contentType) != "text/html"
  }

  func question() throws(DialectFault) -> DialectRequest {
    guard context.operation == .registration else { return scheme("auth/scheme/trigger/", [:]) }
    guard isSignedIn else {
      return .post(
        context.url("api/auth/"),
        ["username": .string(context.username), "password": .string(context.entry ?? "")])
    }
    return scheme("profile/scheme/register/", ["register": .string("new-credential")])
  }

  private func scheme(_ path: String, _ value: JSONObject) -> DialectRequest {
    .post(
      context.url("api/" + path),
      [
        "username": .string(context.username), "scheme_type": .string("webauthn"), "scheme_name": .string("webauthn"),
        "value": .object(value),
      ])
  }

  mutating func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? {
    if context.operation == .registration, !isSignedIn {
      guard answer.status == 200, answer.hasNewCookies else { throw .signInRefused }
      isSignedIn = true
      return nil
    }
    guard answer.status < 400 else { throw .refused(nil) }
    let object = try answer.object()
    guard let session = object["session"] else { throw .missing("'session'") }
    self.session = session
    return try options(object)
  }

  /// The options in WebAuthn's form; their `rpId` is an origin, so it is left out, and root's or the host counts.
  private func options(_ object: JSONObject) throws(DialectFault) -> JSONObject {
    var options: JSONObject = ["challenge": .string(try object.requiredText("challenge"))]
    guard context.operation == .registration else {
      var allowed: [JSONValue] = []
      if case .array(let credentials)? = object["allowCredentials"] {
        for case .object(let credential) in credentials {
          let id = JSONValue.string(try credential.requiredText("credential_id"))
          allowed.append(.object(["type": .string("public-key"), "id": id]))
        }
      }
      // An empty list would let any key answer, which is not what this server means.
      guard !allowed.isEmpty else { throw .refused(nil) }
      options.set("allowCredentials", .array(allowed))
      return options
    }
    options.set("rp", .object(["name": .string("")]))
    options.set("user", .object(try object.object("user")))
    var parameters: [JSONValue] = []
    if case .array(let algorithms)? = object["pubKey-cred-params"] {
      parameters = algorithms.map { algorithm in
        if case .object = algorithm { return algorithm }
        return .object(["type": .string("public-key"), "alg": algorithm])
      }
    }
    options.set("pubKeyCredParams", .array(parameters))
    options.set("attestation", .string(object["attestation-required"] == .bool(true) ? "direct" : "none"))
    return options
  }

  func request(for response: JSONObject, origin: String) -> DialectRequest {
    var members: JSONObject = [:]
    if case .object(let sent)? = response["response"] {
      for name in ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"] {
        members.set(name, sent.text(name).map(Self.standard))
      }
    }
    var credential: JSONObject = ["type": .string("public-key"), "response": .object(members)]
    credential.set("id", response["id"])
    credential.set("rawId", response.text("rawId").map(Self.standard))
    var value: JSONObject = ["credential": .object(credential)]
    value.set("session", session)
    guard context.operation == .registration else { return scheme("auth/", value) }
    value.set("register", .string("register-credential"))
    return scheme("profile/scheme/register/", value)
  }

  /// Base64url as standard base64 with padding.
  private static func standard(_ text: String) -> JSONValue {
    let alphabet = text.map { character -> Character in
      switch character {
      case "-": "+"
      case "_": "/"
      default: character
      }
    }
    return .string(String(alphabet) + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }

  func check(_ answer: DialectAnswer) throws(DialectFault) {
    guard answer.status < 400 else {
      guard case .array(let sentences)? = answer.json, case .string(let first)? = sentences.first else {
        throw .refused(nil)
      }
      throw .refused(first)
    }
    guard answer.status == 200, context.operation == .registration || answer.hasNewCookies else {
      throw .noSuccess("the reply sets no cookie, so nobody was logged in")
    }
  }
}
