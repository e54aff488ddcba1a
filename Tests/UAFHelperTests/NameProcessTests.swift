import Glibc
import SecretMemory
import Testing
import UAFWire

@testable import UAFHelper

/// What the core accepts from uaf-name, and that it does not wait without end.
@Suite struct NameProcessTests {
  /// Asks for a name over a socket at whose other end these packets were already sent.
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

  @Test func `the core returns the name from uaf-name, and reports what its sandbox lacks`() throws {
    let found = NameAnswer(.found, name: Array("mina".utf8), missing: "landlock:38")
    let (name, missing) = try answer([found.packet()])
    #expect(name == .found(Array("mina".utf8)) && missing == ["landlock:38"])
    #expect(try answer([NameAnswer(.unknown).packet()]).0 == .unknown)
    #expect(try answer([NameAnswer(.ambiguous).packet()]).0 == .ambiguous)
    #expect(try answer([NameAnswer(.failed, number: 5).packet()]).0 == .failed("a name service failed: errno 5"))
  }

  @Test func `the core gives up if uaf-name does not answer in time`() throws {
    #expect(try answer([]).0 == .failed("the name services did not reply in 0 ms"))
  }

  @Test func `if uaf-name ends or sends a wrong message, the core gets no name`() throws {
    #expect(try answer([], closes: true).0 == nil)
    #expect(try answer([FingerTouch.matched.packet()]).0 == nil)
    #expect(try answer([[0xB1, 1, 0, 1, 0]]).0 == nil, "found, without a name")
  }

  @Test func `if uaf-name is missing or ends immediately, that counts as a failure`() {
    for program in ["/nonexistent/uaf-name", "/bin/true"] {
      guard case .failed(let detail) = NameProcess(program: program).name(of: 70_000) else {
        Issue.record("a name")
        continue
      }
      #expect(detail.hasPrefix("uaf-name: "), "\(detail)")
    }
  }

  @Test func `the core kills a uaf-name that never ends`() {
    // This program never answers. The call returns only after its process was reaped.
    let name = NameProcess(program: "/usr/bin/yes", patience: 0).name(of: 70_000)
    #expect(name == .failed("the name services did not reply in 0 ms"))
  }
}
