import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration

/// Asks for a value and checks it, as often as one call allows.
@safe final class ValueCheck {
  private let call: Call
  private let policy: CallPolicy
  private let prompter: Prompter
  private let accounts: AccountAccess
  private let queue: DerivationQueue
  private let dummy: DummyCheck
  private let locks: LockLog
  private let finger: FingerprintCheck
  private let rules: ValueRules
  private let now: () -> BootTime

  init(
    for call: Call, _ policy: CallPolicy, _ prompter: Prompter, _ accounts: AccountAccess, _ queue: DerivationQueue,
    _ dummy: DummyCheck, _ locks: LockLog, _ finger: FingerprintCheck, now: @escaping () -> BootTime
  ) {
    self.call = call
    self.policy = policy
    self.prompter = prompter
    self.accounts = accounts
    self.queue = queue
    self.dummy = dummy
    self.locks = locks
    self.finger = finger
    self.now = now
    rules = ValueRules(policy)
  }

  /// Asks for a value and checks it, as often as one call allows.
  ///
  /// - Parameters:
  ///   - attempts: the entries of this call so far; they still count if a person leaves a prompt and comes back.
  ///   - canGoBack: whether an empty line leads back to a list.
  ///   - keepsValue: whether a later step must compare with the value.
  ///   - canTouch: whether the account's fingerprint may be verified instead.
  /// - Returns: the authenticator, open; nil if the person went back.
  /// - Throws: ``Ending``: wrong, locked, cancelled, or the state failed. A wrong value is counted once, however
  ///   often it is entered in this call.
  func verify(
    _ account: AccountFile, _ type: AuthenticatorType, in directory: borrowing StateDirectory, attempts: Attempts,
    canGoBack: Bool = false, keepsValue: Bool = false, canTouch: Bool = false
  ) throws(Ending) -> UnlockedAuthenticatorBox? {
    guard type.isTyped else { return try finger.verify(account, in: directory) }
    let lock = accounts.lockPolicy(type, of: account)
    var question = try firstQuestion(account, type, lock)
    question.canGoBack = canGoBack
    if canTouch {
      let (watch, notice) = try finger.watchBeside(account, in: directory)
      switch try touchOrAsk(question, watch) {
      case .matched(let watch): return try finger.open(watch, account, in: directory)
      case .entered(let entry):
        let outcome = try check(entry, question, account, type, lock, in: directory, attempts, keepsValue: keepsValue)
        switch outcome {
        case .opened(let unlocked): return unlocked
        case .again(let next): question = next
        }
      case .nothing(let why): question.error = why ?? notice ?? question.error
      }
    }
    while true {
      guard let entry = try prompter.askValue(question) else { return nil }
      switch try check(entry, question, account, type, lock, in: directory, attempts, keepsValue: keepsValue) {
      case .opened(let unlocked): return unlocked
      case .again(let next): question = next
      }
    }
  }

  /// The consequence of one entry.
  private enum Checked {
    case opened(UnlockedAuthenticatorBox)
    case again(Question)
  }

  /// Checks one entry.
  ///
  /// - Returns: the authenticator, or the next question.
  /// - Throws: ``Ending`` if no further entry may follow.
  private func check(
    _ entry: borrowing Secret, _ question: Question, _ account: AccountFile, _ type: AuthenticatorType,
    _ lock: LockPolicy, in directory: borrowing StateDirectory, _ attempts: Attempts, keepsValue: Bool
  ) throws(Ending) -> Checked {
    var question = question
    attempts.use()
    if let format = rules.formatRefusal(entry, type) {
      guard attempts.left > 0 else { throw Ending(.wrongValue, text: format, log: "the entry has a different format") }
      question.error = format.text(in: policy.language)
      return .again(question)
    }
    var refusal: Ending?
    switch try judge(entry, account, type, lock, in: directory, attempts, keepsValue: keepsValue) {
    case .opened(let unlocked): return .opened(unlocked)
    case .refused(let ending): refusal = ending
    case .wrong: break
    }
    let status = try accounts.lockStatus(account, type, call.caller.origin, lock)
    let text = wrongText(type, status)
    guard attempts.left > 0, policy.hidesState || !status.isLocked else {
      throw refusal ?? wrongEnding(type, status, text)
    }
    question.error = text.text(in: policy.language)
    question.tries = policy.hidesState ? nil : status.remainingTries
    return .again(question)
  }

  // MARK: Beside a sensor

  /// The first of a touch and an entry.
  private enum First: ~Copyable {
    case matched(FingerWatch)
    case entered(Secret)
    /// Neither: the value must be asked for without the sensor; with the reason, if there is one.
    case nothing(String?)
  }

  /// Waits for a touch or an entry, whichever comes first.
  private func touchOrAsk(_ question: Question, _ watch: FingerWatch?) throws(Ending) -> First {
    guard let watch else { return .nothing(nil) }
    defer { watch.stop() }
    var entry: Secret?
    if policy.configuration.biometric.mode == .first, prompter.showsTouches {
      try prompter.awaitTouch(watch)
    } else {
      entry = try prompter.askValue(question, beside: watch)
    }
    // Text that was typed after a match is ignored.
    if watch.outcome == .matched { return .matched(watch) }
    try watch.requireCounted()
    if let entry = entry.take(), entry.count > 0 { return .entered(entry) }
    return .nothing(why(watch))
  }

