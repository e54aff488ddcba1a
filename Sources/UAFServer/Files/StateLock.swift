import Glibc

/// Lets one process at a time exchange keys of a state folder, and read them to publish them.
///
/// Of two that exchange keys, the second one would write its file without the first one's key. One that reads beside them would
/// publish the keys of before.
///
/// The lock is on the folder itself (flock), so no file is left, and it ends with its process.
enum StateLock {
  /// Runs `body` while nobody else has the lock.
  ///
  /// - Throws: ``ServerError/refusedRotation(_:)`` if another process has it; ``ServerError/unusableDirectory(path:reason:)``;
  ///   what `body` throws.
  static func hold<Value>(_ directory: ServerDirectory, _ body: () throws -> Value) throws -> Value {
    try locked(directory, LOCK_EX | LOCK_NB, body)
  }

  /// Waits until nobody else has the lock, which they have for milliseconds, and runs `body`.
  ///
  /// - Throws: ``ServerError/unusableDirectory(path:reason:)``; what `body` throws.
  static func wait<Value>(for directory: ServerDirectory, _ body: () throws -> Value) throws -> Value {
    try locked(directory, LOCK_EX, body)
  }

  private static func locked<Value>(
    _ directory: ServerDirectory, _ operation: CInt, _ body: () throws -> Value
  ) throws -> Value {
    // SAFETY: the string lives for the call.
    let descriptor = unsafe open(directory.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw unusable(directory, "opened") }
    defer { close(descriptor) }
    while flock(descriptor, operation) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw unusable(directory, "locked") }
      throw ServerError.refusedRotation(
        "\(directory.path): another process exchanges its keys now: try again when that has ended")
    }
    return try body()
  }

  private static func unusable(_ directory: ServerDirectory, _ deed: String) -> ServerError {
    // SAFETY: strerror's text is copied at once.
    .unusableDirectory(path: directory.path, reason: unsafe "cannot be \(deed): \(String(cString: strerror(errno)))")
  }
}
