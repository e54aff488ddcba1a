/// The attempts on one authenticator of one account: counters, locks, and the tickets that order them.
///
/// A value without input or output: the account's file keeps it, inside one write transaction for
/// each call. An attempt is counted before its secret is checked (`charge`). Only a correct secret clears counts
/// (`settle`), by ticket. So of a hundred simultaneous conversations exactly the allowed number is checked, and a late
/// correct entry clears no attempt that came after it.
///
/// A local lock stops every attempt. A lock of any other origin stops only attempts of that origin. Otherwise anyone
/// who can reach the host, or has an account on it, could lock people out at the machine itself.
public struct AttemptLedger: Equatable, Sendable {
  var lastTicket: UInt64 = 0
  private var counters = [AttemptCounter](repeating: AttemptCounter(), count: AttemptOrigin.allCases.count)

  /// No attempts yet.
  public init() {}

  /// The attempts of one origin.
  subscript(origin: AttemptOrigin) -> AttemptCounter {
    get { counters[Int(origin.rawValue) - 1] }
    set { counters[Int(origin.rawValue) - 1] = newValue }
  }

  /// Notes what time has done to every lock.
  public mutating func pass(to now: BootTime) {
    for origin in AttemptOrigin.allCases { self[origin].pass(to: now) }
  }

  /// Counts one attempt, unless locked.
  public mutating func charge(
    _ origin: AttemptOrigin, at now: BootTime, policy configured: LockPolicy
  ) -> ChargeOutcome {
    pass(to: now)
    if let refusal = refusal(origin, at: now) { return refusal }
    let ticket = lastTicket &+ 1
    guard ticket > 0, ticket >> UInt64(AttemptTicket.bits) == 0 else { return .permanentlyLocked }
    lastTicket = ticket
    self[origin].charge(ticket: ticket, at: now, configured: configured)
    return .charged(ticket: ticket)
  }

  /// Clears the attempts up to this ticket after a correct entry, and the locks that they caused, for every origin.
  public mutating func settle(_ ticket: UInt64) {
    for origin in AttemptOrigin.allCases { self[origin].settle(ticket) }
  }

  /// Ends every lock and clears every attempt; only for an administrator.
  ///
  /// The ticket is kept, so that an attempt under way settles nothing that came later.
  public mutating func unlock() {
    for origin in AttemptOrigin.allCases { self[origin] = AttemptCounter() }
  }

  /// Whether this origin has no counted attempt and no lock, past or present.
  public func isClear(_ origin: AttemptOrigin) -> Bool { self[origin].isClear }

  /// Whether there are wrong entries that count towards the next lock, not those before the last lock.
  public func hasWrongEntries(_ origin: AttemptOrigin) -> Bool {
    self[origin].lock == nil && !self[origin].charges.isEmpty
  }

  /// How attempts of this origin stand.
  public func status(_ origin: AttemptOrigin, at now: BootTime, policy configured: LockPolicy) -> LockStatus {
    let counter = self[origin]
    let limit = counter.effectivePolicy(configured: configured).retryCountToLock
    switch refusal(origin, at: now) {
    case .locked(let left): return LockStatus(isPermanent: false, remainingLock: left, remainingTries: 0)
    case .permanentlyLocked: return LockStatus(isPermanent: true, remainingLock: nil, remainingTries: 0)
    case .charged, nil:
      // A lock that has ended, but is still stored, set the count to zero.
      let used = counter.lock == nil ? counter.charges.count : 0
      // A limit lowered below the count locks with the next wrong entry, never before.
      return LockStatus(isPermanent: false, remainingLock: nil, remainingTries: max(1, limit - used))
    }
  }

  /// The lock that the charge with this ticket caused, if it still exists.
  func lock(broughtAboutBy ticket: UInt64) -> NewLock? {
    switch counters.compactMap(\.lock).first(where: { $0.ticket == ticket })?.length {
    case .permanent: .permanent
    case .temporary(let nanoseconds): .temporary(.nanoseconds(nanoseconds))
    case nil: nil
    }
  }

  /// The origins whose lock has ended, but is still stored.
  func endedLocks(at now: BootTime) -> [AttemptOrigin] {
    var passed = self
    passed.pass(to: now)
    return AttemptOrigin.allCases.filter { self[$0].lock != nil && passed[$0].lock == nil }
  }

  /// Whether attempts keep a looser policy from taking effect (result 3015).
  public func refusesLooser(_ configured: LockPolicy, for origin: AttemptOrigin) -> Bool {
    self[origin].effectivePolicy(configured: configured) != configured
  }

  private func refusal(_ origin: AttemptOrigin, at now: BootTime) -> ChargeOutcome? {
    let locks = origin == .local ? [self[.local].lock] : [self[.local].lock, self[origin].lock]
    let remaining = locks.compactMap { $0?.remaining(at: now) }
    if remaining.contains(.forever) { return .permanentlyLocked }
    let longest = remaining.map { if case .time(let time) = $0 { time } else { Int64(0) } }.max()
    return longest.map { .locked(.nanoseconds($0)) }
  }
}
