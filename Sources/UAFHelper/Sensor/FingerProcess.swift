import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFWire

/// A running uaf-finger: one process for the whole call.
@safe final class FingerProcess {
  private let socket: PacketSocket
  private var buffer: Secret

  /// How long the first answer is waited for: the fingerprint service may have to be started.
  private static let answerMilliseconds: Int32 = 8000

  /// Starts `program`, which asks nobody before it is asked.
  ///
  /// - Throws: ``Ending`` where it is missing or cannot be started.
  convenience init(_ program: String) throws(Ending) {
    do {
      let ends = try PacketSocket.pair()
      defer { close(ends.theirs) }
      try self.init(over: try PacketSocket(takingOver: ends.mine))
      _ = try ChildProcess(starting: program, socket: ends.theirs)
    } catch { throw Ending(.clientMismatch, log: "uaf-finger: \(error)") }
  }

  /// Speaks with the program at the other end of a socket.
  ///
  /// - Throws: `SecretMemoryError`.
  init(over socket: consuming PacketSocket) throws(SecretMemoryError) {
    self.socket = socket
    buffer = try Secret(capacity: WireLimit.packet + 1)
  }

  /// Asks how the sensor is, or for a first comparison, and waits for what it says of the sensor.
  ///
  /// A program that gives no answer counts as a failure.
  func sensor(_ wish: FingerAsk.Wish, of account: String) -> FingerSensor {
    do throws(PacketSocketError) {
      try ask(wish, of: account)
      // What is left of an earlier comparison comes before.
      while true {
        if case .sensor(let sensor) = try receive(timeoutMilliseconds: Self.answerMilliseconds) { return sensor }
      }
    } catch { return FingerSensor(.failed, detail: "uaf-finger: \(error)") }
  }

  /// Asks for a further comparison.
  ///
  /// - Throws: `PacketSocketError`.
  func compareAgain(for account: String) throws(PacketSocketError) { try ask(.compare, of: account) }

  /// Gives the sensor back; a program that is gone has given it back already.
  func stop() {
    guard let packet = try? FingerAsk.stop() else { return }
    try? socket.send(packet)
  }

  /// Waits for a message or for a packet of another socket.
  ///
  /// - Throws: `PacketSocketError`.
  func awaitMessage(
    orPacketOf other: borrowing PacketSocket, timeoutMilliseconds: Int32
  ) throws(PacketSocketError) -> (isMessage: Bool, isPacket: Bool) {
    let (own, theirs) = try socket.awaitPacket(orOf: other, timeoutMilliseconds: timeoutMilliseconds)
    return (own, theirs)
  }

  /// Reads one message.
  ///
  /// - Throws: `PacketSocketError`, `malformed` for anything that uaf-finger does not send.
  func receive(timeoutMilliseconds: Int32) throws(PacketSocketError) -> FingerMessage {
    let packet = try socket.receive(into: &buffer, timeoutMilliseconds: timeoutMilliseconds)
    return try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketSocketError) in
      do throws(PacketError) {
        switch packet.type {
        case .fingerSensor: return .sensor(try FingerSensor(packet, bytes))
        case .fingerTouch: return .touch(try FingerTouch(packet, bytes))
        case .fingerEnd: return .end(try FingerEnd(packet, bytes))
        default: throw .unexpectedType(packet.type)
        }
      } catch { throw .malformed(error) }
    }
  }

  private func ask(_ wish: FingerAsk.Wish, of account: String) throws(PacketSocketError) {
    let packet: [UInt8]
    do throws(PacketError) { packet = try FingerAsk(wish, account: account).packet() } catch { throw .malformed(error) }
    try socket.send(packet)
  }
}
