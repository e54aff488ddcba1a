import Glibc

/// The right of a peer without root to one conversation: a lock on one byte of a file that has none.
///
/// A few for each user id, so that nobody takes every place at the socket. The bytes lie beyond the end of one empty file:
/// whoever has thousands of user ids (`/etc/subuid`) makes no files with them. A slot is given back when its holder ends,
/// however it ends.
public final class PeerSlot {
  /// Conversations one user id may have at once.
  public static let count = 4
  private static let name = "peers.lock"
  // F_OFD_SETLK of fcntl.h, which needs _GNU_SOURCE: a lock of the open file, not of the process.
  private static let setLock: CInt = 37

  private let descriptor: CInt

  deinit { close(descriptor) }

  /// Takes a slot if one is free now.
  ///
  /// - Parameter stateDirectory: the path of an initialised state folder.
  /// - Returns: nil if `peer` has as many conversations as it may.
  /// - Throws: ``StateError`` where the folder is not as it must be, or the file cannot be made.
  public static func take(
    in stateDirectory: String, for peer: uid_t, owner: uid_t = 0
  ) throws(StateError) -> PeerSlot? {
    let slot = try PeerSlot(TrustedDirectory(stateDirectory + "/slots", owner: owner))
    for index in 0..<count where slot.lock(Int(peer) * count + index) { return slot }
    return nil
  }

  /// Makes the file, so that nobody's first conversation needs room on the disk.
  static func makeFile(in stateDirectory: String, owner: uid_t) throws(StateError) {
    _ = try PeerSlot(TrustedDirectory(stateDirectory + "/slots", owner: owner))
  }

  private init(_ slots: borrowing TrustedDirectory) throws(StateError) {
    // SAFETY: the name lives for the call.
    descriptor = unsafe openat(slots.descriptor, Self.name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen(path: slots.path + "/" + Self.name, errno: errno) }
  }

  private func lock(_ byte: Int) -> Bool {
    var range = Glibc.flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    range.l_start = byte
    range.l_len = 1
    // SAFETY: the structure is read during the call; an open file's lock wants its l_pid to be 0, as it is.
    return unsafe fcntl(descriptor, Self.setLock, &range) == 0
  }
}
