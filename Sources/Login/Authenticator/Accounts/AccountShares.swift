import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// The shares of a state folder's accounts, for root: those in use, and those that killed calls left behind.
public enum AccountShares {
  /// Resets the chip's count of wrong secrets for an authenticator, if the chip counts them.
  ///
  /// - Throws: ``StateError``.
  public static func clear(
    _ type: AuthenticatorType, of account: AccountFile, in directory: borrowing StateDirectory
  ) throws(StateError) {
    guard let kept = try account.authenticator(type)?.chipShare else { return }
    guard let shares = directory.shares else { throw .share }
    try shares.clear(kept, for: type.rawValue, of: account.identity.uid)
  }

  /// Removes from the chip every share of an account except those that its records name.
  ///
  /// If a call is killed after making a share and before writing the record that names it, the share is left over.
  ///
  /// - Throws: ``StateError``; `superseded`, and nothing is removed, while another call makes a share for the account.
  public static func removeLeftovers(of uid: UInt32, in directory: borrowing StateDirectory) throws(StateError) {
    guard let shares = directory.shares else { return }
    let claim = try ShareClaim(removingOf: uid, in: directory.slots)
    defer { withExtendedLifetime(claim) {} }
    // Read only now: the last call that made a share may have written its record in the meantime.
    let account = try AccountFile.open(in: directory, uid: uid, name: nil, serverUserName: { _ in nil })
    for type in AuthenticatorType.allCases where type.isTyped {
      let mark = try KeyWrap.mark(of: uid, type, deviceSecret: directory.deviceSecret)
      shares.remove(marked: mark, but: try account?.authenticator(type)?.chipShare)
    }
  }

  /// Whether a record of an account names a share.
  ///
  /// If a record cannot be read, it is assumed to name it.
  public static func isKept(_ kept: [UInt8], of uid: UInt32, in directory: borrowing StateDirectory) -> Bool {
    do throws(StateError) {
      let file = try AccountFile.open(in: directory, uid: uid, name: nil, serverUserName: { _ in nil })
      for type in AuthenticatorType.allCases where try file?.authenticator(type)?.chipShare == kept { return true }
      return false
    } catch { return true }
  }

  /// The accounts whose keys need a share, by uid, without those whose files are damaged: they cannot be opened anyway.
  ///
  /// - Throws: ``StateError`` if the folder or a file cannot be read now.
  public static func accounts(in directory: borrowing StateDirectory) throws(StateError) -> [UInt32] {
    var found: [UInt32] = []
    for uid in try AccountFiles.numbers(in: directory) {
      do throws(StateError) {
        if try isCounted(uid, in: directory) { found.append(uid) }
      } catch { guard error.meansLocked else { throw error } }
    }
    return found
  }

  private static func isCounted(_ uid: UInt32, in directory: borrowing StateDirectory) throws(StateError) -> Bool {
    let file = try AccountFile.open(in: directory, uid: uid, name: nil, serverUserName: { _ in nil })
    for type in AuthenticatorType.allCases where try file?.authenticator(type)?.hasShare == true { return true }
    return false
  }
}

/// With the recovery key, makes accounts usable again whose shares were in a chip that is lost: the key opens the copies of the
/// shares.
public struct ShareRecovery: ~Copyable {
  private let pair: P256.KeyPair

  /// Takes the words of the recovery key.
  ///
  /// - Returns: nil if the words are not a recovery key.
  /// - Throws: ``StateError/cryptography``.
  public init?(_ words: borrowing Secret) throws(StateError) {
    guard let pair = try RecoveryKey.keyPair(of: words) else { return nil }
    self.pair = pair
  }

  /// Writes every share that the chip does not have into the account's record, so that the account needs no chip.
  ///
  /// A share that the chip has is left unchanged. Each authenticator is changed in a transaction of its own, and one that has
  /// been changed is skipped. So a call that was killed can simply be repeated. Damaged accounts are skipped: they cannot be
  /// opened anyway.
  ///
  /// - Throws: ``StateError`` of the first account that failed, after all others have been tried.
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

  /// - Returns: the worst state of the account's shares; nil if none of its authenticators has a share.
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
