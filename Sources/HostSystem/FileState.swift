// Purpose of this target: what uafctl asks of the system: the state of a file, whole reads and writes, accounts. It may import
// the C library alone. It decides nothing, and says nothing to anybody.

import Glibc

/// What a name in the file system is, without following a last link.
package struct FileState: Equatable {
  /// The bits of the mode that say what it is, such as `S_IFREG`.
  package let kind: mode_t
  /// The permissions, with set-user-id, set-group-id and the sticky bit.
  package let mode: mode_t
  /// The number of its owner.
  package let owner: uid_t
  /// Its length in bytes.
  package let size: Int
  /// How many names (hard links) it has.
  package let names: Int

  /// Looks at `path`; gives the system's error number where that fails.
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
}
