extension LockPolicy {
  /// Key by key the stricter of the two.
  public func stricter(_ other: LockPolicy) -> LockPolicy {
    LockPolicy(
      retryCountToLock: min(retryCountToLock, other.retryCountToLock),
      lockTime: max(lockTime, other.lockTime),
      maxLockCount: [maxLockCount, other.maxLockCount].compactMap(\.self).min(),
      doublesUpTo: [doublesUpTo, other.doublesUpTo].compactMap(\.self).max())
  }

  /// The length of the lock that follows `earlier` others.
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
