import Glibc

/// The right of a peer without root to one conversation.
///
/// A few for each user id, so that nobody takes every place at the socket. Whoever has thousands of user ids
/// (`/etc/subuid`) makes no files with them. A slot is given back when its holder ends, however it ends.
public final class PeerSlot {
  /// Conversations one user id may have at once.
  public static let count = 4
  private static let name = "peers.lock"

  private let locks: ByteLocks

  /// Takes a slot if one is free now.
  ///
  /// - Parameter stateDirectory: the path of an initialised state folder.
  /// - Returns: nil if `peer` has as many conversations as it may.
  /// - Throws: ``StateError`` where the folder is not as it must be, or the file cannot be made.
  public static func take(
    in stateDirectory: String, for peer: uid_t, owner: uid_t = 0
  ) throws(StateError) -> PeerSlot? {
    let slot = try PeerSlot(TrustedDirectory(stateDirectory + "/slots", owner: owner))
    for index in 0..<count where slot.locks.take(Int(peer) * count + index) { return slot }
    return nil
  }

  /// Makes the file, so that nobody's first conversation needs room on the disk.
  static func makeFile(in slots: borrowing TrustedDirectory) throws(StateError) { _ = try PeerSlot(slots) }

  private init(_ slots: borrowing TrustedDirectory) throws(StateError) { locks = try ByteLocks(Self.name, in: slots) }
}
