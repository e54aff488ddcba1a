import Authenticator

extension Configuration {
  /// The policy that counts beside root's values; nil where none does.
  public var policyVersion: Int64? { followed?.version }

  /// When wrong entries lock an authenticator of anybody but root: key by key the stricter of root's and the server's values.
  ///
  /// Attempts of other users stay without a permanent lock.
  public func followedLockPolicy(for type: AuthenticatorType, origin: AttemptOrigin) -> LockPolicy {
    let own = lockPolicy(for: type, origin: origin)
    guard let followed, policy.followed.contains(.lock) else { return own }
    let lent = origin == .local ? followed.lock : followed.remoteLock
    var stricter = own.stricter(lent.laid(over: own))
    if origin == .otherUser { stricter.maxLockCount = nil }
    return stricter
  }
}
