/// The shares of a state folder's accounts, for root: those that are in use, and those that killed calls have left.
public enum AccountShares {
  /// Has the chip count the wrong values of an authenticator anew, where it counts them.
  ///
  /// - Throws: ``StateError``.
  public static func clear(
    _ type: AuthenticatorType, of account: AccountFile, in directory: borrowing StateDirectory
  ) throws(StateError) {
    guard let kept = try account.authenticator(type)?.chipShare else { return }
    guard let shares = directory.shares else { throw .share }
    try shares.clear(kept, for: type.rawValue, of: account.identity.uid)
  }

  /// Removes from the chip every share of an account but those that its records have.
  ///
  /// A call that is killed after it has made a share, and before its record was on the disk, leaves one.
  ///
  /// - Throws: ``StateError``; `superseded`, and nothing is removed, while another call makes a share for the account.
  public static func removeLeftovers(of uid: UInt32, in directory: borrowing StateDirectory) throws(StateError) {
    guard let shares = directory.shares else { return }
    let claim = try ShareClaim(removingOf: uid, in: directory.slots)
    defer { withExtendedLifetime(claim) {} }
    // Read now: the last call that has made a share may have written its record since.
    let account = try AccountFile.open(in: directory, uid: uid, name: nil, serverUserName: { _ in nil })
    for type in AuthenticatorType.allCases where type.isTyped {
      let mark = try KeyWrap.mark(of: uid, type, deviceSecret: directory.deviceSecret)
      shares.remove(marked: mark, but: try account?.authenticator(type)?.chipShare)
    }
  }

  /// Whether a record of an account has a share, as far as that can be told: what cannot be read may have it.
  public static func isKept(_ kept: [UInt8], of uid: UInt32, in directory: borrowing StateDirectory) -> Bool {
    do throws(StateError) {
      let file = try AccountFile.open(in: directory, uid: uid, name: nil, serverUserName: { _ in nil })
      for type in AuthenticatorType.allCases where try file?.authenticator(type)?.chipShare == kept { return true }
      return false
    } catch { return true }
  }

  /// The accounts whose keys need a share, by number; not those whose files are damaged, which open nothing either way.
  ///
  /// - Throws: ``StateError`` where it cannot be told, since the folder or a file cannot be read now.
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
