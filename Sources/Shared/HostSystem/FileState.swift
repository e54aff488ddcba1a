// Purpose of this target: what uafctl asks of the system: the state of a file, what is mounted, whole reads and writes, accounts.
// It may import the C library alone. It decides nothing, and says nothing to anybody.

import Glibc

/// The properties of a name in the file system; if it is a link, it is not followed.
package struct FileState: Equatable {
  /// The file type bits of the mode, such as `S_IFREG`.
  package let kind: mode_t
  /// The permissions, with set-user-id, set-group-id and the sticky bit.
  package let mode: mode_t
  /// Its owner's uid.
  package let owner: uid_t
  /// Its length in bytes.
  package let size: Int
  /// How many names (hard links) it has.
  package let names: Int

  /// Reads the state of `path`; returns the system's error number if that fails.
  package static func of(_ path: String) -> Result<FileState, FileStateError> {
    var state = stat()
    // SAFETY: `state` is a stat; the path lives for the call.
    guard unsafe lstat(path, &state) == 0 else { return .failure(FileStateError(number: errno)) }
    return .success(
      FileState(
        kind: state.st_mode & S_IFMT, mode: state.st_mode & 0o7777, owner: state.st_uid, size: Int(state.st_size),
        names: Int(state.st_nlink)))
  }

  /// The mode as chmod writes it.
  package var octal: String { String(mode, radix: 8) }

  // FS_IOC_GETFLAGS of 64-bit Linux; FS_IMMUTABLE_FL and FS_APPEND_FL.
  private static let (attributesRequest, fixing): (UInt, CInt) = (0x8008_6601, 0x30)

  /// Whether an attribute (i or a of chattr(1)) keeps even root from changing a file or a folder.
  package static func isFixed(_ path: String) -> Bool {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var attributes: Int = 0
    // SAFETY: the kernel fills an int, and by its name no more than a long.
    guard unsafe ioctl(descriptor, attributesRequest, &attributes) == 0 else { return false }
    return CInt(truncatingIfNeeded: attributes) & fixing != 0
  }
}

/// Why a file could not be examined.
package struct FileStateError: Error, Equatable {
  /// The system's error number.
  package let number: CInt

  /// Whether there is no file with that name.
  package var isAbsence: Bool { number == ENOENT || number == ENOTDIR }
}

/// Reads a file's content, up to a limit.
public enum DescriptorReader {
  /// The first `limit` bytes, or all if there are fewer; nil with `errno` if that fails.
  public static func read(_ descriptor: CInt, atMost limit: Int) -> [UInt8]? {
    var content = [UInt8](repeating: 0, count: limit)
    var used = 0
    while used < limit {
      let start = used
      // SAFETY: at most the rest of the array is written.
      let count = unsafe content.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      used += count
    }
    return Array(content[..<used])
  }
}

/// Writes whole runs of bytes.
public enum DescriptorWriter {
  /// Whether all of `bytes` were written; if not, `errno` says why.
  public static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    var offset = 0
    while offset < bytes.count {
      // SAFETY: the bytes from `offset` on are valid for the call.
      let written = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + offset }, $0.count - offset)
      }
      if written > 0 {
        offset += written
      } else if written == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}
