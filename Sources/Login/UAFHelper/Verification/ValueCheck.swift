import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFConfiguration
import UAFWire

/// Prompts for a secret and verifies it, as often as one call allows.
///
/// ``askAndVerify(_:_:in:attempts:canGoBack:keepsValue:canTouch:)`` shows the prompts, `tryEntry` decides what follows an
/// entry, and `countAndVerify` counts the entry on disk and derives its key.
@safe final class ValueCheck {
  private let call: Call
  private let policy: CallPolicy
  private let prompter: Prompter
  private let accounts: AccountAccess
  private let queue: DerivationQueue
  private let dummy: DummyCheck
  private let locks: LockLog
  private let sensors: BiometricCheck
  private let rules: ValueRules
  private let now: () -> BootTime

  init(
    for call: Call, _ policy: CallPolicy, _ prompter: Prompter, _ accounts: AccountAccess, _ queue: DerivationQueue,
    _ dummy: DummyCheck, _ locks: LockLog, _ sensors: BiometricCheck, now: @escaping () -> BootTime
  ) {
    self.call = call
    self.policy = policy
    self.prompter = prompter
    self.accounts = accounts
    self.queue = queue
    self.dummy = dummy
    self.locks = locks
    self.sensors = sensors
    self.now = now
    rules = ValueRules(policy)
  }

