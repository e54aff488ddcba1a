import UAFMessages

/// `webauthn`: the FIDO Alliance's interface for server tests ("FIDO2 Conformance Server API").
///
/// The examples of many WebAuthn libraries have it too. Only `status` with the value `ok`, with HTTP status 200, is a
/// success. A code is a member with the name that root has configured, or else a bearer token (RFC 6750). `verdict` is a signed
/// verdict of `uaf-server`; it decides only if root has configured its key.
struct ConformanceDialect: WebAuthnDialect {
  let context: DialectContext

  func question() throws(DialectFault) -> DialectRequest {
    var request = DialectRequest.post(context.endpoint.requestURL, body)
    if let code = context.entry, context.codeMember == nil {
      guard Self.isToken(code) else { throw .entryNotSendable }
      request.authorization = authorization
    }
    return request
  }

  private var body: JSONObject {
    guard context.operation == .registration else {
      return ["username": .string(context.username), "userVerification": .string("required")]
    }
    var body: JSONObject = [
      "username": .string(context.username), "displayName": .string(context.username),
      "authenticatorSelection": .object(["requireResidentKey": .bool(false), "userVerification": .string("required")]),
      "attestation": .string("none"),
    ]
    if let member = context.codeMember { body.set(member, context.entry.map { .string($0) }) }
    return body
  }

  private var authorization: String? {
    context.codeMember == nil ? context.entry.map { "Bearer \($0)" } : nil
  }

  /// Whether a code is a token of RFC 6750, section 2.1, short enough for its header.
  private static func isToken(_ code: String) -> Bool {
    let isShort = (1...512).contains(code.utf8.count)
    return isShort
      && code.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~+/=".utf8.contains(byte)
      }
  }

  func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? {
    let options = try accepted(answer)
    // Options grant nothing, so a server may leave its success out.
    guard options["status"] == nil || Self.isOK(options) else { throw Self.notOK }
    return options
  }

  func request(for response: JSONObject, origin: String) -> DialectRequest {
    var request = DialectRequest.post(context.endpoint.responseURL, response)
    request.authorization = authorization
    return request
  }

  func check(_ answer: DialectAnswer) throws(DialectFault) {
    guard Self.isOK(try accepted(answer)) else { throw Self.notOK }
  }

  func tokens(of answer: DialectAnswer) -> [Token] {
    guard case .object(let object)? = answer.json, let verdict = object.text("verdict") else { return [] }
    return [Token(type: Token.jwt, value: verdict)]
  }

  private func accepted(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject {
    let object = try answer.object()
    guard answer.status < 400, object["status"] != .string("failed") else {
      throw .refused(object.text("errorMessage"))
    }
    guard answer.status == 200 else { throw Self.notOK }
    return object
  }

  private static func isOK(_ object: JSONObject) -> Bool { object["status"] == .string("ok") }

  private static let notOK = DialectFault.noSuccess("the status in the reply is not 'ok', so nothing was accepted")
}
