import Testing
import UAFWire

@testable import UAFFetch

/// Requests that uaf-fetch refuses before libcurl sees them.
struct RequestCheckTests {
  private static func request(_ change: (inout FetchRequest) -> Void) -> FetchRequest {
    var request = FetchRequest(.post, url: "https://fido.example.com/uaf", timeoutMilliseconds: 1)
    change(&request)
    return request
  }

  @Test(arguments: ["https://a", "HTTPS://fido.example.com:8443/uaf?x=%20"])
  func `accepts an https address in a request`(_ url: String) {
    #expect(RequestCheck.objection(to: Self.request { $0.url = url }) == nil)
  }

  @Test(arguments: [
    "", "https://", "https:/a", "http://a", "httpss://a", " https://a", "https://a b", "https://a\n", "https://\u{7F}",
    "https://ä.example", "file:///etc/passwd", "a",
  ])
  func `refuses any other address in a request`(_ url: String) {
    #expect(RequestCheck.objection(to: Self.request { $0.url = url }) != nil)
  }

  @Test(arguments: ["http://127.0.0.1:8080/uaf", "http://localhost/", "http://[::1]:1/", "HTTP://127.1.2.3/"])
  func `accepts a request with http to this machine, but not through a proxy`(_ url: String) {
    #expect(RequestCheck.objection(to: Self.request { $0.url = url }) == nil)
    let proxied = Self.request { ($0.url, $0.proxy) = (url, "http://proxy.example:1") }
    #expect(RequestCheck.objection(to: proxied) != nil)
  }

  @Test(arguments: [
    "http://10.0.0.1/", "http://127.0.0.1.example/", "http://127.1/", "http://localhost.example/",
    "http://a@localhost/",
    "http://localhost:/", "http://[::2]/", "http://",
  ])
  func `refuses http to any other machine in a request`(_ url: String) {
    #expect(RequestCheck.objection(to: Self.request { $0.url = url }) != nil)
  }

  @Test(arguments: ["a\r\nX-Injected: 1", "a\n", "\u{0}", "ä", "\t"])
  func `refuses a request with a header value that is not printable ASCII`(_ value: String) {
    #expect(RequestCheck.objection(to: Self.request { $0.contentType = value }) != nil)
    #expect(RequestCheck.objection(to: Self.request { $0.accept = value }) != nil)
    #expect(RequestCheck.objection(to: Self.request { $0.proxy = value }) != nil)
    #expect(RequestCheck.objection(to: Self.request { $0.machineProof = value }) != nil)
    #expect(RequestCheck.objection(to: Self.request { $0.cookies = value }) != nil)
    #expect(RequestCheck.objection(to: Self.request { $0.authorization = value }) != nil)
  }

  @Test(arguments: ["Origin: linux://example.com", "X-CSRFToken: a", "X-Session-Token: a b", "Referer: https://a/"])
  func `accepts the headers that dialects of WebAuthn need`(_ header: String) {
    #expect(RequestCheck.objection(to: Self.request { $0.headers = [header] }) == nil)
  }

  @Test(arguments: [
    "Host: example.com", "Cookie: a=b", "Authorization: a", "origin: a", "Origin:", "Origin: ", "Origin:a", "Origin",
    "",
    "Origin: a\r\nX: b", "Origin : a",
    "X-Session-Token: ä", ": a",
  ])
  func `refuses every other header, and one without a value`(_ header: String) {
    #expect(RequestCheck.objection(to: Self.request { $0.headers = [header] }) != nil)
    #expect(RequestCheck.objection(to: Self.request { $0.headers = ["Origin: a", header] }) != nil)
  }

  @Test func `refuses a GET with a body`() {
    #expect(RequestCheck.objection(to: Self.request { $0.body = [] }) == nil)
    let get = Self.request {
      $0.method = .get
      $0.body = []
    }
    #expect(RequestCheck.objection(to: get) != nil)
  }
}
