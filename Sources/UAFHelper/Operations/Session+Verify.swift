import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFCrypto
import UAFWire

extension Session {
  /// Asks for the value and checks it, as often as one call may.
  ///
  /// - Returns: the authenticator, open.
  /// - Throws: ``Ending``: wrong, locked, cancelled, or the state failed. A wrong value is counted once, however
  ///   often it is entered in this call.
  func verify(
    _ account: AccountFile, _ type: AuthenticatorType, in directory: borrowing StateDirectory
  ) throws(Ending) -> UnlockedAuthenticator {
    let uid = account.identity.uid
    let policy = lockPolicy(type, uid: uid, remote: caller.origin == .remote)
    var attempts = Attempts(left: arguments.tries ?? settings.prompt.tries)
    if !hidesState { try refuseLocked(account, type, policy) }
    while true {
      attempts.left -= 1
      let value = try askValue(.current, account: account, error: attempts.error, tries: attempts.remaining)
      if let format = formatRefusal(value, type) {
        guard attempts.left > 0 else { throw Ending(.wrongValue, text: format, log: "entry of another format") }
        attempts.error = format.text(in: language)
        continue
      }
      let isStorable = value.withBytes { PasscodeFormat.isStorable($0) }
      if isStorable, !attempts.isRepetition(value) {
        let slot = try takeSlot(in: directory)
        switch try check(value, account, type, policy, in: directory, slot) {
        case .verified(let unlocked): return unlocked
        case .wrong: attempts.note(value)
        case .locked(let time): throw try lockedEnding(time, value, slot)
        case .permanentlyLocked: throw try lockedEnding(nil, value, slot)
        }
      }
      let status = try lockStatus(account, type, caller.origin, policy)
      let text = PromptText.wrong(triesLeft: hidesState || status.isLocked ? nil : status.remainingTries)
      guard attempts.left > 0, hidesState || !status.isLocked else { throw wrongEnding(status, text) }
      attempts.error = text.text(in: language)
      attempts.remaining = hidesState ? nil : status.remainingTries
    }
  }

  private func check(
    _ value: borrowing Secret, _ account: AccountFile, _ type: AuthenticatorType, _ policy: LockPolicy,
    in directory: borrowing StateDirectory, _ slot: borrowing DerivationSlot
  ) throws(Ending) -> Verification {
    do throws(StateError) {
      return try account.verify(
        value, for: type, from: caller.origin, at: surroundings.now(), policy: policy, in: directory, holding: slot)
    } catch { throw Ending(error) }
  }

  /// An entry that the configured PIN format rules out is told so: it is not checked and not counted, and what is
  /// said comes from the configuration alone.
  private func formatRefusal(_ value: borrowing Secret, _ type: AuthenticatorType) -> PromptText? {
    let format = configuration.passcode.policy.uiType
    guard type == .passcode, let digits = format.digitCount else { return nil }
    return value.withBytes { format.accepts($0) } ? nil : .digitsExpected(digits)
  }

  /// A wrong entry's ending; one that locked says so too.
  private func wrongEnding(_ status: LockStatus, _ text: PromptText) -> Ending {
    var ending = Ending(.wrongValue, text: text, log: "wrong value")
    guard !hidesState, status.isLocked else { return ending }
    ending.text = status.isPermanent ? .lockedForGood : .locked(seconds: Self.seconds(status.remainingLock))
    ending.log += status.isPermanent ? "; now locked for good" : "; now locked"
    return ending
  }

  /// Refuses before anyone is asked, where the state may be seen.
  private func refuseLocked(
    _ account: AccountFile, _ type: AuthenticatorType, _ policy: LockPolicy
  ) throws(Ending) {
    let status = try lockStatus(account, type, caller.origin, policy)
    if status.isLocked { throw Self.lockedEnding(status.isPermanent ? nil : status.remainingLock) }
  }

  /// Where the state is hidden, a locked account takes as long as a wrong value.
  private func lockedEnding(
    _ time: Duration?, _ value: borrowing Secret, _ slot: borrowing DerivationSlot
  ) throws(Ending) -> Ending {
    if hidesState { try deriveInVain(value, slot) }
    return Self.lockedEnding(time)
  }

  private static func lockedEnding(_ time: Duration?) -> Ending {
    guard let time else { return Ending(.lockedForGood, text: .lockedForGood, log: "refused while locked for good") }
    let seconds = Self.seconds(time)
    return Ending(.locked, text: .locked(seconds: seconds), log: "refused while locked for another \(seconds) s")
  }

  /// Seconds as they are told: a lock that still stands never shows 0.
  static func seconds(_ time: Duration?) -> Int {
    let (seconds, attoseconds) = (time ?? .zero).components
    return Int(clamping: max(1, seconds + (attoseconds > 0 ? 1 : 0)))
  }

  func lockStatus(
    _ account: AccountFile, _ type: AuthenticatorType, _ origin: AttemptOrigin, _ policy: LockPolicy
  ) throws(Ending) -> LockStatus {
    do throws(StateError) {
      let ledger = try account.ledger(type)
      if ledger.refusesLooser(policy, for: origin) {
        log("policy", "\(FidoResult.lockOptionsIgnored): a looser lock policy waits while wrong entries stand")
      }
      return ledger.status(origin, at: surroundings.now(), policy: policy)
    } catch { throw Ending(error) }
  }

  /// Does what a wrong value would cost, for an account that has none: same prompt, same time, same end.
  func pretend() throws(Ending) -> Ending {
    let value = try askValue(.current, account: nil, error: nil, tries: nil)
    let directory = try openState()
    let slot = try takeSlot(in: directory)
    try deriveInVain(value, slot)
    return Ending(.wrongValue, text: .wrong(triesLeft: nil), log: "account unknown or not registered")
  }

  private func deriveInVain(_ value: borrowing Secret, _ slot: borrowing DerivationSlot) throws(Ending) {
    do throws(CryptoError) {
      let salt = [UInt8](repeating: 0, count: 16)
      _ = try Scrypt.derive(value: value, salt: salt, parameters: derivationCost, length: 32)
    } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// The cost of a key derivation by the configuration.
  var derivationCost: Scrypt.Parameters { Scrypt.Parameters(logN: configuration.state.kdfCost, r: 8, p: 2) }
}
