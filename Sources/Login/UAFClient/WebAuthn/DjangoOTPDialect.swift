import UAFMessages

/// `django-otp-webauthn`: the four addresses of that Django application, whose session is a cookie.
///
/// The code of a registration is the session of somebody who is signed in, as the cookie `sessionid` has it. A login names
/// nobody, in either direction: that the key is the account's is this machine's own knowledge.
struct DjangoOTPDialect: WebAuthnDialect {
  let context: DialectContext

  /// The value of the cookie that Django compares with a header.
  ///
  /// The comparison keeps the pages of other sites from making a browser send requests. No page can make this client send any, so
  /// a secret would protect nothing.
  private static let token = "pam0uaf0sends0no0browsers0cookie"

  var firstCookies: String {
    let cookies = "csrftoken=\(Self.token)"
    return context.entry.map { "\(cookies); sessionid=\($0)" } ?? cookies
  }

  func question() throws(DialectFault) -> DialectRequest {
    let isPlain = context.entry.map { $0.utf8.allSatisfy(Self.isLetterOrDigit) && (1...64).contains($0.utf8.count) }
    guard isPlain ?? true else { throw .entryNotSendable }
    return post("begin", [:])
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }

  private func post(_ step: String, _ body: JSONObject) -> DialectRequest {
    let operation = context.operation == .registration ? "registration" : "authentication"
    return .post(context.url("\(operation)/\(step)/"), body, headers: context.againstForgery(Self.token))
  }

  func take(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject? { try accepted(answer) }

  func request(for response: JSONObject, origin: String) -> DialectRequest { post("complete", response) }

  func check(_ answer: DialectAnswer) throws(DialectFault) {
    guard case .integer? = try accepted(answer)["id"] else { throw .noSuccess("the reply has no 'id' of a key") }
  }

  private func accepted(_ answer: DialectAnswer) throws(DialectFault) -> JSONObject {
    let object = try answer.object()
    guard answer.status < 400 else { throw .refused(object.text("detail")) }
    guard answer.status == 200 else { throw .noSuccess("the HTTP status of the reply is not 200") }
    return object
  }
}
