// One lock of the ledger, how long it lasts, and the status of attempts that follows from it.

import AuthenticatorTypes

extension LockPolicy {
  /// How many wrong secrets in a row a chip allows before it checks no more; only root can end that.
  ///
  /// The chip must not stop before the ledger refuses. So the limit is the sum of what the ledger allows: the local tries up to
  /// the permanent lock, and a number of tries for each of the two origins from which others attack (remote and other user).
  /// The locks of those origins are so long that this number lasts for more than half a year, and every login of the person
  /// sets the chip's count to 0.
  ///
  /// - Returns: the greatest possible number if local locks are never permanent: the chip then never stops.
  public static func shareLimit(local: LockPolicy, remote: LockPolicy, otherUser: LockPolicy) -> UInt32 {
    guard let locks = local.maxLockCount else { return .max }
    let own = local.retryCountToLock * (locks + 1)
    let theirs = [remote, otherUser].map { policy in
      policy.retryCountToLock * (policy.maxLockCount.map { $0 + 1 } ?? locksInHalfAYear)
    }
    return UInt32(clamping: theirs.reduce(own, +))
  }

  /// The number of locks that an attacker causes in more than half a year of continuous attempts.
  ///
  /// Each lock is twice as long as the one before it, up to a day. If the first one has the minimum length (30 s), the first 12
  /// locks last two days together, and each further lock lasts a day.
  static let locksInHalfAYear = 200
}

extension LockPolicy {
  /// The length of the lock that comes after `earlier` locks.
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

/// A stored lock.
struct Lock: Equatable, Sendable {
  /// How long it lasts.
  enum Length: Equatable, Sendable {
    case temporary(nanoseconds: Int64)
    case permanent
  }

  /// The ticket of the attempt that caused the lock.
  ///
  /// A correct entry with the same or a later ticket ends it.
  var ticket: UInt64
  var length: Length
  /// When it began to run.
  var started: BootTime

  /// The time that is left, or nil once it is over; never more than its length.
  ///
  /// After a reboot, the lock runs again in full length, from the start of the boot. The wall clock could tell how long the
  /// machine was off, but somebody may have set it; the time since the boot is certain.
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

  /// If the lock's start is in the future, sets it to now.
  ///
  /// This occurs if the machine's memory, but not its disk, was restored from an earlier moment.
  mutating func restart(at now: BootTime) {
    if now.bootID == started.bootID, now.nanoseconds < started.nanoseconds { started = now }
  }
}

/// The state of the attempts of one origin.
public struct LockStatus: Equatable, Sendable {
  /// Whether the lock is permanent, so that only an administrator can end it.
  public var isPermanent: Bool
  /// How long a temporary lock still lasts; nil if there is none.
  public var remainingLock: Duration?
  /// How many wrong entries are left before the next lock; 0 while locked.
  public var remainingTries: Int

  /// Whether an attempt would be refused.
  public var isLocked: Bool { isPermanent || remainingLock != nil }
}

/// A lock that a wrong entry has just caused.
public enum NewLock: Equatable, Sendable {
  /// A temporary lock of this length.
  case temporary(Duration)
  /// A lock that lasts until an administrator ends it, or the person registers anew.
  case permanent
}
