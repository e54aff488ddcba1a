import Glibc

/// What keeps a second `uafctl pam` out while one changes services; gone with this value, and with its process.
///
/// A file of root's, below a folder that only root can write to: a lock on the folder of services itself would be anybody's to
/// hold, since everybody may open that.
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

  deinit { if descriptor >= 0 { close(descriptor) } }
}
