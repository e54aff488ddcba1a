import Glibc

/// Locks on single bytes of a file that has none.
///
/// The bytes lie beyond the end of one empty file: whoever has thousands of user ids (`/etc/subuid`) makes no files with
/// them. A lock is given back when its holder ends, however it ends.
final class ByteLocks {
  // F_OFD_SETLK of fcntl.h, which needs _GNU_SOURCE: a lock of the open file, not of the process.
  private static let setLock: CInt = 37

  private let descriptor: CInt

  deinit { close(descriptor) }

  /// Opens the file, and makes it where there is none.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  init(_ name: String, in slots: borrowing TrustedDirectory) throws(StateError) {
    // SAFETY: the name lives for the call.
    descriptor = unsafe openat(slots.descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen(path: slots.path + "/" + name, errno: errno) }
  }

  /// Takes the lock on one byte, for as long as this value lives.
  ///
  /// - Returns: false if another holds it.
  func lock(_ byte: Int) -> Bool {
    var range = Glibc.flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    range.l_start = byte
    range.l_len = 1
    // SAFETY: the structure is read during the call; an open file's lock wants its l_pid to be 0, as it is.
    return unsafe fcntl(descriptor, Self.setLock, &range) == 0
  }
}
