import Glibc
import SecretMemory

/// Reads and writes files of the state folder.
///
/// Each is written completely or not at all, and only its owner can read a secret one.
enum StateFile {
  /// The longest file that is read, in bytes.
  static let maximumLength = 65_536

  /// Creates a file, unless one with that name exists.
  ///
  /// The file is written under a temporary name, flushed, and then linked, so that other processes see the whole file or none.
  ///
  /// - Returns: false if the file exists already.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func create(path: String, mode: mode_t, contents: [UInt8]) throws(ServerError) -> Bool {
    try create(path: path, mode: mode, contents: contents.span)
  }

  /// Creates a file with a secret in it, in the same way.
  static func create(path: String, mode: mode_t, contents: borrowing Secret) throws(ServerError) -> Bool {
    try contents.withBytes { (bytes) throws(ServerError) in try create(path: path, mode: mode, contents: bytes) }
  }

  private static func create(path: String, mode: mode_t, contents: Span<UInt8>) throws(ServerError) -> Bool {
    let temporary = try write(beside: path, mode: mode, contents: contents)
    // SAFETY: the strings live for the calls.
    defer { unsafe unlink(temporary) }
    if unsafe link(temporary, path) == 0 { return true }
    guard errno == EEXIST else { throw failure(path, "cannot be made") }
    return false
  }

  /// Creates a file, or replaces the file with that name.
  ///
  /// The file is written under a temporary name, flushed, and then renamed, and the folder is flushed. If this is interrupted
  /// at any point, there is either the old file or the new one.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func replace(path: String, mode: mode_t, contents: [UInt8]) throws(ServerError) {
    try replace(path: path, mode: mode, contents: contents.span)
  }

  /// Replaces a file with a new file that contains a secret, in the same way.
  static func replace(path: String, mode: mode_t, contents: borrowing Secret) throws(ServerError) {
    try contents.withBytes { (bytes) throws(ServerError) in try replace(path: path, mode: mode, contents: bytes) }
  }

  private static func replace(path: String, mode: mode_t, contents: Span<UInt8>) throws(ServerError) {
    let temporary = try write(beside: path, mode: mode, contents: contents)
    // SAFETY: the strings live for the calls.
    guard unsafe rename(temporary, path) == 0 else {
      let error = failure(path, "cannot be replaced")
      unsafe unlink(temporary)
      throw error
    }
    let folder = unsafe open(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/.", O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { throw failure(path, "its folder cannot be opened") }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure(path, "its folder is not writable") }
  }

  /// Writes and flushes a file under a temporary name, and returns that name.
  private static func write(
    beside path: String, mode: mode_t, contents: Span<UInt8>
  ) throws(ServerError) -> String {
    let temporary = "\(path).\(getpid()).new"
    // SAFETY: the strings live for the calls; the descriptor is closed before the function is left.
    unsafe unlink(temporary)
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure(path, "cannot be made") }
    // SAFETY: `contents` lives for the call. The mode is set again because the umask has reduced it.
    let written = unsafe contents.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    let isComplete = written == contents.count && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
    let error = failure(path, "cannot be written")
    close(descriptor)
    guard isComplete else {
      // SAFETY: the string lives for the call.
      unsafe unlink(temporary)
      throw error
    }
    return temporary
  }

  /// Reads a file that only its owner can have written; the owner must be this user or root.
  ///
  /// - Parameters:
  ///   - isSecret: whether the file is also refused if others can read it, or if its path contains a symbolic link.
  ///   - followsLinks: whether symbolic links are followed, even to a secret, if root or this user owns each link and folder on
  ///     the path; nil for links to anything but a secret.
  /// - Returns: nil if the file does not exist.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func read(
    path: String, isSecret: Bool, followsLinks: Bool? = nil, maximumLength: Int = Self.maximumLength
  ) throws(ServerError) -> [UInt8]? {
    try withFile(path: path, isSecret: isSecret, followsLinks: followsLinks, maximumLength: maximumLength) {
      (descriptor, count) throws(ServerError) in
      var contents = [UInt8](repeating: 0, count: count)
      // SAFETY: `contents` has the room that its count states.
      let length = unsafe Glibc.read(descriptor, &contents, contents.count)
      guard length == contents.count else { throw failure(path, "cannot be read") }
      return contents
    }
  }

  /// Reads a file directly into a secret, without any other copy in memory.
  ///
  /// The file must have one of the given lengths.
  ///
  /// - Returns: nil if there is no such file.
  /// - Throws: what ``read(path:isSecret:)`` throws; also for a file of a different length.
  static func readSecret(path: String, counts: [Int]) throws(ServerError) -> Secret? {
    try withFile(path: path, isSecret: true) { (descriptor, size) throws(ServerError) in
      guard counts.contains(size) else {
        let lengths = counts.map(String.init).joined(separator: " or ")
        throw .unusableFile(path: path, reason: "is not \(lengths) bytes long")
      }
      var length = 0
      // SAFETY: the buffer is as long as is read.
      let secret = try? unsafe Secret(count: size) { buffer in
        length = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      guard let secret, length == size else { throw failure(path, "cannot be read") }
      return secret
    }
  }

  /// Reads a password directly into a secret, without any other copy in memory.
  ///
  /// - Returns: the bytes without the line end, followed by a zero byte; nil if the file does not exist.
  /// - Throws: what ``read(path:isSecret:)`` throws.
  static func readPassword(path: String) throws(ServerError) -> Secret? {
    try withFile(path: path, isSecret: true, maximumLength: 1024) { (descriptor, size) throws(ServerError) in
      var length = 0
      // SAFETY: the buffer is one byte longer than what is read, and zero at first.
      let secret = try? unsafe Secret(count: size + 1) { buffer in
        length = unsafe Glibc.read(descriptor, buffer.baseAddress, size)
        if length == size, size > 0, unsafe buffer[size - 1] == UInt8(ascii: "\n") { unsafe buffer[size - 1] = 0 }
      }
      guard let secret, length == size else { throw failure(path, "cannot be read") }
      return secret
    }
  }

  /// Opens a file that nobody else can have written, and passes its descriptor and length to `body`.
  private static func withFile<Contents: ~Copyable>(
    path: String, isSecret: Bool, followsLinks: Bool? = nil, maximumLength: Int = Self.maximumLength,
    _ body: (CInt, Int) throws(ServerError) -> Contents
  ) throws(ServerError) -> Contents? {
    guard let file = try TrustedPath.open(path, followsLinks: followsLinks ?? !isSecret) else { return nil }
    let status = file.status
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unusableFile(path: path, reason: "is not a regular file") }
    // Root may let a group read a key (Debian's group ssl-cert), or one user by an access control list (systemd's credentials),
    // which appears in the mode as a permission of the group.
    let forbidden: mode_t = status.st_uid == 0 && geteuid() != 0 ? 0o027 : 0o077
    guard !isSecret || status.st_mode & forbidden == 0 else {
      throw .unusableFile(path: path, reason: "others can read it: 'chmod 600 \(path)'")
    }
    guard status.st_size <= maximumLength else { throw .unusableFile(path: path, reason: "is too long") }
    return try body(file.descriptor, Int(status.st_size))
  }

  private static func failure(_ path: String, _ what: String) -> ServerError {
    // SAFETY: strerror's text is copied immediately.
    .unusableFile(path: path, reason: unsafe "\(what): \(String(cString: strerror(errno)))")
  }
}

/// A lock for the keys in a state folder: one process at a time rotates them, or reads them in order to publish them.
///
/// If two processes rotated keys at the same time, the second would write a file without the first one's new key. A process
/// that read the keys in between would publish the old ones.
///
/// The lock is on the folder itself (flock), so no file is left, and the lock ends with its process.
enum StateLock {
  /// Runs `body` while nobody else has the lock.
  ///
  /// - Throws: ``ServerError/refusedRotation(_:)`` if a different process has it;
  ///   ``ServerError/unusableDirectory(path:reason:)``; what `body` throws.
  static func hold<Value>(_ directory: ServerDirectory, _ body: () throws -> Value) throws -> Value {
    try locked(directory, LOCK_EX | LOCK_NB, body)
  }

  /// Waits until nobody else has the lock, which takes milliseconds, and runs `body`.
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
        "\(directory.path): another process is replacing its keys now: try again when that has ended")
    }
    return try body()
  }

  private static func unusable(_ directory: ServerDirectory, _ deed: String) -> ServerError {
    // SAFETY: strerror's text is copied immediately.
    .unusableDirectory(path: directory.path, reason: unsafe "cannot be \(deed): \(String(cString: strerror(errno)))")
  }
}
