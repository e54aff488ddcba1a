import Authenticator
import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFWire

/// A running uaf-chip: requests and their answers, one at a time.
@safe final class ChipProcess {
  /// Open while this object lives.
  private var socket: PacketSocket?
  private let process: ChildProcess
  private var buffer: Secret
  private let patience: Int32

  /// How long a chip may take for a request, in milliseconds: far above the slowest, below the patience of a host.
  static let patienceMilliseconds: Int32 = 20_000

  /// Starts `program`, which waits for its request.
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

  // The program ends when its socket is closed. A child that is not waited for stays in the process table until its parent ends.
  deinit {
    socket = nil
    process.reap()
  }

  /// Asks it to open what a chip has sealed; ``openedKey()`` reads the answer.
  ///
  /// - Throws: ``Ending`` if it is gone.
  func open(_ sealed: [UInt8], at place: String) throws(Ending) {
    do { try socket?.send(ChipRequest(.unseal, at: place, opening: sealed).packet()) } catch {
      throw Ending(.clientMismatch, log: "uaf-chip: \(error)")
    }
  }

  /// Sends a request with the values of an index.
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
  /// - Throws: ``Ending``: why the chip did not open it.
  func openedKey() throws(Ending) -> Secret {
    let packet = try received().packet
    guard let key = try? ChipAnswer.key(packet, in: buffer) else { throw Self.withoutResult }
    return key
  }

  /// Makes the chip seal a key.
  ///
  /// - Returns: the sealed key, as it is stored.
  /// - Throws: ``Ending``: why the chip did not seal it.
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

  /// An answer that reports a success.
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
        // The socket is closed: the next request would otherwise get the answer to this one.
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

/// A device key that a chip has opened, for as long as a call lasts.
final class OpenedKey {
  private let secret: Secret

  init(_ secret: consuming Secret) { self.secret = secret }

  /// The same key in its own memory.
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
  /// A fault that would concern the machine's key concerns only this account here, because the key was opened in this call.
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

  /// Root requires an index for each value, and there is none; with the reason.
  static func withoutIndex(_ why: String) -> Ending {
    Ending(.cannotUse, because: .indexNotMade, log: "[tpm] require_pin_index: \(why)")
  }

  /// The words are not a recovery key, or belong to a different one.
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

  /// Whether there is no chip at the configured path.
  var isWithoutChip: Bool { text == .cause(.chipAbsent) }

  /// The ending for an outcome of the chip that is not a success.
  ///
  /// A key that a chip holds is never read from anywhere else. So every login on this machine ends like this until root has
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
  /// The log's text for a failure.
  var told: String {
    let number = number.map { " (0x\(String($0, radix: 16)))" } ?? ""
    return "chip: \(outcome): \(step ?? "no step")\(number)"
  }
}
