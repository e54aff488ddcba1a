import Testing

@testable import UAFClient

@Suite struct AddressTests {
  @Test func `the values of placeholders are escaped, so that they change no other part of the server's address`() {
    let template = URLTemplate("https://h/{user}/get?a={appID}&t={transaction}")
    let url = template.expanded(user: "a/../b?c#d", appID: "https://x", transaction: "é{user}")
    #expect(url == "https://h/a%2F..%2Fb%3Fc%23d/get?a=https%3A%2F%2Fx&t=%C3%A9%7Buser%7D")
  }

  @Test func `a server that wants the text to confirm in base64url gets it so`() {
    let template = URLTemplate("https://h/{user}/{transactionBase64URL}")
    #expect(template.expanded(user: "u", appID: "", transaction: "é?>") == "https://h/u/w6k_Pg")
  }

  @Test(arguments: ["https://h/{name}", "https://h/{user", "https://h/user}", "https://h/{}", "https://h/{user}}"])
  func `refuses a malformed template of a server's address`(_ text: String) {
    #expect(URLTemplate(text).expanded(user: "u", appID: "a", transaction: "") == nil)
  }

  @Test(arguments: [
    ("application/fido+uaf", true), ("Application/FIDO+UAF ; charset=UTF-8", true),
    ("application/json;version=1", true),
    ("application/json; charset=\"utf-8\"", true), ("application/json; charset=utf-16", false), ("text/html", false),
    ("", false), ("application/fido+uafx", false), ("application/fido", false), (";application/json", false),
  ]) func `recognises the media types of UAF messages, with and without parameters`(
    _ contentType: String, _ isUAF: Bool
  ) {
    #expect(MediaType.matches(contentType, [MediaType.uaf, MediaType.json]) == isUAF)
  }
}
