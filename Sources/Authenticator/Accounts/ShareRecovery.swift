import SecretMemory
import UAFCrypto

/// Lets accounts go on whose shares were in a chip that is lost, by the copies that the recovery key opens.
public struct ShareRecovery: ~Copyable {
  private let pair: P256.KeyPair

  /// Takes the words of the recovery key.
  ///
  /// - Returns: nil for words that are none.
  /// - Throws: ``StateError/cryptography``.
  public init?(_ words: borrowing Secret) throws(StateError) {
    guard let pair = try RecoveryKey.keyPair(of: words) else { return nil }
    self.pair = pair
  }

  /// Releases the shares that the folder's keeper does not hold.
  ///
  /// A share that it holds is left as it is. Each account is a transaction of its own, and one that was released has nothing
  /// more to release. So a call that was killed is ended by the same call. A damaged account is left out: it opens nothing
  /// either way.
  ///
  /// - Throws: ``StateError`` of the first account for which it could not be done; it is done for the others then.
  public borrowing func release(in directory: borrowing StateDirectory) throws(StateError) -> RecoveredShares {
    var found: [ShareState: [UInt32]] = [:]
    var failure: StateError?
    for uid in try AccountFiles.numbers(in: directory) {
      do throws(StateError) {
        if let state = try release(uid, in: directory) { found[state, default: []].append(uid) }
      } catch {
        if !error.meansLocked { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
    return RecoveredShares(
      kept: found[.kept] ?? [], released: found[.released] ?? [], lost: found[.lost] ?? [])
  }

  /// - Returns: the worst state of the account's shares; nil for an account without one.
  private borrowing func release(
    _ uid: UInt32, in directory: borrowing StateDirectory
  ) throws(StateError) -> ShareState? {
    guard let file = try AccountFile.open(in: directory, uid: uid, name: nil, serverUserName: { _ in nil }) else {
      return nil
    }
    var states: Set<ShareState> = []
    for type in AuthenticatorType.allCases {
      if let state = try release(type, of: file, in: directory) { states.insert(state) }
    }
    return [.lost, .released, .kept].first { states.contains($0) }
  }

  private enum ShareState { case kept, released, lost }

  /// - Returns: nil for a type without a share.
  private borrowing func release(
    _ type: AuthenticatorType, of file: AccountFile, in directory: borrowing StateDirectory
  ) throws(StateError) -> ShareState? {
    guard let enrolled = try file.authenticator(type) else { return nil }
    guard let kept = enrolled.chipShare else { return enrolled.released == nil ? nil : .released }
    if let shares = directory.shares, try shares.holds(kept) { return .kept }
    let wrap = AccountRecords.wrap(type, of: file.identity, in: directory)
    guard let released = try wrap.released(enrolled, with: pair, deviceSecret: directory.deviceSecret) else {
      return .lost
    }
    try file.contents.replace(enrolled, with: released, type)
    return .released
  }
}
