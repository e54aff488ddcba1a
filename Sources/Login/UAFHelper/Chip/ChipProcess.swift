import Authenticator
import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFWire

/// A running uaf-chip, which answers one request at a time.
@safe final class ChipProcess {
  /// The socket of the program; nil after a request that was not answered in time.
  private var socket: PacketSocket?
  private let process: ChildProcess
  private var buffer: Secret
  private let patience: Int32

  /// How long a chip may take for a request, in milliseconds.
  ///
  /// Even slow chips are much faster, and PAM hosts wait longer than this.
  static let patienceMilliseconds: Int32 = 20_000

  /// Starts `program`, which then waits for a request.
  ///
  /// - Parameter patience: how long it may take for a request, in milliseconds.
  /// - Throws: ``Ending`` if the program is missing or cannot be started.
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

  // The program ends when its socket is closed. It must be waited for: otherwise it would stay in the process table until this
  // process ends.
  deinit {
    socket = nil
    process.reap()
  }

  /// Requests that the chip open a key that it has sealed; ``openedKey()`` reads the answer.
  ///
  /// - Throws: ``Ending`` if the program is gone.
  func open(_ sealed: [UInt8], at place: String) throws(Ending) {
    do { try socket?.send(ChipRequest(.unseal, at: place, opening: sealed).packet()) } catch {
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
  }

  /// Sends a request with the two values that an index and its share need.
  ///
  /// - Throws: ``Ending`` if the program is gone; a refusal of the chip is in the reply.
  func ask(_ request: ChipRequest, with values: borrowing Secret) throws(Ending) -> ChipReply {
    do { try socket?.send(try request.packet(with: values)) } catch {
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
    return try reply()
  }

  /// Sends a request without values.
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

  /// The key that the chip has opened.
  ///
  /// - Throws: ``Ending`` with the reason if the chip did not open it.
  func openedKey() throws(Ending) -> Secret {
    let packet = try received().packet
    guard let key = try? ChipAnswer.key(packet, in: buffer) else { throw Self.withoutResult }
    return key
  }

  /// Has the chip seal a key.
  ///
  /// - Returns: the sealed key, as it is stored.
  /// - Throws: ``Ending`` with the reason if the chip did not seal it.
  func seal(_ key: borrowing Secret, at place: String) throws(Ending) -> [UInt8] {
    do { try socket?.send(try ChipRequest(.seal, at: place).packet(sealing: key)) } catch {
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
    guard let sealed = try received().answer.sealedKey else { throw Self.withoutResult }
    return sealed
  }

  static var withoutResult: Ending { Ending(.clientMismatch, log: "uaf-chip: a reply without its result") }

  private func receive() throws(PacketSocketError) -> Packet {
    switch socket {
    case .some(let socket): try socket.receive(into: &buffer, timeoutMilliseconds: patience)
    case .none: throw .closed
    }
  }

  /// Receives an answer, and throws unless it reports a success.
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
        // The socket is closed, because the next request would otherwise read the late answer to this one.
        socket = nil
        throw Ending(of: .busy, log: "the chip did not reply in time")
      }
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
    let answer = buffer.withBytes { span in try? ChipAnswer(packet, span) }
    guard let answer else { throw Self.withoutResult }
    return (packet, answer)
  }
}

/// The answer of uaf-chip: the outcome, and the secret that came with it.
struct ChipReply: ~Copyable {
  let answer: ChipAnswer
  /// The share or the key; nil if nothing was opened.
  var key: Secret?
}

/// A device key that a chip has opened.
///
/// It is kept until the call ends.
final class OpenedKey {
  private let secret: Secret

  init(_ secret: consuming Secret) { self.secret = secret }

  /// A copy of the key in memory of its own.
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
  /// Some failures would mean that the device key is lost. Here they mean that only this account's share is lost, because the
  /// chip has opened the device key in this call.
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
        + "; with a recovery key, root's 'uafctl recover' restores the share; without one the account must be "
        + "reset and registered again"
    )
  }

  /// The ending if root's configuration requires an index for each secret, and none could be made, with the reason.
  static func withoutIndex(_ why: String) -> Ending {
    Ending(.cannotUse, because: .indexNotMade, log: "[tpm] require_pin_index: \(why)")
  }

  /// The ending for words that are not a recovery key, or that belong to a different one.
  static var wrongRecoveryKey: Ending {
    Ending(.invalidParameter, because: .recoveryWrong, log: "the recovery key is wrong")
  }

  /// The ending if the device key could not be moved, with a text for root.
  init(moving error: StateError) {
    if case .keyElsewhere = error {
      self.init(.invalidParameter, because: .keyElsewhere, log: "\(error)")
    } else {
      self.init(.cannotUse, detail: RootText(error), log: "\(error)")
    }
  }

  /// Whether there is no chip at the configured path.
  var isWithoutChip: Bool { text == .cause(.chipAbsent) }

  /// The ending for an outcome of the chip other than success.
  ///
  /// A key that a chip has sealed is never read from anywhere else. So every login on this machine fails in this way until root
  /// has restored the chip or moved the key.
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
  /// The failure, in words for the log.
  var told: String {
    let number = number.map { " (0x\(String($0, radix: 16)))" } ?? ""
    return "chip: \(outcome): \(step ?? "no step")\(number)"
  }
}
