import Testing

@testable import UAFConfiguration

@Suite struct ServerURLTests {
  @Test(arguments: [
    ("https://fido.example.com/uaf/get", "fido.example.com", 443), ("https://Fido.Example:8443", "fido.example", 8443),
    ("https://127.0.0.1:1/x?y={user}", "127.0.0.1", 1), ("https://[::1]:8443/", "::1", 8443),
    ("http://localhost/", "localhost", 80),
    ("https://a-b.example?x=1", "a-b.example", 443), ("https://h/{appID}/{transaction}/{user}", "h", 443),
  ])
  func `splits a server's URL into its parts`(_ text: String, _ host: String, _ port: UInt16) throws {
    let url = try #require(ServerURL(text))
    #expect(url.text == text && url.host == host && url.port == port && url.isSecure == text.hasPrefix("https"))
  }

  @Test(arguments: [
    "", "https://", "https:///x", "fido.example.com", "HTTPS://a.example/", "ftp://a.example/", "//a.example/",
    "https:a.example",
    "https://user@a.example/", "https://a:b@a.example/", "https://a.example/#f", "https://a.example/ x",
    "https://a.example/\n",
    "https://a.example/\"", "https://a.example\\@b.example/", "https://a.example/é", "https://é.example/",
    "https://a..example/",
    "https://.a/", "https://a./", "https://-a.example/", "https://a_b.example/", "https://{user}.example/",
    "https://a.example/{",
    "https://a.example/{user", "https://a.example/{USER}", "https://a.example/{{user}}", "https://a.example:0/",
    "https://a.example:/",
    "https://a.example:65536/", "https://a.example:08443/", "https://a.example:+1/", "https://[::1/",
    "https://[a.example]/",
    "https://[::1]x/", "https://::1/", "https://[]/", "https://127.0.0.256/", "https://127.1/", "https://0177.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/", "https://a.example%00.b/", "https://a.example/{us{user}er}",
  ])
  func `refuses a server's URL that two programs could read differently`(_ text: String) {
    #expect(ServerURL(text) == nil)
  }

  @Test func `refuses a server's URL of more than two kilobytes`() {
    #expect(ServerURL("https://a.example/" + String(repeating: "x", count: 2030)) != nil)
    #expect(ServerURL("https://a.example/" + String(repeating: "x", count: 2031)) == nil)
  }

  @Test(arguments: [
    "https://localhost/", "https://LOCALHOST:8443/", "https://127.0.0.1/", "https://127.255.0.9/", "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
  ])
  func `recognises an address of this machine`(_ text: String) throws {
    #expect(try #require(ServerURL(text)).isLoopback)
  }

  @Test(arguments: [
    "https://localhost.example/", "https://127.0.0.1.example.com/", "https://128.0.0.1/", "https://[::2]/",
    "https://[::]/",
    "https://notlocalhost/", "https://0.0.0.0/", "https://10.127.0.1/", "https://[1::1]/",
  ])
  func `takes no other address for one of this machine`(_ text: String) throws {
    #expect(try #require(ServerURL(text)).isLoopback == false)
  }
}
