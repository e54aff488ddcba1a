import Glibc

/// A file with an enrolment payload.
enum PayloadFile {
  /// Its one line; warns where others may read it, because the code inside works for anybody who has it.
  ///
  /// - Throws: ``ToolError/payload(_:)``.
  static func read(_ path: String, in context: ToolContext) throws(ToolError) -> [UInt8] {
    // SAFETY: the path lives for the call. Not to hang on a FIFO nobody writes to: with O_NONBLOCK its end comes at once.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .payload(.unreadable(path: path, errno)) }
    defer { close(descriptor) }
    var state = stat()
    // SAFETY: `state` is a stat.
    guard unsafe fstat(descriptor, &state) == 0 else { throw .payload(.unreadable(path: path, errno)) }
    let kind = state.st_mode & S_IFMT
    guard kind != S_IFDIR else { throw .payload(.unreadable(path: path, EISDIR)) }
    if kind == S_IFREG, state.st_mode & 0o044 != 0 {
      context.failure(PayloadWarning(path: path))
    }
    _ = fcntl(descriptor, F_SETFL, 0)
    return try PayloadLine.checked(try bytes(of: descriptor, path: path))
  }

  /// Everything up to just beyond the limit, which is enough to refuse it.
  private static func bytes(of descriptor: CInt, path: String) throws(ToolError) -> [UInt8] {
    let limit = PayloadLine.maximumCount + 64
    var collected: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while collected.count <= limit {
      // SAFETY: the buffer is as long as announced.
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .payload(.unreadable(path: path, errno)) }
      if count == 0 { return collected }
      collected += buffer[..<count]
    }
    throw .payload(.unusable)
  }
}
