/// The attempts on one authenticator of one account: counters, locks, and the tickets that order them.
///
/// A value without input or output: the account's file keeps it, inside one write transaction for
/// each call. An attempt is counted before its value is checked (`charge`), and only a value that was
/// right takes counts back (`settle`), by ticket, so that of a hundred conversations at once exactly
/// the allowed number reaches the check, and a late right value forgives no attempt made after it.
///
/// A local lock stops every attempt. A lock of any other origin stops attempts of that origin only, or anyone who can
/// reach the host, or has an account on it, could lock everybody out of the machine in front of them.
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

  /// Clears the attempts up to this ticket after a correct entry, and the locks they brought about, for every origin.
  public mutating func settle(_ ticket: UInt64) {
    for origin in AttemptOrigin.allCases { self[origin].settle(ticket) }
  }

  /// Lifts every lock and forgets every attempt: an administrator's doing.
  ///
  /// Tickets go on, so that an attempt under way settles nothing it did not see.
  public mutating func unlock() {
    for origin in AttemptOrigin.allCases { self[origin] = AttemptCounter() }
  }

  /// Whether nothing is counted of this origin, and no lock of it stands or is remembered.
  public func isClear(_ origin: AttemptOrigin) -> Bool { self[origin].isClear }

  /// Whether wrong entries stand that the next lock will count; those that a lock has ended do not.
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
      // A lock that is over but still written down ended its row.
      let used = counter.lock == nil ? counter.charges.count : 0
      // A limit that was lowered below what is counted locks with the next wrong entry, never before it.
      return LockStatus(isPermanent: false, remainingLock: nil, remainingTries: max(1, limit - used))
    }
  }

  /// The lock that the charge with this ticket brought about, if it stands.
  func lock(broughtAboutBy ticket: UInt64) -> NewLock? {
    switch counters.compactMap(\.lock).first(where: { $0.ticket == ticket })?.length {
    case .permanent: .permanent
    case .temporary(let nanoseconds): .temporary(.nanoseconds(nanoseconds))
    case nil: nil
    }
  }

  /// The origins whose lock is over by now, and still written down.
  func endedLocks(at now: BootTime) -> [AttemptOrigin] {
    var passed = self
    passed.pass(to: now)
    return AttemptOrigin.allCases.filter { self[$0].lock != nil && passed[$0].lock == nil }
  }

  /// Whether attempts stand that keep a looser policy from taking effect (result 3015).
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
