import Glibc
import SecretMemory
import Testing
import UAFWire

@testable import UAFHelper

@Suite struct FrontEndTests {
  /// What the core sends while `body` runs, with a front end that has sent `packets` and sends nothing more.
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

  @Test func `a front end that ends during a divided login's wait does not resume it`() throws {
    #expect(throws: Ending.self) { _ = try messages([]) { _ = try $0.awaitResume() } }
  }

  @Test func `a front end that cancels during a divided login's wait does not resume it`() throws {
    let types = try messages([FrontEndSignal.cancelled.packet]) { frontEnd in
      let resumes = try frontEnd.awaitResume()
      #expect(!resumes)
    }
    #expect(types.isEmpty)
  }

  @Test func `refuses an entry from a front end that has to resume first`() throws {
    #expect(throws: Ending.self) {
      _ = try messages([Begin(.authenticate).packet()]) { _ = try $0.awaitResume() }
    }
  }

  @Test func `refuses a resume instead of a begin message, and reports it as such`() throws {
    let ends = try PacketSocket.pair()
    let mine = try PacketSocket(takingOver: ends.mine)
    let frontEnd = try FrontEnd(PacketSocket(takingOver: ends.theirs))
    try mine.send(FrontEndSignal.resume.packet)
    #expect(throws: PacketSocketError.malformed(.unexpectedType(.resume))) { _ = try frontEnd.receiveBegin() }
  }

  // MARK: The server's answer arrives while the person types

  /// A socket in an object, so that closures can share it.
  private final class Held {
    let socket: PacketSocket

    init(_ descriptor: CInt) throws { socket = try PacketSocket(takingOver: descriptor) }
  }

  /// Asks the person `times` times while the front end's packets are already there, and looks for the answer before and after.
  ///
  /// Returns how often the answer was handled.
  private func works(_ packets: [[UInt8]] = [], asking times: Int = 1, _ comesFirst: @escaping Arrival.Comparison)
    throws -> Int
  {
    var count = 0
    _ = try messages(packets) { frontEnd in
      frontEnd.onceArrived(Arrival(comesFirst: comesFirst, work: { count += 1 }))
      frontEnd.takeArrived()
      for _ in 0..<times {
        _ = try? frontEnd.ask(Prompt(echo: false, check: "passcode", step: .current, text: "?"))
      }
      frontEnd.takeArrived()
    }
    return count
  }

  @Test
  func `a server's answer that arrives during a prompt is handled once, however often the core looks for it`() throws {
    for times in 0...2 { #expect(try works(asking: times) { (_, _) throws(PacketSocketError) in true } == 1) }
  }

  @Test func `a server's answer that arrives while the person types is handled before the entry is read`() throws {
    // The first look, which does not wait, finds nothing.
    let count = try works { (_, limit) throws(PacketSocketError) in limit < 0 }
    #expect(count == 1)
  }

  @Test func `when a call ends, it releases the connection whose answer it waited for`() throws {
    weak var kept: Held?
    _ = try messages([]) { frontEnd in
      let ends = try PacketSocket.pair()
      let (near, far) = (try Held(ends.mine), try Held(ends.theirs))
      kept = near
      frontEnd.onceArrived(
        Arrival(comesFirst: { (_, _) throws(PacketSocketError) in near.socket.isHungUp() }, work: {}))
      try frontEnd.send(.finished(Finished(pamCode: 0, result: 0)))
      withExtendedLifetime(far) {}
    }
    #expect(kept == nil)
  }

  @Test func `a server's answer is not handled if it does not arrive, or if the entry arrives first`() throws {
    let entry = try Answer.packet(Secret(copying: Array("x".utf8).span))
    let packet = entry.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    for isArriving in [true, false] {
      let ends = try PacketSocket.pair()
      let (near, far) = (try Held(ends.mine), try Held(ends.theirs))
      if isArriving { try far.socket.send(FrontEndSignal.resume.packet) }
      let count = try works([packet]) { (socket, limit) throws(PacketSocketError) in
        let ready = try near.socket.awaitPacket(orOf: socket, timeoutMilliseconds: limit)
        return ready.own && !ready.other
      }
      #expect(count == 0)
    }
  }
}
