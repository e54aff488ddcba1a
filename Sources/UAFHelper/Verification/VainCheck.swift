import Authenticator
import FidoResults
import SecretMemory

/// Takes the time of a check where there is no value to check, so that the time does not show whether the account exists.
struct VainCheck {
  private let call: Call
  private let policy: CallPolicy
  private let queue: DerivationQueue
  private let now: () -> BootTime

  init(for call: Call, _ policy: CallPolicy, _ queue: DerivationQueue, now: @escaping () -> BootTime) {
    self.call = call
    self.policy = policy
    self.queue = queue
    self.now = now
  }

  /// An account in memory that an entry is checked against; its type does not matter.
  ///
  /// - Throws: ``Ending``.
  func standIn(in directory: borrowing StateDirectory) throws(Ending) -> AccountFile {
    do throws(StateError) {
      return try AccountFile.standIn(.passcode, cost: policy.derivationCost, in: directory)
    } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// Waits for the right to derive a key, and checks.
  ///
  /// - Throws: ``Ending``.
  func check(
    _ value: borrowing Secret, against standIn: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) {
    try check(value, against: standIn, in: directory, queue.takeSlot(in: directory))
  }

  /// Does the work of a check, and of counting it on the disk.
  ///
  /// - Throws: ``Ending``.
  func check(
    _ value: borrowing Secret, against standIn: AccountFile, in directory: borrowing StateDirectory,
    _ slot: borrowing DerivationSlot
  ) throws(Ending) {
    slot.chargeInVain()
    do throws(StateError) {
      let outcome = try standIn.verify(
        value, for: .passcode, from: call.caller.origin, at: now(), policy: .localDefault, in: directory,
        holding: slot)
      guard case .wrong = outcome else { throw .damaged }
    } catch { throw Ending(.cannotUse, log: "\(error)") }
  }
}
