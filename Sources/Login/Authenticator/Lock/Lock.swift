// Purpose: one lock of the ledger, how long it lasts, and the state of attempts that follows from it.

import AuthenticatorTypes

extension LockPolicy {
  /// How many wrong values in a row a chip allows before it stops checking: a hard stop, which only root ends.
  ///
  /// The ledger refuses long before that, and then does not ask the chip. So the limit is the sum of what the ledger allows: the
  /// local tries up to the permanent lock, and a number of tries for each of the two origins of strangers. By its own policy, a
  /// stranger cannot use up that number in half a year unless the person never logs in, which would set the count to 0.
  ///
  /// - Returns: the greatest possible number if local locks are never permanent: there is then no hard stop.
  public static func shareLimit(local: LockPolicy, remote: LockPolicy, otherUser: LockPolicy) -> UInt32 {
    guard let locks = local.maxLockCount else { return .max }
    let own = local.retryCountToLock * (locks + 1)
    let theirs = [remote, otherUser].map { policy in
      policy.retryCountToLock * (policy.maxLockCount.map { $0 + 1 } ?? locksInHalfAYear)
    }
    return UInt32(clamping: theirs.reduce(own, +))
  }

  /// The locks that a stranger causes in more than half a year of continuous attempts.
  ///
  /// Each is twice as long as the one before it, up to a day. From the shortest first lock (30 s) 12 of them take two days, and
  /// each further one a day.
  static let locksInHalfAYear = 200
}

extension LockPolicy {
  /// The length of the lock that follows `earlier` earlier ones.
  func lockNanoseconds(after earlier: Int) -> Int64 {
    let base = lockTime.wholeNanoseconds
    guard let limit = doublesUpTo?.wholeNanoseconds else { return base }
    var length = base
    for _ in 0..<min(earlier, 63) where length < limit {
      length = length.multipliedReportingOverflow(by: 2).partialValue
    }
    return max(base, min(length, limit))
  }
}

/// A lock that is stored.
struct Lock: Equatable, Sendable {
  /// How long it lasts.
  enum Length: Equatable, Sendable {
    case temporary(nanoseconds: Int64)
    case permanent
  }

  /// The charge that caused it: a correct entry with the same or a later ticket ends it.
  var ticket: UInt64
  var length: Length
  /// When it began to run.
  var started: BootTime

  /// The time that is left, or nil once it is over; never more than its length.
  ///
  /// After a reboot it runs in full once more, from the start of the boot: a clock that somebody may have set does not
  /// show how long the machine was off, but the time since the boot is certain.
  func remaining(at now: BootTime) -> Remaining? {
    guard case .temporary(let nanoseconds) = length else { return .forever }
    let start = now.bootID == started.bootID ? started.nanoseconds : 0
    let (elapsed, overflow) = now.nanoseconds.subtractingReportingOverflow(start)
    guard !overflow, elapsed >= 0 else { return .time(nanoseconds) }
    return elapsed < nanoseconds ? .time(nanoseconds - elapsed) : nil
  }

  /// What is left of a lock.
  enum Remaining: Equatable {
    case time(Int64)
    case forever
  }

  /// Starts a lock dated in the future now.
  ///
  /// A machine whose memory was restored from an earlier moment, but not its disk, has such a lock.
  mutating func restart(at now: BootTime) {
    if now.bootID == started.bootID, now.nanoseconds < started.nanoseconds { started = now }
  }
}

/// The state of the attempts of one origin.
public struct LockStatus: Equatable, Sendable {
  /// Whether only an administrator can help.
  public var isPermanent: Bool
  /// How long a temporary lock still lasts; nil without a lock.
  public var remainingLock: Duration?
  /// Wrong entries left before the next lock; 0 while locked.
  public var remainingTries: Int

  /// Whether an attempt would be refused.
  public var isLocked: Bool { isPermanent || remainingLock != nil }
}

/// A lock that an entry has just caused.
public enum NewLock: Equatable, Sendable {
  /// A temporary lock of this length.
  case temporary(Duration)
  /// Until an administrator unlocks, or the person registers anew.
  case permanent
}
