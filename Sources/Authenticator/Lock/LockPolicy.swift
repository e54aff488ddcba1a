// Purpose: when wrong entries lock an authenticator, for how long, and when for good. Data alone: the arithmetic of
// charge and settle is the lock's, the reading of `[lock]` is the configuration's.

/// How many wrong entries lock an authenticator, for how long, and how often before the lock is permanent.
///
/// One policy counts local attempts, another remote ones. The configuration refuses values outside the ranges below, because
/// the server's metadata publishes them as limits that always hold.
public struct LockPolicy: Equatable, Sendable {
  /// Wrong entries in a row until a lock.
  public var retryCountToLock: Int

  /// How long a lock lasts; the first one, where ``doublesUpTo`` is set.
  public var lockTime: Duration

  /// Temporary locks allowed before the next one is permanent: 0 makes the first lock permanent, nil none ever.
  public var maxLockCount: Int?

  /// The longest a lock may become when each is twice as long as the one before it; nil where all last the same.
  public var doublesUpTo: Duration?

  /// Makes a policy whose values the caller has checked against the ranges below.
  public init(retryCountToLock: Int, lockTime: Duration, maxLockCount: Int?, doublesUpTo: Duration? = nil) {
    self.retryCountToLock = retryCountToLock
    self.lockTime = lockTime
    self.maxLockCount = maxLockCount
    self.doublesUpTo = doublesUpTo
  }

  /// Local attempts unless configured otherwise: ten guesses before a permanent lock, NIST's figure for a local PIN.
  public static let localDefault = LockPolicy(retryCountToLock: 5, lockTime: .seconds(300), maxLockCount: 1)

  /// Remote attempts unless configured otherwise: never permanent, or anyone who can reach the host could lock everyone out.
  public static let remoteDefault = LockPolicy(
    retryCountToLock: 5, lockTime: .seconds(300), maxLockCount: nil, doublesUpTo: .seconds(86_400))

  /// What `retry_count_to_lock` may be.
  public static let retryCountRange = 1...10

  /// What `lock_time` may be, in seconds, but for demonstrations against a loopback server.
  public static let lockTimeRange: ClosedRange<Duration> = .seconds(30)...(.seconds(86_400))

  /// What `max_lock_count` may be.
  public static let maxLockCountRange = 0...10
}
