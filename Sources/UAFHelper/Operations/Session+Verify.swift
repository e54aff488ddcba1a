import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFCrypto
import UAFWire

extension Session {
  /// Asks for a value and checks it, as often as one call may.
  ///
  /// - Parameters:
  ///   - attempts: the entries of this call so far; leaving a prompt and coming back begins no new ones.
  ///   - canGoBack: whether an empty line leads back to a list.
  ///   - keepsValue: whether what follows has to compare with the value.
  /// - Returns: the authenticator, open; nil if the person went back.
  /// - Throws: ``Ending``: wrong, locked, cancelled, or the state failed. A wrong value is counted once, however
  ///   often it is entered in this call.
  func verify(
    _ account: AccountFile, _ type: AuthenticatorType, in directory: borrowing StateDirectory, attempts: Attempts,
    canGoBack: Bool = false, keepsValue: Bool = false
  ) throws(Ending) -> UnlockedAuthenticatorBox? {
    let policy = lockPolicy(type, uid: account.identity.uid, caller.origin)
    var question = Question(types: hidesState ? hiddenTypes : [type], user: shownName)
    if !hidesState {
      try refuseLocked(account, type, policy)
      question.tries = try standingTries(account, type, policy)
    }
    question.canGoBack = canGoBack
    var refusal: Ending?
    while true {
      guard let entry = try askValue(question) else { return nil }
      attempts.left -= 1
      if let format = formatRefusal(entry, type) {
        guard attempts.left > 0 else { throw Ending(.wrongValue, text: format, log: "entry of another format") }
        question.error = format.text(in: language)
        continue
      }
      if let value = type.entry.canonical(entry), !attempts.isRepetition(value) {
        let slot = try takeSlot(in: directory)
        switch try check(value, account, type, policy, in: directory, slot) {
        case .verified(let unlocked):
          let isStale = isStale(value, type)
          guard keepsValue else { return UnlockedAuthenticatorBox(unlocked, valueIsStale: isStale) }
          return UnlockedAuthenticatorBox(unlocked, valueIsStale: isStale, value: value)
        case .wrong(let lock):
          attempts.note(value)
          if let lock { tell(lock, of: type) }
        case .locked(let time): refusal = lockedEnding(type, time)
        case .permanentlyLocked: refusal = lockedEnding(type, nil)
        }
        if let refusal {
          guard hidesState else { throw refusal }
          try checkInVain(value, against: standIn(in: directory), in: directory, slot)
        }
      } else if hidesState {
        try checkInVain(entry, against: standIn(in: directory), in: directory, takeSlot(in: directory))
      }
      let status = try lockStatus(account, type, caller.origin, policy)
      let text = wrongText(type, status)
      guard attempts.left > 0, hidesState || !status.isLocked else {
        throw refusal ?? wrongEnding(type, status, text)
      }
      question.error = text.text(in: language)
      question.tries = hidesState ? nil : status.remainingTries
    }
  }

  /// Does what wrong values would cost, for an account that has none: same prompts, same time, same end.
  func pretend() throws(Ending) -> Ending {
    let wrong = PromptText.wrong(hiddenKind, triesLeft: nil)
    let directory = try openState()
    var question = Question(types: hiddenTypes, user: shownName)
    let isAnswered = takeVainText()
    if begin.isDivided {
      if !isAnswered { _ = try? vainNetwork?.finish() }
      guard try frontEnd.awaitResume() else { return cancelled("cancelled before the prompt") }
    }
    for _ in 0..<tries {
      // Before the prompt, where a registered account's file is opened.
      let standIn = try standIn(in: directory)
      guard let value = try askValue(question) else { break }
      try checkInVain(value, against: standIn, in: directory, takeSlot(in: directory))
      question.error = wrong.text(in: language)
    }
    return Ending(.wrongValue, text: wrong, log: "account unknown or not registered")
  }

  /// How often one call asks; a program that gives every prompt the same answer is asked once.
  var tries: Int {
    guard isInteractive else { return 1 }
    return arguments.tries ?? settings.prompt.tries ?? (caller.isTool ? Self.triesOfTool : 1)
  }

