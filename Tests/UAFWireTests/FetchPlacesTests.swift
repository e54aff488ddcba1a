import Testing

@testable import UAFWire

@Suite struct FetchPlacesTests {
  private static let places = FetchPlaces(
    of: [
      "https://fido.example.com/uaf/get", "https://fido.example.com:443/x", "https://127.0.0.1:8443",
      "http://x.example/",
    ],
    proxy: nil)

  @Test func `the list of allowed destinations has each host and port of an https address once`() {
    #expect(Self.places.places == ["fido.example.com:443", "127.0.0.1:8443"])
  }

  @Test(arguments: [
    "https://fido.example.com/", "https://fido.example.com", "HTTPS://FIDO.example.com:443/x?y#z",
    "https://fido.example.com?x", "https://127.0.0.1:8443/a", "https://127.0.0.1:08443/a",
  ])
  func `allows every path at a listed host and port`(_ url: String) {
    #expect(Self.places.allow(url, proxy: nil))
  }

  @Test(arguments: [
    "https://fido.example.com:22/", "https://fido.example.com.evil.example/",
    "https://evil.example/fido.example.com:443",
    "https://fido.example.com@evil.example/", "https://fido.example.com:443@evil.example/",
    "https://evil.example#@fido.example.com",
    "https://fido.example.com\\@evil.example/", "https://fido.example.com%00/", "https://127.0.0.1/",
    "http://fido.example.com/", "http://127.0.0.1.example/", "http://127.1/", "http://10.0.0.1/", "http://localhost@a/",
    "https://fido.example.com:/", "https://fido.example.com:+443/", "https://", "https://[::1]:8443/",
    "https://fido.example.com./", "",
  ])
  func `refuses every address outside the listed hosts and ports`(_ url: String) {
    #expect(!Self.places.allow(url, proxy: nil))
  }

  @Test func `refuses any proxy except the one in the list of destinations`() {
    let proxied = FetchPlaces(of: ["https://a.example/"], proxy: "http://proxy.example:1")
    #expect(proxied.allow("https://a.example/", proxy: "http://proxy.example:1"))
    #expect(!proxied.allow("https://a.example/", proxy: nil))
    #expect(!proxied.allow("https://a.example/", proxy: "http://evil.example:1"))
    #expect(!Self.places.allow("https://fido.example.com/", proxy: "http://evil.example:1"))
  }

  @Test func `reads host and port of IPv4 and IPv6 addresses, and refuses incomplete ones`() {
    #expect(FetchPlaces.place(of: "https://[2001:DB8::1]/") == "[2001:db8::1]:443")
    #expect(FetchPlaces.place(of: "https://[::1]:8443/") == "[::1]:8443")
    for url in ["https://[::1/", "https://[::1]x/", "https://[::1]:0/", "https://a:65536/", "https://a:b/"] {
      #expect(FetchPlaces.place(of: url) == nil, "\(url)")
    }
  }

  @Test(arguments: [0, WireLimit.places + 1])
  func `refuses to send a list of destinations that is empty or too long`(count: Int) {
    let many = (0..<count).map { "https://h\($0).example/" }
    #expect(throws: PacketError.self) { try FetchPlaces(of: many, proxy: nil).packet() }
  }
}
