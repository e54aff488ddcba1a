import Glibc

/// Locks on single bytes of an empty file.
///
/// Each number has its byte, and a lock lasts no longer than this object.
///
/// The bytes are beyond the end of the file, so the file stays empty. A lock is released when its holder ends, even if it is
/// killed.
final class ByteLocks {
  // F_OFD_SETLK of fcntl.h, which is only defined with _GNU_SOURCE. The lock belongs to the open file, not to the process.
  private static let setLock: CInt = 37

  private let descriptor: CInt

  /// Opens the file `name` of `folder`, and makes it if it is missing.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  init(_ name: String, in folder: borrowing TrustedDirectory) throws(StateError) {
    // SAFETY: the name lives for the call.
    descriptor = unsafe openat(folder.descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen(path: folder.path + "/" + name, errno: errno) }
  }

  // Closing alone is not enough: a process that is being started may have a copy of the descriptor, which would keep the locks.
  deinit {
    _ = set(F_UNLCK, from: 0, count: 0)
    close(descriptor)
  }

  /// Takes the lock of a number without waiting.
  ///
  /// - Returns: false if another holder has it.
  func take(_ number: Int) -> Bool { set(F_WRLCK, from: number, count: 1) }

  /// Takes the lock of a number in shared mode, without waiting.
  ///
  /// - Returns: false if another holder has it exclusively.
  func share(_ number: Int) -> Bool { set(F_RDLCK, from: number, count: 1) }

  /// Sets or releases the locks of `count` bytes; a `count` of 0 means all bytes from `first` on.
  private func set(_ type: CInt, from first: Int, count: Int) -> Bool {
    var range = Glibc.flock()
    range.l_type = Int16(type)
    range.l_whence = Int16(SEEK_SET)
    range.l_start = first
    range.l_len = count
    // SAFETY: the structure is read during the call; F_OFD_SETLK requires l_pid to be 0, and it is.
    return unsafe fcntl(descriptor, Self.setLock, &range) == 0
  }
}
