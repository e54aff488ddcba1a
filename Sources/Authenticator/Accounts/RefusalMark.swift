import Glibc

/// An empty file beside an account's: the server has refused, and the account's file could not be written.
///
/// Somebody can stop a call in the middle of a write, and so keep that file locked. Without this mark the server's
/// earlier success would still be valid for logins without it.
struct RefusalMark {
  private let path: String

  /// The mark of an account, in the accounts' folder.
  init(of uid: UInt32, in accounts: borrowing TrustedDirectory) { path = accounts.path + "/.\(uid).refused" }

  /// Whether it is there; if that cannot be found out, it counts as there.
  var isSet: Bool {
    var info = stat()
    // SAFETY: the path lives for the call; `info` is a stat structure.
    return unsafe lstat(path, &info) == 0 || errno != ENOENT
  }

  /// Puts it there, on the disk.
  ///
  /// - Returns: whether it is there.
  func set() -> Bool {
    // SAFETY: the path lives for the call.
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    return fsync(file) == 0
  }

  /// Removes it; if that fails, it stays and refuses.
  func clear() {
    // SAFETY: the path lives for the call.
    _ = unsafe unlink(path)
  }
}
