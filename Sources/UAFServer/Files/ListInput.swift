import Glibc
import HostSystem

/// A list that a command is given: a file, or what comes through a pipe.
enum ListInput {
  /// Reads a list whole.
  ///
  /// - Parameter path: `-` is standard input. So are the names that a shell gives a pipe (`/dev/stdin`, `/dev/fd/63`): they are
  ///   descriptors of this process, which only its caller can have opened. Any other path is held to the rules of a
  ///   ``StateFile``, also that of a named pipe.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func read(_ path: String, maximumLength: Int) throws(ServerError) -> [UInt8] {
    if let descriptor = descriptor(path) { return try read(descriptor, path, maximumLength) }
    guard let file = try TrustedPath.open(path, followsLinks: true) else {
      throw .unusableFile(path: path, reason: "no such file")
    }
    guard file.status.st_mode & S_IFMT == S_IFIFO else {
      guard let bytes = try StateFile.read(path: path, isSecret: false, maximumLength: maximumLength) else {
        throw .unusableFile(path: path, reason: "no such file")
      }
      return bytes
    }
    // It was opened without waiting for a writer. Until one has come, there is nothing to read, and no end either.
    var poll = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: `poll` is one pollfd.
    while unsafe Glibc.poll(&poll, 1, -1) < 0, errno == EINTR {}
    guard fcntl(file.descriptor, F_SETFL, 0) == 0 else { throw failure(path) }
    return try read(file.descriptor, path, maximumLength)
  }

  /// The descriptor of this process that a path names; nil for any other path.
  static func descriptor(_ path: String) -> CInt? {
    if path == "-" || path == "/dev/stdin" { return STDIN_FILENO }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      let name = path.dropFirst(folder.count)
      guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return CInt(name)
    }
    return nil
  }

  private static func read(_ descriptor: CInt, _ path: String, _ limit: Int) throws(ServerError) -> [UInt8] {
    guard let bytes = DescriptorReader.read(descriptor, atMost: limit + 1) else { throw failure(path) }
    guard bytes.count <= limit else { throw .unusableFile(path: path, reason: "is longer than \(limit) bytes") }
    return bytes
  }

  private static func failure(_ path: String) -> ServerError {
    // SAFETY: strerror's text is copied at once.
    .unusableFile(path: path, reason: unsafe "cannot be read: \(String(cString: strerror(errno)))")
  }
}
