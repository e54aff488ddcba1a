import ProgramTesting
import Testing

@testable import Authenticator
import AuthenticatorTypes

/// What is compared with the model: the ledger by itself, or a ledger in an account's file.
protocol LockSubject {
  mutating func charge(_ origin: AttemptOrigin, at now: BootTime, policy: LockPolicy) throws -> ChargeOutcome
  mutating func settle(_ ticket: UInt64) throws
  mutating func unlock() throws
  /// Brings the ledger up to `now`, as every check does, and returns it.
  mutating func look(at now: BootTime) throws -> AttemptLedger
  /// The ledger, unchanged.
  func peek() throws -> AttemptLedger
}

extension AttemptLedger: LockSubject {
  mutating func look(at now: BootTime) -> AttemptLedger {
    pass(to: now)
    return self
  }

  func peek() -> AttemptLedger { self }
}

/// A random sequence of everything that can happen to a lock, applied to the model and to a subject.
struct LockStory<Subject: LockSubject> {
  /// How often each event occurred, so that a test can show that its sequences reach all of them.
  struct Tally {
    var counted = 0
    var locked = 0
    var lockedForGood = 0
    var keptStricter = 0
    var lateRight = 0
    var refusedRight = 0
    var afterReboot = 0
    /// Locks that came with the tenth wrong entry in a row, and permanent locks after ten temporary ones.
    var afterTenTries = 0
    var forGoodAfterTenLocks = 0
    var longestLock = 0
  }

  var subject: Subject
  private var model = LockModel()
  private var generator: SplitMix
  private var boot: UInt8 = 1
  private var uptime = 0
  private var rules: [LockModel.Rules]
  /// Entries that were right but are not settled yet: their numbers in the model and in the ledger.
  private var pending: [(model: Int, ticket: UInt64)] = []
  private(set) var tally = Tally()
  /// The events so far, in words.
  private var past: [String] = []
  private let isTold: Bool
  /// Whether right entries and new rules are rare, so that wrong entries and locks add up to the highest limits.
  private let isStubborn: Bool

  init(_ subject: Subject, seed: UInt64, isStubborn: Bool = false, isTold: Bool = true) {
    self.subject = subject
    self.isTold = isTold
    generator = SplitMix(state: seed)
    self.isStubborn = isStubborn
    rules = []
    for origin in LockModel.Origin.allCases { rules.append(randomRules(origin)) }
  }

  /// Runs this many random steps.
  ///
  /// - Returns: the first difference, with the events that led to it; nil if there was none.
  mutating func run(_ steps: Int) throws -> String? {
    for _ in 0..<steps {
      if let difference = try step() ?? compare() { return "\(difference) after \(past)" }
    }
    return nil
  }

  private var now: BootTime {
    BootTime(bootID: [boot], nanoseconds: Int64(uptime) * 1_000_000_000, wallSeconds: 0)
  }

  private mutating func step() throws -> String? {
    var kind = Int.random(in: 0..<100, using: &generator)
    if isStubborn, Int.random(in: 0..<50, using: &generator) != 0 {
      // Makes a right entry a wrong one, and replaces a change of rules or an unlock by root with a wait.
      kind = (35..<69).contains(kind) ? 0 : (89..<96).contains(kind) ? 80 : kind
    }
    switch kind {
    case ..<35: return try enter("wrong")
    case ..<45: return try enter("right")
    case ..<57: return try enter("pending")
    case ..<69: try settlePending()
    case ..<72: if isTold { past.append("cancelled") }
    case ..<86: pass()
    case ..<89: reboot()
    case ..<94: changeRules()
    case ..<96:
      if isTold { past.append("unlock") }
      model.unlock()
      try subject.unlock()
    default:
      if isTold { past.append("look") }
      model.look()
      _ = try subject.look(at: now)
    }
    return nil
  }

  private mutating func enter(_ kind: String) throws -> String? {
    let origin = randomOrigin()
    if isTold { past.append("\(origin): \(kind)") }
    let expected = model.enter(origin, rules[origin.rawValue])
    let outcome = try subject.charge(Self.names[origin.rawValue], at: now, policy: Self.policy(rules[origin.rawValue]))
    switch (outcome, expected.answer) {
    case (.charged(let ticket), .free):
      guard let number = expected.number else { return "\(outcome)" }
      tally.counted += 1
      if kind == "pending" { pending.append((number, ticket)) }
      tallyLimits(origin)
      if kind == "right" { try settle((number, ticket)) }
    case (.locked(let time), .locked(let seconds)) where time == .seconds(seconds):
      tally.locked += 1
      tally.refusedRight += kind == "right" ? 1 : 0
      tally.afterReboot += boot > 1 ? 1 : 0
    case (.permanentlyLocked, .lockedForGood): tally.lockedForGood += 1
    default: return "\(outcome) instead of \(expected.answer)"
    }
    return nil
  }

