/// How attempts of one origin stand.
public struct LockStatus: Equatable, Sendable {
  /// Whether only an administrator can help.
  public var isPermanent: Bool
  /// How long a temporary lock still lasts; nil without one.
  public var remainingLock: Duration?
  /// Wrong entries left before the next lock; 0 while locked.
  public var remainingTries: Int

  /// Whether an attempt would be refused.
  public var isLocked: Bool { isPermanent || remainingLock != nil }
}
