/// The attempts of one origin since the last correct entry.
struct AttemptCounter: Equatable, Sendable {
  /// Tickets of the wrong (or not yet settled) attempts since the last lock; at most 10.
  var charges: [UInt64] = []
  /// Tickets of the locks since the last correct entry, the latest last.
  var locks: [UInt64] = []
  var lock: Lock?
  /// The policy in force while there are attempts or locks above.
  var policy: LockPolicy?

  /// How many of ``locks`` are kept: enough for any `max_lock_count`, and for a doubling lock to reach its cap.
  static let locksKept = 24

  var isClear: Bool { charges.isEmpty && locks.isEmpty && lock == nil }

  /// The policy that applies now: the configured one, but never looser than the one under which attempts were counted
  /// (result 3015).
  func effectivePolicy(configured: LockPolicy) -> LockPolicy {
    guard !isClear, let policy else { return configured }
    return policy.stricter(configured)
  }

  /// Notes the end of a lock: the count starts at zero.
  ///
  /// Once that is written, no reboot restarts the lock.
  mutating func pass(to now: BootTime) {
    guard let lock else { return }
    if lock.remaining(at: now) == nil {
      self.lock = nil
      charges = []
    } else {
      self.lock?.restart(at: now)
    }
  }

  /// Counts one attempt if there is no lock, and writes the lock at once if the attempt is the last one allowed.
  mutating func charge(ticket: UInt64, at now: BootTime, configured: LockPolicy) {
    let policy = effectivePolicy(configured: configured)
    self.policy = policy
    charges.append(ticket)
    guard charges.count >= policy.retryCountToLock else { return }
    let isPermanent = policy.maxLockCount.map { locks.count >= $0 } ?? false
    let length: Lock.Length =
      isPermanent ? .permanent : .temporary(nanoseconds: policy.lockNanoseconds(after: locks.count))
    lock = Lock(ticket: ticket, length: length, started: now)
    locks = (locks + [ticket]).suffix(Self.locksKept)
  }

  /// Clears the attempts up to this ticket after a correct entry, and a lock that is not younger.
  ///
  /// Only the attempt that caused a permanent lock ends it.
  mutating func settle(_ ticket: UInt64) {
    charges.removeAll { $0 <= ticket }
    if let lock {
      let lifts = lock.length == .permanent ? lock.ticket == ticket : lock.ticket <= ticket
      if lifts { self.lock = nil }
    }
    if lock?.length != .permanent { locks.removeAll { $0 <= ticket } }
    if isClear { policy = nil }
  }
}
