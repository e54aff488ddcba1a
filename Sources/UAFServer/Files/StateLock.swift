import Glibc

/// Lets one process at a time exchange keys of a state folder.
///
/// Of two, the second one would write its file without the first one's key.
///
/// The lock is on the folder itself (flock), so no file is left, and it ends with its process.
enum StateLock {
  /// Runs `body` while nobody else has the lock.
  ///
  /// - Throws: ``ServerError/refusedRotation(_:)`` if another process has it; what `body` throws.
  static func hold<Value>(_ directory: ServerDirectory, _ body: () throws -> Value) throws -> Value {
    // SAFETY: the string lives for the call.
    let descriptor = unsafe open(directory.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    // SAFETY: strerror's text is copied at once.
    guard descriptor >= 0 else {
      throw ServerError.unusableDirectory(
        path: directory.path, reason: unsafe "cannot be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw ServerError.refusedRotation(
        "\(directory.path): another process exchanges its keys now: try again when that has ended")
    }
    return try body()
  }
}
