import Glibc

/// The right to have shares of one account in the chip that no record has yet, or to remove them.
///
/// Many calls may make a share at once, and keep this until its record is on the disk. Who removes what killed calls have left is
/// alone.
final class ShareClaim {
  private static let name = "files.lock"
  /// Beyond the numbers of ``FileChange``.
  private static let first = 1 << 33

  private let locks: ByteLocks

  /// For a new share.
  ///
  /// - Throws: ``StateError``; `superseded` while root has shares of the account removed.
  init(of uid: UInt32, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.share(Self.first + Int(uid)) else { throw .superseded }
  }

  /// For removing shares.
  ///
  /// - Throws: ``StateError``; `superseded` while another call makes one.
  init(removingOf uid: UInt32, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.take(Self.first + Int(uid)) else { throw .superseded }
  }
}
