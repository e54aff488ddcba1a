import Glibc

/// The right to change something of which the machine has only one.
///
/// It lasts as long as this value.
///
/// It is released when its holder ends, however it ends.
public final class MachineTurn {
  /// What is changed.
  public enum Work: Int, Sendable {
    /// What the machine has reported to its server.
    case checkIn
    /// The logins without the server that it still has to report.
    case offlineLogins
  }

  private static let fileName = "machine.lock"

  private let locks: ByteLocks

  /// Takes the right without waiting, because a holder may be stopped.
  ///
  /// - Parameters:
  ///   - path: the state folder.
  ///   - owner: the uid that must own it.
  /// - Throws: ``StateError``; `superseded` if another call has it.
  public init(for work: Work, in path: String, owner: UInt32) throws(StateError) {
    locks = try ByteLocks(Self.fileName, in: try TrustedDirectory(path, owner: owner))
    guard locks.take(work.rawValue) else { throw .superseded }
  }
}

/// The right to have shares of one account in the chip that no record names yet, or to remove them.
///
/// Several calls may make a share at the same time; each keeps this right until its record is on the disk. A call that removes
/// the shares that killed calls left behind has the right exclusively.
final class ShareClaim {
  private static let name = "files.lock"
  /// Above the lock numbers of ``FileChange``.
  private static let first = 1 << 33

  private let locks: ByteLocks

  /// For a new share.
  ///
  /// - Throws: ``StateError``; `superseded` while root is having shares of the account removed.
  init(of uid: UInt32, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.share(Self.first + Int(uid)) else { throw .superseded }
  }

  /// For removing shares.
  ///
  /// - Throws: ``StateError``; `superseded` while another call makes a share.
  init(removingOf uid: UInt32, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.take(Self.first + Int(uid)) else { throw .superseded }
  }
}

/// The right to make or remove one account's file or the device key; nobody else does so while this exists.
///
/// So an unfinished file was left by a call that was killed.
final class FileChange {
  private static let name = "files.lock"
  /// The lock number for the device key: it is no uid.
  private static let deviceKey = Int(UInt32.max) + 1

  private let locks: ByteLocks

  /// Takes the right.
  ///
  /// - Parameter uid: the account; nil for the device key.
  /// - Throws: ``StateError``; `superseded` if another call has it; nobody should wait for a call that may be stopped.
  init(of uid: UInt32?, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.take(uid.map { Int($0) } ?? Self.deviceKey) else { throw .superseded }
  }
}
