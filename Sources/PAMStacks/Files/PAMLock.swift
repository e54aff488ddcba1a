import Glibc

/// Prevents a second `uafctl pam` while one changes services; ends with this value, and with its process.
///
/// The lock is on a file in a folder that only root can write to. Everybody may open the folder of services, so anybody could
/// hold a lock on that.
final class PAMLock {
  private let descriptor: CInt

  private static let name = "uafctl-pam.lock"

  /// - Throws: ``StackError``: `busy`, `file`.
  init(in folder: String) throws(StackError) {
    let path = folder + "/" + Self.name
    // SAFETY: the path lives for the call.
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { throw .file(path: path, .system(errno)) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .busy(path: path) }
  }

  // Unlocked before it is closed: a process that is being started may have a copy, which would keep the lock.
  deinit {
    guard descriptor >= 0 else { return }
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
