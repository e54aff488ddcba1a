import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Asks for a value and verifies it, as often as one call allows.
///
/// ``askAndVerify(_:_:in:attempts:canGoBack:keepsValue:canTouch:)`` asks, `tryEntry` decides what follows one entry, and
/// `countAndVerify` counts the entry on disk and derives its key.
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

  /// Asks for a value and verifies it, as often as one call allows.
  ///
  /// - Parameters:
  ///   - attempts: the entries of this call so far; they still count if a person leaves a prompt and comes back.
  ///   - canGoBack: whether an empty line leads back to a list.
  ///   - keepsValue: whether a later step must compare with the value.
  ///   - canTouch: whether the account's fingerprint may be verified instead.
  /// - Returns: the authenticator, open; nil if the person went back.
  /// - Throws: ``Ending``: wrong, locked, cancelled, or the state failed. A wrong value is counted once, however
  ///   often it is entered in this call.
  func askAndVerify(
    _ account: AccountFile, _ type: AuthenticatorType, in directory: borrowing StateDirectory, attempts: Attempts,
    canGoBack: Bool = false, keepsValue: Bool = false, canTouch: Bool = false
  ) throws(Ending) -> UnlockedAuthenticatorBox? {
    guard type.isTyped else { return try finger.askAndVerify(account, in: directory) }
    let lock = accounts.lockPolicy(type, of: account)
    var question = try firstQuestion(account, type, lock)
    question.canGoBack = canGoBack
    if canTouch {
      let (watch, notice) = try finger.watchBeside(account, in: directory)
      switch try touchOrAsk(question, watch) {
      case .matched(let watch): return try finger.open(watch, account, in: directory)
      case .entered(let entry):
        let opened = try tryEntry(
          entry, &question, account, type, lock, in: directory, attempts, keepsValue: keepsValue)
        if let opened { return opened }
      case .nothing(let why): question.error = why ?? notice ?? question.error
      }
    }
    while true {
      guard let entry = try prompter.askValue(question) else { return nil }
      let opened = try tryEntry(
        entry, &question, account, type, lock, in: directory, attempts, keepsValue: keepsValue)
      if let opened { return opened }
    }
  }

  /// Tries one entry.
  ///
  /// An entry that cannot be the value because of its form is refused without being counted on disk.
  ///
  /// - Parameter question: the question that was answered; afterwards, the next one.
  /// - Returns: the authenticator, open; nil if another entry may follow.
  /// - Throws: ``Ending`` if no further entry may follow.
  private func tryEntry(
    _ entry: borrowing Secret, _ question: inout Question, _ account: AccountFile, _ type: AuthenticatorType,
    _ lock: LockPolicy, in directory: borrowing StateDirectory, _ attempts: Attempts, keepsValue: Bool
  ) throws(Ending) -> UnlockedAuthenticatorBox? {
    attempts.use()
    if let format = rules.formatRefusal(entry, type) {
      guard attempts.left > 0 else { throw Ending(.wrongValue, text: format, log: "the entry has a different format") }
      question.error = format.text(in: policy.language)
      return nil
    }
    var refusal: Ending?
    switch try countAndVerify(entry, account, type, lock, in: directory, attempts, keepsValue: keepsValue) {
    case .opened(let unlocked): return unlocked
    case .lockedInSecret(let ending): refusal = ending
    case .wrong: break
    }
    let status = try accounts.lockStatus(account, type, call.caller.origin, lock)
    let text = wrongText(type, status)
    guard attempts.left > 0, policy.hidesState || !status.isLocked else {
      throw refusal ?? wrongEnding(type, status, text)
    }
    question.error = text.text(in: policy.language)
    question.tries = policy.hidesState ? nil : status.remainingTries
    return nil
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

  /// What came of an entry that has the form of a value.
  private enum EntryResult {
    case opened(UnlockedAuthenticatorBox)
    case wrong
    /// Refused without saying so, because of a lock that the person must not see.
    case lockedInSecret(Ending)
  }

  /// Counts an entry on disk, and opens the authenticator with it.
  ///
  /// A value that was wrong before in this call is neither counted nor tried again.
  private func countAndVerify(
    _ entry: borrowing Secret, _ account: AccountFile, _ type: AuthenticatorType, _ lock: LockPolicy,
    in directory: borrowing StateDirectory, _ attempts: Attempts, keepsValue: Bool
  ) throws(Ending) -> EntryResult {
    guard let value = type.entry.canonical(entry), !attempts.isRepetition(value) else {
      if policy.hidesState { try dummy.work(entry, against: dummy.standIn(in: directory), in: directory) }
      return .wrong
    }
    let slot = try queue.takeSlot(in: directory)
    let verification: Verification
    do throws(StateError) {
      // This charges the attempt on disk, derives the key, and settles the attempt after a correct value.
      verification = try account.verify(
        value, for: type, from: call.caller.origin, at: now(), policy: lock, in: directory, holding: slot,
        onceOpened: prompter.takeArrived)
    } catch {
      // If the chip did not open the account's share, and the person must not see that, the entry is wrong: it was counted, and
      // the chip was asked.
      guard !accounts.hides(error) else { return .wrong }
      throw accounts.ending(for: error)
    }
    let refusal: Ending
    switch consume verification {
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
      return .lockedInSecret(ending)
    }
    guard policy.hidesState else { throw refusal }
    try dummy.work(value, against: dummy.standIn(in: directory), in: directory, slot)
    return .lockedInSecret(refusal)
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

/// What root's configuration says about values: which values may be set, and which form an entry must have.
struct ValueRules {
  private let policy: CallPolicy

  init(_ policy: CallPolicy) { self.policy = policy }

  /// Whether the current rules would refuse a value that was set earlier.
  func isStale(_ value: borrowing Secret, _ type: AuthenticatorType) -> Bool { objections(to: value, type) != nil }

  /// Why the rules refuse a new value, one line for each rule; nil if they accept it.
  func objections(to value: borrowing Secret, _ type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).objections(to: value, in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// The requirements for a new value, one line for each rule; nil if there are none.
  func requirements(of type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).requirements(in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// The text for an entry that cannot be the PIN because of its form; nil for any other.
  ///
  /// Such an entry is not checked and not counted. The text depends on the configuration only. If states are hidden, the entry
  /// is treated as wrong.
  func formatRefusal(_ value: borrowing Secret, _ type: AuthenticatorType) -> PromptText? {
    policy.hidesState ? nil : policy.configuration.rules(for: type).formRefusal(of: value)
  }

  /// As many of the lines as fit into the prompt with the question: a prompt that is too long would end the conversation.
  private static func fitting(_ lines: [String]) -> String {
    var text = ""
    for line in lines {
      let longer = text.isEmpty ? line : "\(text)\n\(line)"
      guard longer.utf8.count <= WireLimit.text / 2 else { break }
      text = longer
    }
    return text
  }
}

/// Takes as long as a real check if there is no value to check, so that the time does not show whether the account exists.
struct DummyCheck {
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

  /// Waits for the right to derive a key, and then does the work.
  ///
  /// - Throws: ``Ending``.
  func work(
    _ value: borrowing Secret, against standIn: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) {
    try work(value, against: standIn, in: directory, queue.takeSlot(in: directory))
  }

  /// Does the work of a check and of counting it on the disk.
  ///
  /// - Throws: ``Ending``.
  func work(
    _ value: borrowing Secret, against standIn: AccountFile, in directory: borrowing StateDirectory,
    _ slot: borrowing DerivationSlot
  ) throws(Ending) {
    slot.chargeInVain()
    do throws(StateError) {
      // This charges the account in memory, which counts for nobody.
      let outcome = try standIn.verify(
        value, for: .passcode, from: call.caller.origin, at: now(), policy: .localDefault, in: directory,
        holding: slot)
      guard case .wrong = outcome else { throw .damaged }
    } catch { throw Ending(.cannotUse, log: "\(error)") }
  }
}
