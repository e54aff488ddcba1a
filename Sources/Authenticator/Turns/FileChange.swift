import Glibc

/// The right to make or remove one account's file or the device key; nobody else does so while this exists.
///
/// So unfinished files come from calls that were killed.
final class FileChange {
  private static let name = "files.lock"
  /// Of the device key: no user id.
  private static let deviceKey = Int(UInt32.max) + 1

  private let locks: ByteLocks

  /// Takes the right.
  ///
  /// - Parameter uid: the account; nil for the device key.
  /// - Throws: ``StateError``; `superseded` if another call has it: nobody waits for a call that may be stopped.
  init(of uid: UInt32?, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.take(uid.map { Int($0) } ?? Self.deviceKey) else { throw .superseded }
  }
}
