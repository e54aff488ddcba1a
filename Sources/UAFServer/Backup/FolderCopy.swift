import Glibc
import SecretMemory
import UAFCrypto

/// Copies files from one folder to another inside the kernel, so that no key comes into this program's memory, and flushes them.
enum FolderCopy {
  /// The most that one call copies or reads.
  private static let part = 1 << 16

  /// Copies a file under its name.
  ///
  /// - Throws: ``ServerError``, which names the file.
  static func copy(
    _ name: String, from source: ServerDirectory, to target: ServerDirectory, mode: mode_t
  ) throws(ServerError) {
    guard let file = try TrustedPath.open(source.file(name), followsLinks: false) else {
      throw .unusableFile(path: source.file(name), reason: "is not there any more")
    }
    let path = target.file(name)
    // SAFETY: the string lives for the call.
    let copy = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard copy >= 0 else { throw failure(path) }
    defer { close(copy) }
    var left = Int(file.status.st_size)
    while left > 0 {
      let count = sendfile(copy, file.descriptor, nil, min(left, part))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { throw .unusableFile(path: source.file(name), reason: "became shorter meanwhile") }
      left -= count
    }
    // The mode is set again because the umask took its part.
    guard fchmod(copy, mode) == 0, fsync(copy) == 0 else { throw failure(path) }
  }

  /// The length and the SHA-256 of a file; nil if there is none.
  ///
  /// - Throws: ``ServerError``; ``CryptoError``.
  static func figures(of path: String) throws -> (size: Int64, hash: [UInt8])? {
    guard let file = try TrustedPath.open(path, followsLinks: false) else { return nil }
    var stream = try SHA256Stream()
    var size: Int64 = 0
    while true {
      var count = 0
      // A file may be a key, so it is read into memory that is wiped.
      // SAFETY: at most as much is read as there is room.
      let bytes = try unsafe Secret(count: part) { count = unsafe read(file.descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { break }
      try bytes.withBytes { try stream.add($0.extracting(0..<count)) }
      size += Int64(count)
    }
    return (size, try stream.hash())
  }

  /// Waits until the names of a folder are on the disk.
  ///
  /// - Throws: ``ServerError``.
  static func flush(_ path: String) throws(ServerError) {
    // SAFETY: the string lives for the call.
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure(path) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> ServerError {
    // SAFETY: strerror's text is copied at once.
    .unusableFile(path: path, reason: unsafe "cannot be copied: \(String(cString: strerror(errno)))")
  }
}