  /// Why the sensor no longer waits; nil if the person ended the wait, or nobody touched the sensor.
  private func why(_ watch: FingerWatch) -> String? {
    guard watch.outcome != .timedOut || prompter.showsTouches && policy.configuration.biometric.mode == .first else {
      return nil
    }
    return FingerObstacle(watch.outcome)?.result.text(in: policy.language)
  }

  /// The outcome of one entry.
  private enum Judgement {
    case opened(UnlockedAuthenticatorBox)
    case wrong
    /// Not checked, because of a lock that the person must not see.
    case refused(Ending)
  }

  /// Checks one entry, and counts it.
  private func judge(
    _ entry: borrowing Secret, _ account: AccountFile, _ type: AuthenticatorType, _ lock: LockPolicy,
    in directory: borrowing StateDirectory, _ attempts: Attempts, keepsValue: Bool
  ) throws(Ending) -> Judgement {
    guard let value = type.entry.canonical(entry), !attempts.isRepetition(value) else {
      if policy.hidesState { try dummy.check(entry, against: dummy.standIn(in: directory), in: directory) }
      return .wrong
    }
    let slot = try queue.takeSlot(in: directory)
    let refusal: Ending
    guard let outcome = try check(value, account, type, lock, in: directory, slot) else { return .wrong }
    switch consume outcome {
    case .verified(let unlocked):
      let isStale = rules.isStale(value, type)
      guard keepsValue else { return .opened(UnlockedAuthenticatorBox(unlocked, valueIsStale: isStale)) }
      return .opened(UnlockedAuthenticatorBox(unlocked, valueIsStale: isStale, value: value))
    case .wrong(let lock):
      attempts.note(value)
      if let lock { locks.made(lock, of: type, account.identity) }
      return .wrong
    case .locked(let time): refusal = lockedEnding(type, time)
    case .permanentlyLocked: refusal = lockedEnding(type, nil)
    case .exhausted:
      // It has already taken as long as a check.
      let ending = lockedEnding(type, nil)
      guard policy.hidesState else { throw ending }
      return .refused(ending)
    }
    guard policy.hidesState else { throw refusal }
    try dummy.check(value, against: dummy.standIn(in: directory), in: directory, slot)
    return .refused(refusal)
  }

  /// The first question.
  ///
  /// If the state may be seen, a lock refuses before anybody is asked.
  private func firstQuestion(
    _ account: AccountFile, _ type: AuthenticatorType, _ lock: LockPolicy
  ) throws(Ending) -> Question {
    var question = Question(types: policy.hidesState ? policy.hiddenTypes : [type], user: call.shownName)
    guard !policy.hidesState else { return question }
    let status = try accounts.lockStatus(account, type, call.caller.origin, lock)
    if status.isLocked { throw lockedEnding(type, status.isPermanent ? nil : status.remainingLock) }
    question.tries = status.remainingTries
    // A PAM host has already shown the number with the wrong entry; with uafctl, that entry was made in a different process.
    if call.caller.isTool, let left = try accounts.standingTries(account, type, lock) {
      question.error = PromptText.wrongBefore(triesLeft: left).text(in: policy.language)
    }
    return question
  }

  /// - Returns: nil if the chip did not open the account's share, and the person must not see that.
  private func check(
    _ value: borrowing Secret, _ account: AccountFile, _ type: AuthenticatorType, _ lock: LockPolicy,
    in directory: borrowing StateDirectory, _ slot: borrowing DerivationSlot
  ) throws(Ending) -> Verification? {
    do throws(StateError) {
      return try account.verify(
        value, for: type, from: call.caller.origin, at: now(), policy: lock, in: directory, holding: slot,
        onceOpened: prompter.takeArrived)
    } catch {
      // Like a wrong value, it was counted and the chip was asked.
      guard !accounts.hides(error) else { return nil }
      throw accounts.ending(for: error)
    }
  }

  private func wrongText(_ type: AuthenticatorType, _ status: LockStatus) -> PromptText {
    if policy.hidesState { return .wrong(policy.hiddenKind, triesLeft: nil) }
    return .wrong(type.kind, triesLeft: status.isLocked ? nil : status.remainingTries)
  }

  /// The ending for a wrong entry; for an entry that caused a lock, it is the ending of the lock.
  private func wrongEnding(_ type: AuthenticatorType, _ status: LockStatus, _ text: PromptText) -> Ending {
    guard !policy.hidesState, status.isLocked else {
      return Ending(.wrongValue, text: text, log: "wrong value", types: [type])
    }
    let isForGood = status.isPermanent
    return Ending(
      isForGood ? .lockedForGood : .locked,
      text: isForGood ? .lockedForGood : .locked(seconds: (status.remainingLock ?? .zero).secondsTold),
      log: "wrong value; " + (isForGood ? "now locked permanently" : "now locked"), types: [type])
  }

  private func lockedEnding(_ type: AuthenticatorType, _ time: Duration?) -> Ending {
    locks.refused(type, for: time)
    guard let seconds = time?.secondsTold else {
      return Ending(.lockedForGood, text: .lockedForGood, log: "refused while locked permanently", types: [type])
    }
    return Ending(
      .locked, text: .locked(seconds: seconds), log: "refused while locked for another \(seconds) s", types: [type])
  }
}
