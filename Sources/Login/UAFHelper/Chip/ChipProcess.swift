import Authenticator
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

/// What uaf-chip has answered: how it ended, and the secret that came with it.
struct ChipReply: ~Copyable {
  let answer: ChipAnswer
  /// The share or the key; nil where nothing was opened.
  var key: Secret?
}

/// A device key that a chip has opened, for as long as a call lasts.
final class OpenedKey {
  private let secret: Secret

  init(_ secret: consuming Secret) { self.secret = secret }

  /// The same key in memory of its own.
  ///
  /// - Throws: ``Ending`` if there is no memory.
  func copy() throws(Ending) -> Secret {
    let copy = secret.withBytes { span in try? Secret(copying: span) }
    guard let copy else { throw Ending(.cannotUse, log: "no memory for the device key") }
    return copy
  }
}

extension Ending {
  /// The ending for an answer of uaf-chip that is not a success.
  init(_ answer: ChipAnswer) {
    self.init(of: answer.outcome, log: answer.told)
  }

  /// The ending for an answer about an account's share that is not a success.
  ///
  /// What would be a fault of the machine's key is one of this account alone: the key was opened in this call.
  init(ofShare answer: ChipAnswer) {
    let cause: EndCause? =
      switch answer.outcome {
      case .indexMissing, .otherChip, .cleared: .indexMissing
      case .indexReplaced: .indexReplaced
      case .damaged: .shareDamaged
      default: nil
      }
    guard let cause else {
      self.init(answer)
      return
    }
    self.init(
      .cannotUse, because: cause,
      log: answer.told
        + "; where there is a recovery key, root's 'uafctl recover' brings the share back; otherwise the account has to be "
        + "reset and registered anew")
  }

  /// Root demands an index for each value, and there is none; with the reason.
  static func withoutIndex(_ why: String) -> Ending {
    Ending(.cannotUse, because: .indexNotMade, log: "[tpm] require_pin_index: \(why)")
  }

  /// The words are none of a recovery key, or not of this one.
  static var wrongRecoveryKey: Ending {
    Ending(.invalidParameter, because: .recoveryWrong, log: "the recovery key is wrong")
  }

  /// The ending for a failure of a move, with a text for root.
  init(moving error: StateError) {
    if case .keyElsewhere = error {
      self.init(.invalidParameter, because: .keyElsewhere, log: "\(error)")
    } else {
      self.init(.cannotUse, detail: RootText(error), log: "\(error)")
    }
  }

  /// Whether there is no chip where root says.
  var isWithoutChip: Bool { text == .cause(.chipAbsent) }

  /// The ending for what a chip did not do.
  ///
  /// A key that a chip holds is never looked for elsewhere. So every login on this machine ends like this until root has
  /// restored the chip, or moved the key.
  init(of outcome: ChipOutcome, log: String) {
    let cause: EndCause =
      switch outcome {
      case .absent: .chipAbsent
      case .forbidden: .chipForbidden
      case .busy: .chipBusy
      case .lockedOut: .chipLockedOut
      case .otherChip: .chipOther
      case .cleared: .chipCleared
      case .owned: .chipOwned
      case .damaged: .chipDamaged
      case .lost: .chipLost
      case .done, .failed, .wrong, .exhausted, .indexMissing, .indexReplaced, .full: .chipFailed
      }
    let help: Set<EndCause> = [.chipAbsent, .chipOther, .chipCleared, .chipDamaged]
    self.init(
      .cannotUse, because: cause,
      log: help.contains(cause) ? log + "; root's 'uafctl recover' needs the recovery key" : log)
  }
}

extension ChipAnswer {
  /// What the log says of a failure.
  var told: String {
    let number = number.map { " (0x\(String($0, radix: 16)))" } ?? ""
    return "chip: \(outcome): \(step ?? "no step")\(number)"
  }
}
