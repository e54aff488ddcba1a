import Glibc
import SecretMemory
import Testing
import UAFWire

@testable import UAFHelper

@Suite struct FrontEndTests {
  /// What the core says while `body` runs against a front end that sends `packets` and then nothing.
  private func messages(_ packets: [[UInt8]], _ body: (FrontEnd) throws -> Void) throws -> [PacketType] {
    let ends = try PacketSocket.pair()
    let mine = try PacketSocket(takingOver: ends.mine)
    let frontEnd = try FrontEnd(PacketSocket(takingOver: ends.theirs))
    try mine.send(Begin(.authenticate).packet())
    for packet in packets { try mine.send(packet) }
    _ = shutdown(ends.mine, CInt(SHUT_WR))
    _ = try frontEnd.receiveBegin()
    try body(frontEnd)
    var buffer = try Secret(capacity: WireLimit.packet + 1)
    var types: [PacketType] = []
    while let packet = try? mine.receive(into: &buffer, timeoutMilliseconds: 0) { types.append(packet.type) }
    return types
  }

  @Test func `a front end that ends during the wait does not resume`() throws {
    #expect(throws: Ending.self) { _ = try messages([]) { _ = try $0.awaitResume() } }
  }

  @Test func `a front end that cancels during the wait does not resume`() throws {
    let types = try messages([FrontEndSignal.cancelled.packet]) { frontEnd in
      let resumes = try frontEnd.awaitResume()
      #expect(!resumes)
    }
    #expect(types.isEmpty)
  }

  @Test func `refuses an answer in place of resume`() throws {
    #expect(throws: Ending.self) {
      _ = try messages([Begin(.authenticate).packet()]) { _ = try $0.awaitResume() }
    }
  }

  @Test func `reports a resume without a paused login as a case of its own`() throws {
    let ends = try PacketSocket.pair()
    let mine = try PacketSocket(takingOver: ends.mine)
    let frontEnd = try FrontEnd(PacketSocket(takingOver: ends.theirs))
    try mine.send(FrontEndSignal.resume.packet)
    #expect(throws: PacketSocketError.malformed(.unexpectedType(.resume))) { _ = try frontEnd.receiveBegin() }
  }
}
