import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFWire

/// A running uaf-chip: requests and their answers, one at a time.
@safe final class ChipProcess {
  /// Open as long as this object lives.
  private var socket: PacketSocket?
  private let process: ChildProcess
  private var buffer: Secret
  private let patience: Int32

  /// How long a chip may take for a request, in milliseconds: far above the slowest, below the patience of a host.
  static let patienceMilliseconds: Int32 = 20_000

  /// Starts `program`, which waits for its request.
  ///
  /// - Parameter patience: how long it may take for a request, in milliseconds.
  /// - Throws: ``Ending`` where it is missing or cannot be started.
  init(_ program: String, patience: Int32 = patienceMilliseconds) throws(Ending) {
    self.patience = patience
    do {
      let ends = try PacketSocket.pair()
      defer { close(ends.theirs) }
      socket = try PacketSocket(takingOver: ends.mine)
      buffer = try Secret(capacity: WireLimit.packet + 1)
      process = try ChildProcess(starting: program, socket: ends.theirs)
    } catch { throw Ending(.clientMismatch, log: "uaf-chip: \(error)") }
  }

  // It ends when its socket is closed. A process that nobody waits for stays in the system's table as long as its parent.
  deinit {
    socket = nil
    process.reap()
  }

  /// Asks it to open what a chip has sealed; ``openedKey()`` takes the answer.
  ///
  /// - Throws: ``Ending`` where it is gone.
  func open(_ sealed: [UInt8], at place: String) throws(Ending) {
    do { try socket?.send(ChipRequest(.unseal, at: place, opening: sealed).packet()) } catch {
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
  }

  /// Asks it something with the values of an index.
  ///
  /// - Throws: ``Ending`` where it is gone; what the chip refuses is in the reply.
  func ask(_ request: ChipRequest, with values: borrowing Secret) throws(Ending) -> ChipReply {
    do { try socket?.send(try request.packet(with: values)) } catch {
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
    return try reply()
  }

  /// Asks it something without values.
  ///
  /// - Throws: as ``ask(_:with:)``.
  func ask(_ request: ChipRequest) throws(Ending) -> ChipReply {
    do { try socket?.send(try request.packet()) } catch { throw Ending(.clientMismatch, log: "uaf-chip: \(error)") }
    return try reply()
  }

  private func reply() throws(Ending) -> ChipReply {
    let (packet, answer) = try anyReceived()
    let key: Secret?
    do { key = try ChipAnswer.key(packet, in: buffer) } catch { throw Self.withoutResult }
    return ChipReply(answer: answer, key: key)
  }

  /// The key that it has opened.
  ///
  /// - Throws: ``Ending``: why the chip has not opened it.
  func openedKey() throws(Ending) -> Secret {
    let packet = try received().packet
    guard let key = try? ChipAnswer.key(packet, in: buffer) else { throw Self.withoutResult }
    return key
  }

  /// Has the chip seal a key.
  ///
  /// - Returns: what is kept of it.
  /// - Throws: ``Ending``: why the chip has not sealed it.
  func seal(_ key: borrowing Secret, at place: String) throws(Ending) -> [UInt8] {
    do { try socket?.send(try ChipRequest(.seal, at: place).packet(sealing: key)) } catch {
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
    guard let sealed = try received().answer.sealedKey else { throw Self.withoutResult }
    return sealed
  }

  static var withoutResult: Ending { Ending(.clientMismatch, log: "uaf-chip: an answer without its result") }

  private func receive() throws(PacketSocketError) -> Packet {
    switch socket {
    case .some(let socket): try socket.receive(into: &buffer, timeoutMilliseconds: patience)
    case .none: throw .closed
    }
  }

  /// An answer that tells of a success.
  private func received() throws(Ending) -> (packet: Packet, answer: ChipAnswer) {
    let (packet, answer) = try anyReceived()
    guard answer.outcome == .done else { throw Ending(answer) }
    return (packet, answer)
  }

  private func anyReceived() throws(Ending) -> (packet: Packet, answer: ChipAnswer) {
    let packet: Packet
    do throws(PacketSocketError) {
      packet = try receive()
    } catch {
      if error == .timedOut {
        // Given up: the next request would get this one's answer.
        socket = nil
        throw Ending(of: .busy, log: "the chip did not answer in time")
      }
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
    let answer = buffer.withBytes { span in try? ChipAnswer(packet, span) }
    guard let answer else { throw Self.withoutResult }
    return (packet, answer)
  }
}
