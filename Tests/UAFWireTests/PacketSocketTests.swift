import Glibc
import SecretMemory
import Testing

@testable import UAFWire

/// A packet socket, with a plain descriptor as its other end.
///
/// For a moment a process that another test starts has a copy of every descriptor. So a test that expects the end of a closed
/// socket waits for it.
struct PacketSocketTests {
  /// The socket under test, and its other end as a descriptor.
  private struct Pair: ~Copyable {
    let socket: PacketSocket
    let other: CInt

    init() throws {
      let ends = try PacketSocket.pair()
      socket = try PacketSocket(takingOver: ends.mine)
      other = ends.theirs
    }

    deinit { close(other) }

    func write(_ bytes: [UInt8]) -> Int {
      // SAFETY: the array's bytes are valid for the call.
      unsafe bytes.withUnsafeBytes { unsafe Glibc.send(other, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    func read() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 70_000)
      // SAFETY: the array has the room that is announced.
      let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(other, $0.baseAddress, $0.count, 0) }
      return Array(bytes.prefix(max(0, count)))
    }

    /// Sends one byte, and passes a descriptor with it.
    func write(_ byte: UInt8, passing descriptor: CInt) -> Int {
      var byte = byte
      // The layout is: cmsghdr (16 bytes on 64-bit systems), the descriptor, padding to 8 bytes.
      var control = [UInt64](repeating: 0, count: 3)
      // SAFETY: all three buffers outlive sendmsg; the control message has the layout of cmsghdr.
      return unsafe control.withUnsafeMutableBytes { control in
        unsafe control.storeBytes(of: 20, as: Int.self)
        unsafe control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: CInt.self)
        unsafe control.storeBytes(of: CInt(SCM_RIGHTS), toByteOffset: 12, as: CInt.self)
        unsafe control.storeBytes(of: descriptor, toByteOffset: 16, as: CInt.self)
        return unsafe withUnsafeMutablePointer(to: &byte) { pointer in
          var vector = unsafe iovec(iov_base: pointer, iov_len: 1)
          return unsafe withUnsafeMutablePointer(to: &vector) { vector in
            var message = unsafe msghdr()
            unsafe message.msg_iov = vector
            unsafe message.msg_iovlen = 1
            unsafe message.msg_control = control.baseAddress
            unsafe message.msg_controllen = control.count
            return unsafe sendmsg(other, &message, CInt(MSG_NOSIGNAL))
          }
        }
      }
    }
  }

  private static func buffer() throws -> Secret { try Secret(capacity: WireLimit.packet + 1) }

  @Test func `sends and receives one packet at a time`() throws {
    let pair = try Pair()
    #expect(pair.write([0x03]) == 1)
    #expect(pair.write([0x04]) == 1)
    var buffer = try Self.buffer()
    #expect(try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0).type == .cancelled)
    #expect(try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0).type == .resume)
    try pair.socket.send([0x84])
    try pair.socket.send([0x83, 1, 0, 0])
    #expect(pair.read() == [0x84])
    #expect(pair.read() == [0x83, 1, 0, 0])
  }

  @Test func `sends an entry from secret memory and receives it into secret memory`() throws {
    let pair = try Pair()
    let entry = try Secret(copying: Array("Abcdef1!".utf8).span)
    try pair.socket.send(try Answer.packet(entry))
    let sent = pair.read()
    #expect(sent == WireVector.bytes("answer"))
    #expect(pair.write(sent) == sent.count)
    var buffer = try Self.buffer()
    let packet = try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0)
    let value = try Answer.value(packet, in: buffer)
    let isEqual = value.isEqual(to: entry)
    #expect(isEqual)
  }

  @Test func `accepts a packet of the maximum size`() throws {
    let pair = try Pair()
    var begin = Begin(.authenticate)
    begin.arguments = [[UInt8]](repeating: [UInt8](repeating: 0x61, count: 4096), count: 15)
    let used = try begin.packet().count
    begin.arguments.append([UInt8](repeating: 0x61, count: WireLimit.packet - used - 3))
    let bytes = try begin.packet()
    #expect(bytes.count == WireLimit.packet)
    #expect(pair.write(bytes) == bytes.count)
    var buffer = try Self.buffer()
    let packet = try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0)
    #expect(try buffer.withBytes { span in try Begin(packet, span) } == begin)
  }

  @Test(arguments: [65_537, 70_000]) func `refuses a packet that is too long to be received whole`(_ count: Int) throws
  {
    let pair = try Pair()
    #expect(pair.write([0x03] + [UInt8](repeating: 0, count: count - 1)) == count)
    #expect(throws: PacketSocketError.malformed(.size)) {
      var buffer = try Self.buffer()
      _ = try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0)
    }
  }

  @Test func `refuses a packet that passes a descriptor, and closes the descriptor`() throws {
    let pair = try Pair()
    let ends = try PacketSocket.pair()
    let passed = try PacketSocket(takingOver: ends.theirs)
    #expect(pair.write(0x03, passing: ends.mine) == 1)
    close(ends.mine)
    #expect(throws: PacketSocketError.malformed(.size)) {
      var buffer = try Self.buffer()
      _ = try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0)
    }
    // The passed end has no copy left anywhere, so its peer sees the end of the stream.
    #expect(throws: PacketSocketError.closed) {
      var buffer = try Self.buffer()
      _ = try passed.receive(into: &buffer, timeoutMilliseconds: 60_000)
    }
  }

  @Test func `refuses a packet with an unknown type`() throws {
    let pair = try Pair()
    #expect(pair.write([0x05]) == 1)
    #expect(throws: PacketSocketError.malformed(.unknownType(5))) {
      var buffer = try Self.buffer()
      _ = try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0)
    }
  }

  @Test func `distinguishes a peer that has closed its end from a peer that sends nothing`() throws {
    let pair = try Pair()
    #expect(throws: PacketSocketError.timedOut) {
      var buffer = try Self.buffer()
      _ = try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0)
    }
    shutdown(pair.other, CInt(SHUT_WR))
    #expect(throws: PacketSocketError.closed) {
      var buffer = try Self.buffer()
      _ = try pair.socket.receive(into: &buffer, timeoutMilliseconds: 10_000)
    }
  }

  @Test func `reads what the peer sent before it closed its end, and nothing after that`() throws {
    let pair = try Pair()
    #expect(pair.write([0x03]) == 1)
    shutdown(pair.other, CInt(SHUT_RDWR))
    var buffer = try Self.buffer()
    #expect(try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0).type == .cancelled)
    #expect(throws: PacketSocketError.closed) {
      var buffer = try Self.buffer()
      _ = try pair.socket.receive(into: &buffer, timeoutMilliseconds: 0)
    }
    #expect(throws: PacketSocketError.closed) { try pair.socket.send([0x84]) }
  }

  @Test func `sending ends with an error if the peer does not read`() throws {
    let pair = try Pair()
    let packet = [0x86] + [UInt8](repeating: 0, count: 30_000)
    #expect(throws: PacketSocketError.timedOut) {
      for _ in 0..<1000 { try pair.socket.send(packet, timeoutMilliseconds: 0) }
    }
  }

  @Test func `refuses a descriptor that is not a packet socket`() {
    let stream = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(stream) }
    #expect(throws: PacketSocketError.notASocket) { _ = try PacketSocket(takingOver: stream) }
    #expect(throws: PacketSocketError.notASocket) { _ = try PacketSocket(takingOver: -1) }
    #expect(fcntl(stream, F_GETFD) >= 0)
  }

  @Test(arguments: ["/nonexistent/helper.sock", String(repeating: "a", count: 108), "a\0b"])
  func `refuses to connect if nobody listens, or to a path that a socket cannot have`(_ path: String) {
    #expect(throws: PacketSocketError.self) { _ = try PacketSocket(connectingTo: path) }
  }

  @Test func `returns the user id of the peer`() throws {
    let pair = try Pair()
    #expect(try pair.socket.peerUserID() == geteuid())
  }

  @Test func `distinguishes a peer that has closed its end from a peer that has only stopped sending`() throws {
    let ends = try PacketSocket.pair()
    let socket = try PacketSocket(takingOver: ends.mine)
    var seen = [socket.isHungUp()]
    _ = shutdown(ends.theirs, CInt(SHUT_WR))
    seen.append(socket.isHungUp())
    close(ends.theirs)
    let silent = try Pair()
    #expect(throws: PacketSocketError.closed) {
      try silent.socket.awaitPacket(whilePeerOf: socket, timeoutMilliseconds: 60_000)
    }
    seen.append(socket.isHungUp())
    #expect(seen == [false, false, true])
  }

  @Test(arguments: [true, false])
  func `reports whether the peer has closed its end without reading the last packet`(_ reads: Bool) throws {
    let ends = try PacketSocket.pair()
    let socket = try PacketSocket(takingOver: ends.mine)
    try socket.send([PacketType.ready.rawValue])
    let before = socket.leftUnread(timeoutMilliseconds: 0)
    var byte: UInt8 = 0
    // SAFETY: there is room for the one byte.
    if reads { _ = unsafe recv(ends.theirs, &byte, 1, 0) }
    close(ends.theirs)
    let after = socket.leftUnread(timeoutMilliseconds: 60_000)
    #expect([before, after] == [false, !reads])
  }

  @Test func `waits for a packet, but only until the peer of a different socket ends`() throws {
    let pair = try Pair()
    let others = try PacketSocket.pair()
    let other = try PacketSocket(takingOver: others.mine)
    #expect(throws: PacketSocketError.timedOut) {
      try pair.socket.awaitPacket(whilePeerOf: other, timeoutMilliseconds: 0)
    }
    _ = pair.write([PacketType.ready.rawValue])
    try pair.socket.awaitPacket(whilePeerOf: other, timeoutMilliseconds: 10_000)
    close(others.theirs)
    let silent = try Pair()
    #expect(throws: PacketSocketError.closed) {
      try silent.socket.awaitPacket(whilePeerOf: other, timeoutMilliseconds: 60_000)
    }
    // This is so although a packet waits here.
    #expect(throws: PacketSocketError.closed) {
      try pair.socket.awaitPacket(whilePeerOf: other, timeoutMilliseconds: 0)
    }
  }
}
