import Testing
import UAFWire

@testable import UAFHelper

/// What a person is told while the server is slow.
@Suite struct WaitingTests {
  private func stretches(_ total: Int64, first: Int64?) -> [Int64] {
    var patience = ExchangePatience(total: total, first: first)
    var stretches: [Int64] = []
    while let stretch = patience.next() { stretches.append(stretch) }
    #expect(patience.left == 0)
    return stretches
  }

  @Test func `a person at a terminal is told to wait after two seconds, and then every 15 seconds`() {
    #expect(stretches(32_000, first: ExchangePatience.firstNotice) == [2000, 15_000, 15_000])
    #expect(stretches(32_000, first: nil) == [15_000, 15_000, 2000])
  }

  @Test(arguments: [0, -1, .min] as [Int64])
  func `does not wait for an exchange with the server that has ended`(_ total: Int64) {
    var patience = ExchangePatience(total: total, first: ExchangePatience.firstNotice)
    let stretch = patience.next()
    #expect(stretch == nil)
  }

  @Test func `never waits for the server longer than the time that remains`() {
    #expect(stretches(1500, first: ExchangePatience.firstNotice) == [1500])
    #expect(stretches(302_000, first: ExchangePatience.firstNotice).max() == 15_000)
  }

  @Test(arguments: [
    ("sudo", true), ("sudo-i", true), ("su", true), ("su-l", true), ("login", true), ("remote", true), ("uafctl", true),
    ("sshd", false), ("gdm-password", false), ("polkit-1", false), ("swaylock", false), ("mine", false),
  ])
  func `only services that show a text immediately get the text about the wait early`(
    _ service: String, _ isEarly: Bool
  ) throws {
    let bench = try HelperBench.registered()
    var begin = bench.begin()
    begin.service = Array(service.utf8)
    let before = bench.firstNotices.count
    #expect(try bench.run(begin, ["correct"]).result == 0)
    #expect(bench.firstNotices.dropFirst(before) == [isEarly ? 2000 : nil])
  }

  @Test func `a peer without root that calls itself sudo gets no early text about the wait`() throws {
    let bench = try HelperBench.registered()
    var begin = Begin(.authenticate)
    begin.service = Array("sudo".utf8)
    let before = bench.firstNotices.count
    #expect(try bench.run(begin, ["correct"], peer: 4242).result == 0)
    #expect(bench.firstNotices.dropFirst(before) == [nil])
  }
}
