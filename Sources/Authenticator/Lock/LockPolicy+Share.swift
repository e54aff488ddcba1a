extension LockPolicy {
  /// How many wrong values in a row a chip allows before it judges none: a hard stop, which only root ends.
  ///
  /// The ledger refuses long before, and the chip is then not asked. So the limit is the sum of what the ledger lets through:
  /// the local tries up to the permanent lock, and for each of the two origins of strangers, by its own policy, so many that a
  /// stranger cannot use them up in half a year without one login of the person, which sets the count to 0.
  ///
  /// - Returns: the greatest number there is where local locks are never permanent: root has no hard stop then.
  public static func shareLimit(local: LockPolicy, remote: LockPolicy, otherUser: LockPolicy) -> UInt32 {
    guard let locks = local.maxLockCount else { return .max }
    let own = local.retryCountToLock * (locks + 1)
    let theirs = [remote, otherUser].map { policy in
      policy.retryCountToLock * (policy.maxLockCount.map { $0 + 1 } ?? locksInHalfAYear)
    }
    return UInt32(clamping: theirs.reduce(own, +))
  }

  /// The locks that a stranger brings about in more than half a year of attempts without a pause.
  ///
  /// Each is twice as long as the one before it, up to a day. From the shortest first one (30 s) 12 of them take two days, and
  /// each further one a day.
  static let locksInHalfAYear = 200
}