  /// uafctl's own: sudo, sshd and login ask again by themselves.
  private static let triesOfTool = 3

  /// What the prompt names where it must not show what the account has: the configuration decides alone.
  private var hiddenTypes: [AuthenticatorType] {
    if let named = try? namedType() { return [named] }
    // In the order of the list, whatever the order of the configuration.
    return AuthenticatorType.allCases.filter { enabledTypes.isEmpty || enabledTypes.contains($0) }
  }

  /// How texts name that.
  var hiddenKind: ValueKind { .oneOf(hiddenTypes.map(\.kind)) }

  private func wrongText(_ type: AuthenticatorType, _ status: LockStatus) -> PromptText {
    if hidesState { return .wrong(hiddenKind, triesLeft: nil) }
    return .wrong(type.kind, triesLeft: status.isLocked ? nil : status.remainingTries)
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

  /// What an entry of another format than the PIN's is told.
  ///
  /// It is not checked and not counted, and what is said comes from the configuration alone. Where states are hidden
  /// it is one more wrong entry.
  private func formatRefusal(_ value: borrowing Secret, _ type: AuthenticatorType) -> PromptText? {
    hidesState ? nil : configuration.rules(for: type).formRefusal(of: value)
  }

  /// A wrong entry's ending; one that locked says so too.
  private func wrongEnding(_ type: AuthenticatorType, _ status: LockStatus, _ text: PromptText) -> Ending {
    var ending = Ending(.wrongValue, text: text, log: "wrong value")
    ending.types = [type]
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
    if status.isLocked { throw lockedEnding(type, status.isPermanent ? nil : status.remainingLock) }
  }

  /// The tries that are left where wrong entries stand from an earlier call; nil where none does.
  private func standingTries(
    _ account: AccountFile, _ type: AuthenticatorType, _ policy: LockPolicy
  ) throws(Ending) -> Int? {
    do throws(StateError) {
      let now = surroundings.now()
      let ledger = try account.ledger(type, at: now)
      guard ledger.hasWrongEntries(caller.origin) else { return nil }
      return ledger.status(caller.origin, at: now, policy: policy).remainingTries
    } catch { throw Ending(error) }
  }

  private func lockedEnding(_ type: AuthenticatorType, _ time: Duration?) -> Ending {
    tellRefused(type, for: time)
    var ending = Ending(.lockedForGood, text: .lockedForGood, log: "refused while locked for good")
    if let time {
      let seconds = Self.seconds(time)
      ending = Ending(.locked, text: .locked(seconds: seconds), log: "refused while locked for another \(seconds) s")
    }
    ending.types = [type]
    return ending
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
      let ledger = try account.ledger(type, at: surroundings.now())
      if ledger.refusesLooser(policy, for: origin) { tellWaitingLockOptions(of: type) }
      return ledger.status(origin, at: surroundings.now(), policy: policy)
    } catch { throw Ending(error) }
  }

  /// What an entry is checked against where there is nothing to check: the type does not matter.
  private func standIn(in directory: borrowing StateDirectory) throws(Ending) -> AccountFile {
    do throws(StateError) { return try AccountFile.standIn(.passcode, cost: derivationCost, in: directory) } catch {
      throw Ending(.cannotUse, log: "\(error)")
    }
  }

  /// Does what checking a value costs, the count on the disk included, where there is nothing to check.
  private func checkInVain(
    _ value: borrowing Secret, against standIn: AccountFile, in directory: borrowing StateDirectory,
    _ slot: borrowing DerivationSlot
  ) throws(Ending) {
    slot.chargeInVain()
    do throws(StateError) {
      let outcome = try standIn.verify(
        value, for: .passcode, from: caller.origin, at: surroundings.now(), policy: .localDefault, in: directory,
        holding: slot)
      guard case .wrong = outcome else { throw .damaged }
    } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// The cost of a key derivation by the configuration.
  var derivationCost: Scrypt.Parameters { Scrypt.Parameters(logN: configuration.state.kdfCost, r: 8, p: 2) }
}
