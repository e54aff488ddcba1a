import Glibc

/// The right to change something that the machine has once, for as long as this value lives.
///
/// It is given back when its holder ends, however it ends.
public final class MachineTurn {
  /// What is changed.
  public enum Work: Int, Sendable {
    /// What the machine has told its server.
    case checkIn
    /// The logins without the server that it has to tell.
    case offlineLogins
  }

  private static let fileName = "machine.lock"

  private let locks: ByteLocks

  /// Takes the right, and does not wait for it: a holder may be stopped.
  ///
  /// - Parameters:
  ///   - path: the state folder.
  ///   - owner: who must own it.
  /// - Throws: ``StateError``; `superseded` if another call has it.
  public init(for work: Work, in path: String, owner: UInt32) throws(StateError) {
    locks = try ByteLocks(Self.fileName, in: try TrustedDirectory(path, owner: owner))
    guard locks.take(work.rawValue) else { throw .superseded }
  }
}

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
