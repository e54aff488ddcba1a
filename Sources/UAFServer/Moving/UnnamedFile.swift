import Glibc

/// A file that has no name, and is gone with the process however it ends.
final class UnnamedFile {
  let descriptor: CInt

  /// Makes one on the disk of a folder.
  ///
  /// - Throws: ``ServerError/unusableDirectory(path:reason:)``.
  init(in folder: String) throws(ServerError) {
    // SAFETY: the string lives for the call.
    descriptor = unsafe open(folder, __O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      // SAFETY: strerror's text is copied at once.
      let text = unsafe String(cString: strerror(errno))
      throw .unusableDirectory(path: folder, reason: "cannot take a copy of the store: \(text)")
    }
  }

  deinit { close(descriptor) }
}
