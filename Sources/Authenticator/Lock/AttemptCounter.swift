/// The attempts of one origin since the last right value.
struct AttemptCounter: Equatable, Sendable {
  /// Tickets of the wrong (or not yet settled) attempts of the present row; at most 10.
  var charges: [UInt64] = []
  /// Tickets of the locks since the last right value, the latest last.
  var locks: [UInt64] = []
  var lock: Lock?
  /// The policy in force while anything above stands.
  var policy: LockPolicy?

  /// Kept of ``locks``: enough for any `max_lock_count`, and for a doubling lock to reach its cap.
  static let locksKept = 24

  var isClear: Bool { charges.isEmpty && locks.isEmpty && lock == nil }

  /// The policy that counts now: the configured one, but never looser than the one attempts were
  /// already counted under (result 3015).
  func effectivePolicy(configured: LockPolicy) -> LockPolicy {
    guard !isClear, let policy else { return configured }
    return policy.stricter(configured)
  }

  /// Notes what time has done: a lock that is over ends its row, and a fresh one begins.
  ///
  /// Once that is written no reboot brings the lock back.
  mutating func pass(to now: BootTime) {
    guard let lock else { return }
    if lock.remaining(at: now) == nil {
      self.lock = nil
      charges = []
    } else {
      self.lock?.restart(at: now)
    }
  }

  /// Counts one attempt where no lock stands, and writes the lock at once if it is the last one allowed.
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
  /// A permanent lock is lifted only by the very attempt that brought it about.
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
