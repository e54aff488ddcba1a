import Glibc
import UAFConfiguration

/// The folder of drop-ins while a machine joins or leaves: new files get their names at the end, all or none.
///
/// Only one process at a time works on it.
final class DropInPlace {
  /// The folder.
  let path: String
  private let descriptor: CInt
  private let wasMade: Bool
  private var isKept = false

  /// Opens the folder of a configuration, and makes it if it is not there.
  ///
  /// - Parameter owner: who must own it.
  /// - Throws: ``ToolError/join(_:)``.
  init(of configuration: String, owner: uid_t) throws(ToolError) {
    path = DropInFolder.path(of: configuration)
    guard !path.contains("'") else { throw .join(.badPath(path)) }
    // SAFETY: the path lives for the calls; `status` is a stat structure.
    wasMade = unsafe mkdir(path, 0o755) == 0
    guard wasMade || errno == EEXIST else { throw .join(.file(path, errno)) }
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .join(.file(path, errno)) }
    self.descriptor = descriptor
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_uid == owner, status.st_mode & 0o022 == 0 else {
      throw .join(.file(path, EPERM))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .join(.busy(path)) }
  }

  deinit {
    // SAFETY: the paths live for the calls.
    if !isKept { for name in ServerFiles.names { unsafe unlinkat(descriptor, Self.temporary(name), 0) } }
    if wasMade, !isKept { unsafe rmdir(path) }
    close(descriptor)
  }

  private static func temporary(_ name: String) -> String { ".\(name).new" }

  /// Writes files that do not count yet, and waits until they are on the disk.
  ///
  /// - Throws: ``ToolError/join(_:)``.
  func prepare(_ contents: [(name: String, bytes: [UInt8])]) throws(ToolError) {
    for (name, bytes) in contents {
      // SAFETY: the name lives for the call. The file may be there from a join that was killed.
      _ = unsafe unlinkat(descriptor, Self.temporary(name), 0)
      do throws(FileFault) {
        try Self.write(bytes, to: Self.temporary(name), in: descriptor)
      } catch { throw .join(.file("\(path)/\(name)", error.number)) }
    }
  }

  /// Gives the prepared files their names, the configuration last; removes what an earlier join has left beside them.
  ///
  /// - Throws: ``ToolError/join(_:)``; then none of them counts.
  func commit(_ names: [String]) throws(ToolError) {
    for name in names {
      // SAFETY: the names live for the call.
      guard unsafe renameat(descriptor, Self.temporary(name), descriptor, name) == 0 else {
        let number = errno
        remove()
        throw .join(.file("\(path)/\(name)", number))
      }
    }
    isKept = true
    for name in ServerFiles.names where !names.contains(name) { _ = unsafe unlinkat(descriptor, name, 0) }
    fsync(descriptor)
  }

  /// Removes the files of a join, the configuration first; and the folder, if nothing else is in it.
  func remove() {
    // SAFETY: the names live for the calls.
    for name in ServerFiles.names.reversed() { _ = unsafe unlinkat(descriptor, name, 0) }
    fsync(descriptor)
  }

  /// Why a file could not be written.
  struct FileFault: Error {
    let number: CInt
  }

  /// Writes a new file that everybody may read.
  static func write(_ bytes: [UInt8], to name: String, in folder: CInt) throws(FileFault) {
    // SAFETY: the name lives for the call; the bytes are lent for it.
    let file = unsafe openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o644))
    guard file >= 0 else { throw FileFault(number: errno) }
    defer { close(file) }
    // The process's mask may be stricter.
    let written = fchmod(file, 0o644) == 0 ? unsafe Glibc.write(file, bytes, bytes.count) : -1
    guard written == bytes.count, fsync(file) == 0 else {
      throw FileFault(number: written >= 0 && written < bytes.count ? ENOSPC : errno)
    }
  }
}
