import Glibc

/// The right to change a record of which the machine has only one.
///
/// It lasts as long as this object.
///
/// It is released when its holder ends, even if it is killed.
public final class MachineTurn {
  /// The record to change.
  public enum Work: Int, Sendable {
    /// The record of what the machine has reported to its server.
    case checkIn
    /// The record of the logins without the server that the machine still has to report.
    case offlineLogins
  }

  private static let fileName = "machine.lock"

  private let locks: ByteLocks

  /// Takes the right without waiting, because a holder may have been stopped.
  ///
  /// - Parameters:
  ///   - path: the state folder.
  ///   - owner: the uid that must own it.
  /// - Throws: ``StateError``; `superseded` if another call has the right.
  public init(for work: Work, in path: String, owner: UInt32) throws(StateError) {
    locks = try ByteLocks(Self.fileName, in: try TrustedDirectory(path, owner: owner))
    guard locks.take(work.rawValue) else { throw .superseded }
  }

  /// Takes the right, and waits for another call that has it.
  ///
  /// - Parameters:
  ///   - tries: how often to try.
  ///   - pause: waits a moment before the next try.
  /// - Throws: ``StateError``; `superseded` if the other call still has the right.
  public static func awaited(
    for work: Work, in path: String, owner: UInt32, tries: Int, pause: () -> Void
  ) throws(StateError) -> MachineTurn {
    for _ in 1..<tries {
      do throws(StateError) { return try MachineTurn(for: work, in: path, owner: owner) } catch {
        guard error == .superseded else { throw error }
      }
      pause()
    }
    return try MachineTurn(for: work, in: path, owner: owner)
  }
}

/// The right to have shares of one account in the chip that no record names yet, or to remove them.
///
/// Several calls may make a share at the same time; each holds this right until the record that names its share is on the disk.
/// A call that removes the shares that killed calls left behind has the right exclusively.
final class ShareClaim {
  private static let name = "files.lock"
  /// The first lock number of this type; it is above the numbers of ``FileChange``.
  private static let first = 1 << 33

  private let locks: ByteLocks

  /// Takes the right to make a share.
  ///
  /// - Throws: ``StateError``; `superseded` while a call of root removes shares of the account.
  init(of uid: UInt32, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.share(Self.first + Int(uid)) else { throw .superseded }
  }

  /// Takes the exclusive right to remove shares.
  ///
  /// - Throws: ``StateError``; `superseded` while another call makes a share.
  init(removingOf uid: UInt32, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.take(Self.first + Int(uid)) else { throw .superseded }
  }
}

/// The exclusive right to make or remove one account's file or the device key.
///
/// So whoever holds it and finds an unfinished file knows that a killed call left it.
final class FileChange {
  private static let name = "files.lock"
  /// The lock number for the device key: one that is no uid.
  private static let deviceKey = Int(UInt32.max) + 1

  private let locks: ByteLocks

  /// Takes the right.
  ///
  /// - Parameter uid: the account; nil for the device key.
  /// - Throws: ``StateError``; `superseded` if another call has it; this does not wait, because that call may have been
  ///   stopped.
  init(of uid: UInt32?, in slots: borrowing TrustedDirectory) throws(StateError) {
    locks = try ByteLocks(Self.name, in: slots)
    guard locks.take(uid.map { Int($0) } ?? Self.deviceKey) else { throw .superseded }
  }
}
