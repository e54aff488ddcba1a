import Testing

@testable import UAFMessages

@Suite struct HTTPSAddressTests {
  @Test(arguments: [
    ("https://a.example", "a.example"), ("HTTPS://A.Example:443/x?y#z", "a.example"),
    ("https://127.0.0.1:8443/", "127.0.0.1"),
    ("https://[::1]:8443/x", "[::1]"), ("https://a.example?x", "a.example"), ("https://a.example#@b", "a.example"),
    ("https://127.0.0.1.example/", "127.0.0.1.example"),
  ]) func `finds the host in an https address`(_ text: String, _ host: String) {
    #expect(HTTPSAddress(text)?.host == host)
  }

  @Test func `accepts an http address only for this machine, and only if the caller allows it`() {
    for (text, host, port) in [
      ("http://localhost/x", "localhost", 80), ("HTTP://127.0.0.1:8080", "127.0.0.1", 8080),
      ("http://[::1]/", "[::1]", 80),
    ] as [(String, String, UInt16)] {
      let address = HTTPSAddress(text, orPlainHere: true)
      #expect(address?.host == host && address?.port == port)
      #expect(HTTPSAddress(text) == nil)
    }
    for text in [
      "http://a.example/", "http://127.0.0.1.example/", "http://10.0.0.1/", "http://[::2]/", "http://",
      "ftp://localhost/",
    ] {
      #expect(HTTPSAddress(text, orPlainHere: true) == nil)
    }
  }

  @Test(arguments: [
    "", "https://", "https:///x", "http://a", "https:/a", "//a", "https://a@b/", "https://a:b@c/", "https://a\\b/",
    "https://a b/", "https://a\n/", "https://ä/", "https://a%2e/", "https://a:0/", "https://a:65536/", "https://a:+1/",
    "https://a:/", "https://[::1/", "https://[]/", "https://[::1]x/", "https://[a/b]/", "https://a_b\u{0}/",
    "file:///etc/passwd", "https://a..b/", "https://a.example./", "https://.a/", "https://127.1/",
    "https://2130706433/",
    "https://0127.0.0.1/", "https://256.0.0.1/", "https://1.2.3.4.5/", "https://a.1/", "https://*.a.example/",
  ]) func `refuses an ambiguous or malformed https address`(_ text: String) {
    #expect(HTTPSAddress(text) == nil)
  }

  @Test(arguments: [
    ("https://a.example/", true), ("https://a.b.example/", true), ("https://intranet/", false),
    ("https://localhost:1/", false), ("https://10.0.0.1/", false), ("https://[::1]/", false),
  ]) func `recognises which host names are in a domain`(_ text: String, _ hasDomain: Bool) {
    #expect(HTTPSAddress(text)?.hasDomain == hasDomain)
  }

  @Test func `refuses a host name, or a label in it, that is longer than DNS allows`() {
    let label = String(repeating: "a", count: 63)
    #expect(HTTPSAddress("https://\(label).example/") != nil)
    #expect(HTTPSAddress("https://\(label)a.example/") == nil)
    #expect(HTTPSAddress("https://" + Array(repeating: label, count: 4).joined(separator: ".") + "/") == nil)
  }
}
