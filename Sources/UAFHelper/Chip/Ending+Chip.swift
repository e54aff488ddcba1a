import Authenticator
import FidoResults
import UAFWire

extension Ending {
  /// The ending for an answer of uaf-chip that is no success.
  init(_ answer: ChipAnswer) {
    self.init(of: answer.outcome, log: answer.told)
  }

  /// The ending for an answer about an account's share that is no success.
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
      self.init(.cannotUse, detail: "\(error)", log: "\(error)")
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
