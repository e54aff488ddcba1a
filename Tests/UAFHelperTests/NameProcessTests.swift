import Glibc
import SecretMemory
import Testing
import UAFWire

@testable import UAFHelper

/// What the core accepts from uaf-name, and that it does not wait for it forever.
@Suite struct NameProcessTests {
  /// Asks over a socket whose other end already contains what uaf-name has sent.
  private func answer(_ packets: [[UInt8]], closes: Bool = false) throws -> (DirectoryName?, missing: [String]) {
    let ends = try PacketSocket.pair()
    let core = try PacketSocket(takingOver: ends.mine)
    let theirs = try PacketSocket(takingOver: ends.theirs)
    for packet in packets { try theirs.send(packet) }
    if closes { _ = shutdown(ends.theirs, CInt(SHUT_WR)) }
    var missing: [String] = []
    let process = NameProcess(program: "/nonexistent", patience: 0, report: { missing.append($0) })
    let name = try? process.ask(70_000, over: core)
    var buffer = try Secret(capacity: 256)
    let packet = try theirs.receive(into: &buffer, timeoutMilliseconds: 0)
    #expect(try buffer.withBytes { try NameRequest(packet, $0) } == NameRequest(uid: 70_000))
    return (name, missing)
  }

  @Test func `returns the name, and reports what its sandbox lacks`() throws {
    let found = NameAnswer(.found, name: Array("mina".utf8), missing: "landlock:38")
    let (name, missing) = try answer([found.packet()])
    #expect(name == .found(Array("mina".utf8)) && missing == ["landlock:38"])
    #expect(try answer([NameAnswer(.unknown).packet()]).0 == .unknown)
    #expect(try answer([NameAnswer(.ambiguous).packet()]).0 == .ambiguous)
    #expect(try answer([NameAnswer(.failed, number: 5).packet()]).0 == .failed("a name service failed: errno 5"))
  }

  @Test func `the core gives up on a program that does not answer in time`() throws {
    #expect(try answer([]).0 == .failed("the name services did not reply in 0 ms"))
  }

  @Test func `a program that ends, or sends a wrong message, gives no name`() throws {
    #expect(try answer([], closes: true).0 == nil)
    #expect(try answer([FingerTouch.matched.packet()]).0 == nil)
    #expect(try answer([[0xB1, 1, 0, 1, 0]]).0 == nil, "found, without a name")
  }

  @Test func `a program that is missing, or that ends immediately, counts as a failure`() {
    for program in ["/nonexistent/uaf-name", "/bin/true"] {
      guard case .failed(let detail) = NameProcess(program: program).name(of: 70_000) else {
        Issue.record("a name")
        continue
      }
      #expect(detail.hasPrefix("uaf-name: "), "\(detail)")
    }
  }

  @Test func `a program that never ends is killed`() {
    // It writes to nobody. This returns only after the process was reaped.
    let name = NameProcess(program: "/usr/bin/yes", patience: 0).name(of: 70_000)
    #expect(name == .failed("the name services did not reply in 0 ms"))
  }
}
