import Glibc

/// An open file or directory that closes itself.
final class FileDescriptor {
  private let number: CInt

  private init(_ number: CInt) {
    self.number = number
  }

  deinit {
    _ = close(number)
  }

  /// Opens a name in a directory (nil: an absolute path) without following a link, waiting for a FIFO's writer or leaking into
  /// programs started later.
  static func opening(
    _ name: String, in directory: FileDescriptor?, _ flags: CInt
  ) throws(ConfigurationFileProblem) -> FileDescriptor {
    let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    var number: CInt
    repeat {
      // SAFETY: the name is lent as a C string only for the call.
      number = unsafe openat(directory?.number ?? AT_FDCWD, name, flags)
    } while number < 0 && errno == EINTR
    guard number >= 0 else {
      switch errno {
      case ENOENT: throw .missing
      case ELOOP: throw .symbolicLink
      case ENOTDIR, ENXIO: throw .notRegular
      case let other: throw .system(other)
      }
    }
    return FileDescriptor(number)
  }

  func status() throws(ConfigurationFileProblem) -> stat {
    var status = stat()
    // SAFETY: fstat fills exactly one stat.
    guard unsafe fstat(number, &status) == 0 else { throw .system(errno) }
    return status
  }

  /// The names in a folder, in no order, without `.` and `..`.
  func names() throws(ConfigurationFileProblem) -> [String] {
    // The stream gets its own descriptor, because it closes the descriptor and moves the position in the folder.
    // SAFETY: the name is a literal; the stream is read and closed here alone, and d_name is NUL-terminated.
    let copy = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw .system(errno) }
    guard let stream = unsafe fdopendir(copy) else {
      let failure = errno
      close(copy)
      throw .system(failure)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      let name = String(decoding: bytes, as: UTF8.self)
      if name != ".", name != ".." { names.append(name) }
    }
    // A folder that was read in part could lack the file that makes a rule stricter.
    guard errno == 0 else { throw .system(errno) }
    return names
  }

  // Most files fit into one block, so a login does not allocate memory that stays empty.
  private static let block = 16_384

  /// Everything up to the end; a file that has grown beyond the limit since it was checked is refused.
  func readAll(limit: Int) throws(ConfigurationFileProblem) -> [UInt8] {
    var (content, block) = ([UInt8](), [UInt8](repeating: 0, count: Self.block))
    while content.count <= limit {
      // SAFETY: the kernel writes at most the whole array.
      let count = unsafe block.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(errno) }
      if count == 0 { return content }
      content += block[..<count]
    }
    throw .tooLarge(limit: limit)
  }
}
