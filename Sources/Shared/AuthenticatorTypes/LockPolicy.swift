// Purpose: when wrong entries lock an authenticator, for how long, and when permanently. It contains only data: the arithmetic of
// charge and settle is in the lock, the reading of `[lock]` in the configuration.

/// How many wrong entries lock an authenticator, for how long, and how often before the lock is permanent.
///
/// One policy is for local attempts, a second one for remote attempts. The configuration refuses values outside the ranges below,
/// because the server's metadata statements publish them as fixed limits.
public struct LockPolicy: Equatable, Sendable {
  /// Wrong entries in a row that cause a lock.
  public var retryCountToLock: Int

  /// How long a lock lasts; with ``doublesUpTo``, the first one.
  public var lockTime: Duration

  /// How many temporary locks precede a permanent one: with 0 the first lock is permanent, with nil no lock ever is.
  public var maxLockCount: Int?

  /// The longest lock if each is twice as long as the one before it; nil if all have the same length.
  public var doublesUpTo: Duration?

  /// Makes a policy whose values the caller has checked against the ranges below.
  public init(retryCountToLock: Int, lockTime: Duration, maxLockCount: Int?, doublesUpTo: Duration? = nil) {
    self.retryCountToLock = retryCountToLock
    self.lockTime = lockTime
    self.maxLockCount = maxLockCount
    self.doublesUpTo = doublesUpTo
  }

  /// The policy for local attempts unless configured otherwise: ten guesses before a permanent lock, NIST's figure for a local
  /// PIN.
  public static let localDefault = LockPolicy(retryCountToLock: 5, lockTime: .seconds(300), maxLockCount: 1)

  /// The policy for remote attempts unless configured otherwise: never permanent, or anyone who can reach the host could lock
  /// everyone out.
  public static let remoteDefault = LockPolicy(
    retryCountToLock: 5, lockTime: .seconds(300), maxLockCount: nil, doublesUpTo: .seconds(86_400))

  /// The allowed values of `retry_count_to_lock`.
  public static let retryCountRange = 1...10

  /// The allowed values of `lock_time` except for demonstrations with a loopback server.
  public static let lockTimeRange: ClosedRange<Duration> = .seconds(30)...(.seconds(86_400))

  /// The allowed values of `max_lock_count`.
  public static let maxLockCountRange = 0...10
}

extension LockPolicy {
  /// The policy with the stricter of both values for each key.
  public func stricter(_ other: LockPolicy) -> LockPolicy {
    LockPolicy(
      retryCountToLock: min(retryCountToLock, other.retryCountToLock),
      lockTime: max(lockTime, other.lockTime),
      maxLockCount: [maxLockCount, other.maxLockCount].compactMap(\.self).min(),
      doublesUpTo: [doublesUpTo, other.doublesUpTo].compactMap(\.self).max())
  }
}

/// Where an attempt comes from.
///
/// Attempts are counted separately for each origin, and by nothing else. Only a host with root privileges can state the origin.
public enum AttemptOrigin: UInt8, CaseIterable, Sendable {
  case local = 1
  case remote = 2
  /// Another user of the machine: somebody who runs su, or sudo if it asks for the target user's password.
  case otherUser = 3
}
