import Testing

@testable import UAFClient

@Suite struct AddressTests {
  @Test(arguments: [
    ("https://a.example", "a.example"), ("HTTPS://A.Example:443/x?y#z", "a.example"),
    ("https://127.0.0.1:8443/", "127.0.0.1"),
    ("https://[::1]:8443/x", "[::1]"), ("https://a.example?x", "a.example"), ("https://a.example#@b", "a.example"),
  ]) func `finds the host of`(_ text: String, _ host: String) {
    #expect(HTTPSAddress(text)?.host == host)
  }

  @Test(arguments: [
    "", "https://", "https:///x", "http://a", "https:/a", "//a", "https://a@b/", "https://a:b@c/", "https://a\\b/",
    "https://a b/", "https://a\n/", "https://ä/", "https://a%2e/", "https://a:0/", "https://a:65536/", "https://a:+1/",
    "https://a:/", "https://[::1/", "https://[]/", "https://[::1]x/", "https://[a/b]/", "https://a_b\u{0}/",
    "file:///etc/passwd",
  ]) func `refuses the address`(_ text: String) {
    #expect(HTTPSAddress(text) == nil)
  }

  @Test func `placeholders cannot leave their place`() {
    let template = URLTemplate("https://h/{user}/get?a={appID}&t={transaction}")
    let url = template.expanded(user: "a/../b?c#d", appID: "https://x", transaction: "é{user}")
    #expect(url == "https://h/a%2F..%2Fb%3Fc%23d/get?a=https%3A%2F%2Fx&t=%C3%A9%7Buser%7D")
  }

  @Test(arguments: ["https://h/{name}", "https://h/{user", "https://h/user}", "https://h/{}", "https://h/{user}}"])
  func `refuses the template`(_ text: String) {
    #expect(URLTemplate(text).expanded(user: "u", appID: "a", transaction: "") == nil)
  }

  @Test(arguments: [
    ("application/fido+uaf", true), ("Application/FIDO+UAF ; charset=UTF-8", true),
    ("application/json;version=1", true),
    ("application/json; charset=\"utf-8\"", true), ("application/json; charset=utf-16", false), ("text/html", false),
    ("", false), ("application/fido+uafx", false), ("application/fido", false), (";application/json", false),
  ]) func `knows the media types of UAF`(_ contentType: String, _ isUAF: Bool) {
    #expect(MediaType.matches(contentType, [MediaType.uaf, MediaType.json]) == isUAF)
  }
}
