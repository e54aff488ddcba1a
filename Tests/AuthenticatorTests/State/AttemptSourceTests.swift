import Authenticator
import Testing

/// The sources of attempts, by the text that the host gives as PAM_RHOST.
@Suite struct AttemptSourceTests {
  private func source(_ text: String) -> AttemptSource { AttemptSource(remoteHost: Array(text.utf8)) }

  @Test(arguments: ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:0201"])
  func `an attempt's source is the same for each way to write an IPv4 address`(_ text: String) {
    #expect(source(text) == .address([192, 0, 2, 1]))
  }

  @Test(arguments: ["2001:db8:1:2::1", "2001:DB8:1:2:ffff::9", "2001:db8:1:2::7%eth0"])
  func `an attempt's source is the same for all addresses of one IPv6 network`(_ text: String) {
    #expect(source(text) == .network([0x20, 1, 0x0d, 0xb8, 0, 1, 0, 2]))
  }

  @Test func `attempts from different addresses or networks have different sources`() {
    #expect(source("192.0.2.1") != source("192.0.2.2"))
    #expect(source("2001:db8:1:2::1") != source("2001:db8:1:3::1"))
  }

  @Test(arguments: ["a.example.org", "b.example.org", "x.y.EXAMPLE.org.", "example.org"])
  func `a caller cannot change the source of its attempts with a made-up host name in its domain`(_ text: String) {
    #expect(source(text) == .domain(Array("example.org".utf8)))
  }

  @Test(arguments: ["", ".", "%", "localhost", "1.2.3", "\u{1b}[2J", "192.0.2.256"])
  func `takes text that is not an address as a domain name`(_ text: String) {
    guard case .domain = source(text) else {
      Issue.record("\(text) passes for an address")
      return
    }
  }
}