  /// Prompts for a secret and verifies it, as often as one call allows.
  ///
  /// - Parameters:
  ///   - attempts: the entries of this call so far; they still count if the person goes back to the list and returns.
  ///   - canGoBack: whether an empty line leads back to the list.
  ///   - keepsValue: whether the secret must be kept, because a later step compares it with a new one.
  ///   - canTouch: whether the person may use a sensor instead.
  /// - Returns: the authenticator, open; nil if the person went back.
  /// - Throws: ``Ending``: if the secret was wrong or locked, the person cancelled, or the state failed. The same wrong secret
  ///   is counted only once, even if it is entered several times in this call.
  func askAndVerify(
    _ account: AccountFile, _ type: AuthenticatorType, in directory: borrowing StateDirectory, attempts: Attempts,
    canGoBack: Bool = false, keepsValue: Bool = false, canTouch: Bool = false
  ) throws(Ending) -> UnlockedAuthenticatorBox? {
    guard type.isTyped else { return try sensors.askAndVerify(account, type, in: directory) }
    let lock = accounts.lockPolicy(type, of: account)
    var question = try firstQuestion(account, type, lock)
    question.canGoBack = canGoBack
    if canTouch {
      let (watch, notice) = try sensors.watchBeside(account, in: directory)
      switch try touchOrAsk(question, watch) {
      case .matched(let watch): return try sensors.open(watch, account, in: directory)
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
  /// An entry that cannot be the secret because of its form is refused without being counted on disk.
  ///
  /// - Parameter question: the content of the prompt that was answered. It is changed to that of the next prompt.
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

  // MARK: Together with a sensor

  /// What came first: a touch or an entry.
  private enum First: ~Copyable {
    case matched(FingerWatch)
    case entered(Secret)
    /// Neither of them. The secret must be prompted for without the sensor; the payload is the reason, if there is one.
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
    // If the finger matched, text that was typed at the same time is ignored.
    if watch.outcome == .matched { return .matched(watch) }
    try watch.requireCounted()
    if let entry = entry.take(), entry.count > 0 { return .entered(entry) }
    return .nothing(why(watch))
  }

  /// Why the sensor no longer waits, as a text; nil if the person ended the wait, or nobody touched the sensor.
  private func why(_ watch: FingerWatch) -> String? {
    guard watch.outcome != .timedOut || prompter.showsTouches && policy.configuration.biometric.mode == .first else {
      return nil
    }
    return SensorObstacle(watch.type, watch.outcome)?.shown(in: policy.language)
  }

  /// The result of checking an entry.
  private enum EntryResult {
    case opened(UnlockedAuthenticatorBox)
    case wrong
    /// Refused because of a lock that the person must not learn of.
    case lockedInSecret(Ending)
  }

  /// Counts an entry on disk, and opens the authenticator with it.
  ///
  /// A secret that was already wrong in this call is neither counted nor checked again.
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
      // This counts the attempt on disk and derives the key. If the secret is correct, it clears the count again.
      verification = try account.verify(
        value, for: type, from: call.caller.origin, at: now(), policy: lock, in: directory, holding: slot,
        onceOpened: prompter.takeArrived)
    } catch {
      // If the chip did not open the account's share, and the person must not learn of that, the entry is reported as wrong. It
      // was counted, and took as long as a wrong entry.
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
      // The refusal took as long as a check: the chip did the work.
      let ending = lockedEnding(type, nil)
      guard policy.hidesState else { throw ending }
      return .lockedInSecret(ending)
    }
    guard policy.hidesState else { throw refusal }
    try dummy.work(value, against: dummy.standIn(in: directory), in: directory, slot)
    return .lockedInSecret(refusal)
  }

  /// The content of the first prompt.
  ///
  /// If the authenticator is locked and that need not be hidden, this refuses before a prompt is shown.
  private func firstQuestion(
    _ account: AccountFile, _ type: AuthenticatorType, _ lock: LockPolicy
  ) throws(Ending) -> Question {
    var question = Question(types: policy.hidesState ? policy.hiddenTypes : [type], user: call.shownName)
    guard !policy.hidesState else { return question }
    let status = try accounts.lockStatus(account, type, call.caller.origin, lock)
    if status.isLocked { throw lockedEnding(type, status.isPermanent ? nil : status.remainingLock) }
    question.tries = status.remainingTries
    // uafctl shows how many tries are left after wrong entries of earlier calls. A PAM host has already shown that at the wrong
    // entry.
    if call.caller.isTool, let left = try accounts.standingTries(account, type, lock) {
      question.error = PromptText.wrongBefore(triesLeft: left).text(in: policy.language)
    }
    return question
  }

  private func wrongText(_ type: AuthenticatorType, _ status: LockStatus) -> PromptText {
    if policy.hidesState { return .wrong(policy.hiddenKind, triesLeft: nil) }
    return .wrong(type.kind, triesLeft: status.isLocked ? nil : status.remainingTries)
  }

  /// The ending for a wrong entry; if the entry caused a lock, the ending states the lock.
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

/// The rules of root's configuration for secrets: which ones may be set, and which form an entry must have.
struct ValueRules {
  private let policy: CallPolicy

  init(_ policy: CallPolicy) { self.policy = policy }

  /// Whether the current rules would refuse a secret that was set earlier.
  func isStale(_ value: borrowing Secret, _ type: AuthenticatorType) -> Bool { objections(to: value, type) != nil }

  /// Why the rules refuse a new secret, one line for each rule; nil if they accept it.
  func objections(to value: borrowing Secret, _ type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).objections(to: value, in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// The requirements for a new secret, one line for each rule; nil if there are none.
  func requirements(of type: AuthenticatorType) -> String? {
    let lines = policy.configuration.rules(for: type).requirements(in: policy.language)
    return lines.isEmpty ? nil : Self.fitting(lines)
  }

  /// The text for an entry that cannot be the passcode because of its form; nil for any other entry.
  ///
  /// Such an entry is not checked and not counted. The text depends on the configuration only. With hidden registrations, the
  /// result is always nil, so that such an entry is treated like any wrong one.
  func formatRefusal(_ value: borrowing Secret, _ type: AuthenticatorType) -> PromptText? {
    policy.hidesState ? nil : policy.configuration.rules(for: type).formRefusal(of: value)
  }

  /// As many of the lines as fit into the prompt together with its other text.
  ///
  /// A prompt that is too long would end the conversation.
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

/// If there is no secret to check, takes as long as a real check, so that the duration does not show whether the account
/// exists.
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

  /// An account in memory against which an entry is checked.
  ///
  /// The type of its authenticator does not matter.
  ///
  /// - Throws: ``Ending``.
  func standIn(in directory: borrowing StateDirectory) throws(Ending) -> AccountFile {
    do throws(StateError) {
      return try AccountFile.standIn(.passcode, cost: policy.derivationCost, in: directory)
    } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// Waits for the right to derive a key, and then does the work of a check.
  ///
  /// - Throws: ``Ending``.
  func work(
    _ value: borrowing Secret, against standIn: AccountFile, in directory: borrowing StateDirectory
  ) throws(Ending) {
    try work(value, against: standIn, in: directory, queue.takeSlot(in: directory))
  }

  /// Does the work of a check, and of counting an attempt on the disk.
  ///
  /// - Throws: ``Ending``.
  func work(
    _ value: borrowing Secret, against standIn: AccountFile, in directory: borrowing StateDirectory,
    _ slot: borrowing DerivationSlot
  ) throws(Ending) {
    slot.chargeInVain()
    do throws(StateError) {
      // The attempt is counted for the account in memory, so it counts for nobody.
      let outcome = try standIn.verify(
        value, for: .passcode, from: call.caller.origin, at: now(), policy: .localDefault, in: directory,
        holding: slot)
      guard case .wrong = outcome else { throw .damaged }
    } catch { throw Ending(.cannotUse, log: "\(error)") }
  }
}
