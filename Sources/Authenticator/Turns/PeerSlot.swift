import Glibc

/// The right of a user id without root to one conversation.
///
/// A few for each user id, so that nobody takes every place at the socket, or all memory. A person with thousands of
/// user ids (`/etc/subuid`) makes no files with them. A slot is given back when its holder ends, however it ends.
public final class PeerSlot {
  /// How a user id has a conversation; each way has its own count.
  public enum Way: Int, Sendable {
    /// A program of its own, at the socket.
    case peer
    /// Hosts with root that it has started, such as su.
    case caller

    /// Conversations one user id may have at once.
    public var count: Int {
      switch self {
      case .peer: 4
      case .caller: 16
      }
    }
  }

  private static let name = "peers.lock"

  private let locks: ByteLocks

  /// Takes a slot if one is free now.
  ///
  /// - Parameters:
  ///   - stateDirectory: the path of an initialised state folder.
  ///   - uid: whose conversation it is: the peer's number, or that of the host's caller.
  ///   - way: how it has the conversation.
  /// - Returns: nil if `uid` already has all conversations that it may have that way.
  /// - Throws: ``StateError`` if the folder is not as it must be, or the file cannot be made.
  public static func take(
    in stateDirectory: String, for uid: uid_t, by way: Way = .peer, owner: uid_t = 0
  ) throws(StateError) -> PeerSlot? {
    let slot = try PeerSlot(TrustedDirectory(stateDirectory + "/slots", owner: owner))
    let first = way.rawValue << 40 | Int(uid) * way.count
    for index in 0..<way.count where slot.locks.take(first + index) { return slot }
    return nil
  }

  /// Makes the file, so that no first conversation needs room on the disk.
  static func makeFile(in slots: borrowing TrustedDirectory) throws(StateError) { _ = try PeerSlot(slots) }

  private init(_ slots: borrowing TrustedDirectory) throws(StateError) { locks = try ByteLocks(Self.name, in: slots) }
}
