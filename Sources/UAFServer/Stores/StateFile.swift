// Both define `struct stat`, and which of the two the compiler takes it from depends on the order of loading.
import CDispatch
import Glibc

/// Files of the state folder: made whole or not at all, never overwritten, secret ones for their owner alone.
enum StateFile {
  /// The most that is read of one file.
  static let maximumLength = 65_536

  /// Makes a file if there is none of that name.
  ///
  /// It is written under a name of its own, flushed, and then linked, so that a second process sees all of it or
  /// nothing.
  ///
  /// - Returns: false if there is one already.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func create(path: String, mode: mode_t, contents: [UInt8]) throws(ServerError) -> Bool {
    let temporary = "\(path).\(getpid()).new"
    // SAFETY: the strings live for the calls; the descriptor is closed before the function is left.
    unsafe unlink(temporary)
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure(path, "cannot be made") }
    defer { unsafe unlink(temporary) }
    // SAFETY: `contents` lives for the call. The mode is set again because the umask took its part.
    let written = unsafe write(descriptor, contents, contents.count)
    let isComplete = written == contents.count && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
    close(descriptor)
    guard isComplete else { throw failure(path, "cannot be written") }
    // SAFETY: as above.
    if unsafe link(temporary, path) == 0 { return true }
    guard errno == EEXIST else { throw failure(path, "cannot be made") }
    return false
  }

  /// Reads a file.
  ///
  /// - Parameter isSecret: refuse it unless it is a plain file that only its owner, the caller, can read.
  /// - Returns: nil if there is none.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func read(path: String, isSecret: Bool) throws(ServerError) -> [UInt8]? {
    // SAFETY: the string lives for the call; the descriptor is closed by the `defer`.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isSecret ? O_NOFOLLOW : 0))
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw failure(path, "cannot be opened") }
      return nil
    }
    defer { close(descriptor) }
    var status = stat()
    // SAFETY: `status` lives for the call.
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unusableFile(path: path, reason: "is not a plain file")
    }
    if isSecret {
      guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
        throw .unusableFile(path: path, reason: "must belong to you and be closed to others: chmod 600")
      }
    }
    guard status.st_size <= maximumLength else { throw .unusableFile(path: path, reason: "is too long") }
    var contents = [UInt8](repeating: 0, count: Int(status.st_size))
    // SAFETY: `contents` has the room that its count states.
    let length = unsafe Glibc.read(descriptor, &contents, contents.count)
    guard length == contents.count else { throw failure(path, "cannot be read") }
    return contents
  }

  private static func failure(_ path: String, _ what: String) -> ServerError {
    // SAFETY: strerror's text is copied at once.
    .unusableFile(path: path, reason: unsafe "\(what): \(String(cString: strerror(errno)))")
  }
}
