// Purpose of this target: what uafctl needs from the system: the state of a file, what is mounted, whole reads and writes,
// accounts. It may import only the C library. It decides nothing, and shows nothing to anybody.

import Glibc

/// The properties of a name in the file system.
package struct FileState: Equatable {
  /// The file type bits of the mode, such as `S_IFREG`.
  package let kind: mode_t
  /// The permissions, with set-user-id, set-group-id and the sticky bit.
  package let mode: mode_t
  /// Its owner's uid.
  package let owner: uid_t
  /// Its group's gid.
  package let group: gid_t
  /// Its length in bytes.
  package let size: Int
  /// How many names (hard links) it has.
  package let names: Int

  /// Reads the state of `path` itself, even if it is a link; returns the system's error number if that fails.
  package static func of(_ path: String) -> Result<FileState, FileStateError> {
    var state = stat()
    // SAFETY: `state` is a stat; the path lives for the call.
    guard unsafe lstat(path, &state) == 0 else { return .failure(FileStateError(number: errno)) }
    return .success(FileState(state))
  }

  /// The state of the file that `path` leads to, with links followed; nil if there is none, or if it cannot be examined.
  package static func following(_ path: String) -> FileState? {
    var state = stat()
    // SAFETY: `state` is a stat; the path lives for the call.
    return unsafe stat(path, &state) == 0 ? FileState(state) : nil
  }

  /// The properties that stat(2) or fstat(2) has filled in.
  package init(_ state: stat) {
    kind = state.st_mode & S_IFMT
    mode = state.st_mode & 0o7777
    owner = state.st_uid
    group = state.st_gid
    size = Int(state.st_size)
    names = Int(state.st_nlink)
  }

  /// Whether a user other than root may run the file, or pass through the folder.
  ///
  /// - Parameter isMember: whether the user is in the group with a gid.
  package func isExecutable(by userID: uid_t, isMember: (gid_t) -> Bool) -> Bool {
    let bit = owner == userID ? S_IXUSR : isMember(group) ? S_IXGRP : S_IXOTH
    return mode & bit != 0
  }

  /// Whether a user other than root may read the file.
  ///
  /// - Parameter isMember: whether the user is in the group with a gid.
  package func isReadable(by userID: uid_t, isMember: (gid_t) -> Bool) -> Bool {
    let bit = owner == userID ? S_IRUSR : isMember(group) ? S_IRGRP : S_IROTH
    return mode & bit != 0
  }

  /// The mode as chmod writes it.
  package var octal: String { String(mode, radix: 8) }

  // FS_IOC_GETFLAGS of 64-bit Linux; FS_IMMUTABLE_FL and FS_APPEND_FL.
  private static let (attributesRequest, fixing): (UInt, CInt) = (0x8008_6601, 0x30)

  /// Whether an attribute (i or a of chattr(1)) prevents even root from changing a file or a folder.
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

/// Paths as the kernel follows them.
package enum ResolvedPath {
  /// The absolute path without links and dots (realpath(3)); nil if it leads to nothing.
  package static func of(_ path: String) -> String? {
    // SAFETY: with NULL realpath allocates a NUL-terminated text that is ours to free.
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// The folders on the way to an absolute path, the root folder first, and the path itself last.
  package static func steps(to path: String) -> [String] {
    let parts = path.split(separator: "/")
    return ["/"] + parts.indices.map { parts[...$0].map { "/" + $0 }.joined() }
  }
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