  /// Counts the entry that was just made, if it was the last one that the highest limits allow.
  private mutating func tallyLimits(_ origin: LockModel.Origin) {
    let effective = model.effectiveRules(origin, rules[origin.rawValue])
    switch model.ask(origin, rules[origin.rawValue]) {
    case .free: break
    case .locked(let seconds):
      tally.longestLock = max(tally.longestLock, seconds)
      tally.afterTenTries += effective.tries == 10 ? 1 : 0
    case .lockedForGood: tally.forGoodAfterTenLocks += effective.locks == 10 ? 1 : 0
    }
  }

  private mutating func settlePending() throws {
    guard let index = pending.indices.randomElement(using: &generator) else { return }
    if isTold { past.append("right after all: \(pending[index].model)") }
    tally.lateRight += 1
    try settle(pending.remove(at: index))
  }

  private mutating func settle(_ entry: (model: Int, ticket: UInt64)) throws {
    model.wasRight(entry.model)
    try subject.settle(entry.ticket)
  }

  private mutating func pass() {
    var times = [1, 29, 30, 59, 60, 61, 120, 600, 5000, 86_399, 86_400]
    // Waits until exactly the end of a lock, or a second before or after it.
    for origin in [LockModel.Origin.afar, .another] {
      guard case .locked(let left) = model.ask(origin, rules[origin.rawValue]) else { continue }
      times += [left - 1, left, left, left, left + 1]
    }
    let seconds = times.randomElement(using: &generator) ?? 1
    if isTold { past.append("\(seconds) s") }
    uptime += seconds
    model.pass(seconds)
  }

  /// No conversation survives a reboot.
  private mutating func reboot() {
    if isTold { past.append("reboot") }
    (boot, uptime) = (boot &+ 1, 0)
    pending = []
    model.reboot()
  }

  private mutating func changeRules() {
    let origin = randomOrigin()
    rules[origin.rawValue] = randomRules(origin)
    if isTold { past.append("\(rules)") }
  }

  private mutating func randomRules(_ origin: LockModel.Origin) -> LockModel.Rules {
    // Draws from everything that root can configure, but half of the time only small numbers, so that short sequences reach the
    // limits too.
    let isWide = Bool.random(using: &generator)
    let seconds = Int.random(in: isWide ? 30...86_400 : 30...90, using: &generator)
    return LockModel.Rules(
      tries: Int.random(in: isWide ? 1...10 : 1...3, using: &generator),
      seconds: [30, 60, 90, seconds, isWide ? 86_400 : 30].randomElement(using: &generator) ?? 30,
      // Locks that never become permanent are usual for root's own account, for remote attempts and for those of other users.
      locks: Int.random(in: 0...5, using: &generator) == 0 || origin == .another
        || origin == .afar && Bool.random(using: &generator)
        ? nil : Int.random(in: isWide ? 0...10 : 0...3, using: &generator),
      doublesTo: origin == .here ? nil : 86_400)
  }

  private mutating func randomOrigin() -> LockModel.Origin {
    LockModel.Origin.allCases.randomElement(using: &generator) ?? .here
  }

  /// The ledger's names, in the order of the model's names.
  private static var names: [AttemptOrigin] { [.local, .remote, .otherUser] }

  private static func policy(_ rules: LockModel.Rules) -> LockPolicy {
    LockPolicy(
      retryCountToLock: rules.tries, lockTime: .seconds(rules.seconds), maxLockCount: rules.locks,
      doublesUpTo: rules.doublesTo.map { .seconds($0) })
  }

  /// Compares what the model and the subject report now for every origin.
  private mutating func compare() throws -> String? {
    let ledger = try subject.peek()
    for from in LockModel.Origin.allCases {
      let (configured, origin) = (rules[from.rawValue], Self.names[from.rawValue])
      let policy = Self.policy(configured)
      let expected = model.ask(from, configured)
      let status = ledger.status(origin, at: now, policy: policy)
      guard status == Self.status(expected) else { return "\(origin): \(status) instead of \(expected)" }
      let keepsStricter = model.keepsStricter(from, configured)
      guard ledger.refusesLooser(policy, for: origin) == keepsStricter else {
        return "\(origin): a looser policy \(keepsStricter ? "taken" : "refused")"
      }
      tally.keptStricter += keepsStricter ? 1 : 0
    }
    return nil
  }

  private static func status(_ answer: LockModel.Answer) -> LockStatus {
    switch answer {
    case .free(let tries): LockStatus(isPermanent: false, remainingLock: nil, remainingTries: tries)
    case .locked(let seconds):
      LockStatus(isPermanent: false, remainingLock: .seconds(seconds), remainingTries: 0)
    case .lockedForGood: LockStatus(isPermanent: true, remainingLock: nil, remainingTries: 0)
    }
  }
}
