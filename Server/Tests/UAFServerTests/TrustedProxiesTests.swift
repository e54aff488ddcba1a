import NIOCore
import NIOHTTP1
import Testing

@testable import UAFServer

/// Which address a request comes from.
struct TrustedProxiesTests {
  /// Two proxies, one in front of the other.
  private let proxies = TrustedProxies(ranges("10.1.0.0/16", "2001:db8:1::/48"))

  private static func ranges(_ texts: String...) -> [AddressRange] { texts.compactMap { AddressRange(argument: $0) } }

  private func address(_ text: String) throws -> SocketAddress { try SocketAddress(ipAddress: text, port: 4711) }

  /// The client's address as bytes, so that its port does not matter.
  private func client(
    _ lines: String..., header: ForwardedHeader = .xForwardedFor, from peer: String = "10.1.2.3"
  ) throws -> [UInt8]? {
    var headers = HTTPHeaders()
    for line in lines { headers.add(name: header.rawValue, value: line) }
    let proxies = TrustedProxies(proxies.ranges, header: header)
    return proxies.client(of: headers, from: try address(peer))?.ipBytes
  }

  private func bytes(_ text: String) throws -> [UInt8]? { try address(text).ipBytes }

  @Test func `the server ignores what a stranger writes into a proxy's header`() throws {
    #expect(try client("198.51.100.1", from: "203.0.113.9") == bytes("203.0.113.9"))
    #expect(try client("10.1.2.3, 10.1.2.3", from: "203.0.113.9") == bytes("203.0.113.9"))
    #expect(try client("127.0.0.1", from: "203.0.113.9") == bytes("203.0.113.9"))
    #expect(try client("for=198.51.100.1", header: .forwarded, from: "2001:db8::7") == bytes("2001:db8::7"))
  }

  @Test(arguments: [
    "198.51.100.1", "198.51.100.1:80", " 198.51.100.1\t", "::ffff:198.51.100.1", "[::ffff:198.51.100.1]:443",
    "198.51.100.1, 10.1.9.9", "10.1.9.9,198.51.100.1", "1.1.1.1, 198.51.100.1, 10.1.9.9, 10.1.9.8",
    "junk, \", 198.51.100.1", "127.0.0.1, 198.51.100.1", "198.51.100.1, 2001:db8:1::9",
  ])
  func `the client is the last address that is not a proxy's, whatever is written before it`(line: String) throws {
    #expect(try client(line) == bytes("198.51.100.1"))
  }

  @Test func `several header lines of a proxy are read as one`() throws {
    #expect(try client("1.1.1.1", "198.51.100.1", "10.1.9.9") == bytes("198.51.100.1"))
    #expect(try client("198.51.100.1", "10.1.9.9, 10.1.9.8") == bytes("198.51.100.1"))
  }

  @Test(arguments: [
    "for=198.51.100.1", "For=\"198.51.100.1:80\"", "for=1.1.1.1, proto=https;for=198.51.100.1;by=10.1.2.3",
    "for=\"[2001:db8:1::9]:99\", for=198.51.100.1, for=\"[2001:db8:1::9]:99\"",
    "for=\"never closed, for=198.51.100.1", "for=\"\\\"\", for=198.51.100.1",
  ])
  func `the header Forwarded is read as RFC 7239 defines it`(line: String) throws {
    #expect(try client(line, header: .forwarded) == bytes("198.51.100.1"))
  }

  @Test(arguments: [
    "", "unknown", "198.51.100", "198.51.100.1.1", "198.51.100.1:99999", "[198.51.100.1]", "[2001:db8::1",
    "2001:db8::1]",
    "198.51.100.1,", "1.1.1.1, ", "fe80::1%eth0", "0x7f.1", "198.51.100.1 1.1.1.1", "127.0.0.1", "::1", "1.1.1.1, ::1",
  ])
  func `the client is the proxy itself if its header names no other machine`(line: String) throws {
    #expect(try client(line) == bytes("10.1.2.3"))
  }

  @Test(arguments: [
    "for=unknown", "for=_hidden", "by=198.51.100.1", "for=198.51.100.1;for=1.1.1.1", "for=\"198.51.100.1",
    "198.51.100.1",
    "for=2001:db8::1:99999",
  ])
  func `the client is the proxy itself if its header Forwarded names no address`(line: String) throws {
    #expect(try client(line, header: .forwarded) == bytes("10.1.2.3"))
  }

  @Test func `without a header the client is the proxy itself, and if all addresses are proxies, the header's first`()
    throws
  {
    #expect(try client() == bytes("10.1.2.3"))
    #expect(try client("10.1.9.9, 10.1.9.8") == bytes("10.1.9.9"))
  }

  @Test func `the server reads only the configured header, because a proxy passes on the other header unchecked`()
    throws
  {
    var headers = HTTPHeaders()
    headers.add(name: "forwarded", value: "for=1.1.1.1")
    headers.add(name: "x-forwarded-for", value: "198.51.100.1")
    #expect(proxies.client(of: headers, from: try address("10.1.2.3"))?.ipBytes == (try bytes("198.51.100.1")))
  }

  @Test func `the server trusts whoever may connect to the Unix socket, and no loopback address that was not named`()
    throws
  {
    var headers = HTTPHeaders()
    headers.add(name: "x-forwarded-for", value: "198.51.100.1")
    let socket = try SocketAddress(unixDomainSocketPath: "/run/uaf-server/socket")
    #expect(TrustedProxies().client(of: headers, from: socket)?.ipBytes == (try bytes("198.51.100.1")))
    #expect(TrustedProxies().client(of: HTTPHeaders(), from: socket) == socket)
    #expect(TrustedProxies().client(of: headers, from: try address("127.0.0.1"))?.isLoopback == true)
    #expect(TrustedProxies().client(of: headers, from: nil) == nil)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.7", "10.0.0.7", true),
    ("10.0.0.7/32", "10.0.0.8", false), ("192.0.2.128/25", "192.0.2.127", false),
    ("192.0.2.128/25", "192.0.2.255", true),
    ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/33", "2001:db8:ffff::1", false), ("::1", "::1", true),
    ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("::/1", "10.0.0.1", false),
  ])
  func `a range of proxies contains the addresses that begin with its bits`(range: String, other: String, isIn: Bool)
    throws
  {
    let range = try #require(AddressRange(argument: range))
    #expect(range.contains(try #require(try bytes(other))) == isIn)
  }

  @Test(arguments: [
    "", "10.0.0.0/", "/8", "10.0.0.0/0", "::/0", "10.0.0.0/33", "::/129", "10.0.0.7/8", "10.0.0.0/-1", "10.0.0/8",
    "proxy.example", "::ffff:10.0.0.0/104", "10.0.0.0/8/8", "10.0.0.0/ 8",
  ])
  func `refuses a range of proxies that is malformed, contains everybody, or has too many bits`(range: String) {
    #expect(AddressRange(argument: range) == nil)
  }
}
