import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFWire

/// A running uaf-fetch: one process for the whole call, one exchange at a time.
@safe final class FetchProcess {
  private let socket: PacketSocket
  private var buffer: Secret
  /// Whether a request was sent whose answer was not taken.
  private(set) var owesAnswer = false

  /// Starts `program`, which waits to be told what it may connect to.
  ///
  /// - Throws: ``Ending`` where it is missing or cannot be started.
  init(_ program: String) throws(Ending) {
    do {
      let ends = try PacketSocket.pair()
      defer { close(ends.theirs) }
      socket = try PacketSocket(takingOver: ends.mine)
      buffer = try Secret(capacity: WireLimit.packet + 1)
      _ = try ChildProcess(starting: program, socket: ends.theirs)
    } catch { throw Ending(.clientMismatch, log: "uaf-fetch: \(error)") }
  }

  /// Tells it the hosts and ports that it may connect to; later packets cannot add any.
  ///
  /// - Throws: ``Ending`` where it is gone.
  func allow(_ places: FetchPlaces) throws(Ending) {
    do { try socket.send(places.packet()) } catch { throw Ending(.clientMismatch, log: "uaf-fetch: \(error)") }
  }

  /// Waits for a packet of another socket, or its end, for as long as this process runs.
  ///
  /// - Returns: false if it has ended.
  func awaitPacket(of other: borrowing PacketSocket) -> Bool {
    while true {
      do throws(PacketSocketError) {
        try other.awaitPacket(whilePeerOf: socket, timeoutMilliseconds: Int32.max)
        return true
      } catch { if error != .timedOut { return false } }
    }
  }

  /// Waits for a packet of an answer or of another socket.
  ///
  /// - Parameter timeoutMilliseconds: -1 waits for as long as it takes.
  /// - Returns: whether the answer came, or this process has ended, and nothing of the other one is there.
  /// - Throws: `PacketSocketError`.
  func comesFirst(
    beside other: borrowing PacketSocket, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) -> Bool {
    let ready = try socket.awaitPacket(orOf: other, timeoutMilliseconds: timeoutMilliseconds)
    return ready.own && !ready.other
  }

  /// Sends a request, in one packet or more.
  ///
  /// - Throws: `PacketSocketError`.
  func send(_ request: [[UInt8]]) throws(PacketSocketError) {
    for packet in request { try socket.send(packet) }
    owesAnswer = true
  }

  /// Takes note that the answer was read to its end.
  func noteAnswered() { owesAnswer = false }

  /// Waits for a packet of the answer; if there is a front end, only while it is there.
  ///
  /// - Throws: `PacketSocketError`, `malformed` for what `read` refuses.
  func receive<Message>(
    timeoutMilliseconds: Int32, for frontEnd: FrontEnd?, _ read: (Packet, Span<UInt8>) throws(PacketError) -> Message
  ) throws(PacketSocketError) -> Message {
    if let frontEnd { try frontEnd.awaitPacket(of: socket, timeoutMilliseconds: timeoutMilliseconds) }
    let packet = try socket.receive(into: &buffer, timeoutMilliseconds: timeoutMilliseconds)
    return try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketSocketError) in
      do throws(PacketError) { return try read(packet, bytes) } catch { throw .malformed(error) }
    }
  }
}
