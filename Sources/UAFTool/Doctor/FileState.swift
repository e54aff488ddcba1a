import Glibc

/// What a name in the file system is, without following a last link.
struct FileState: Equatable {
  let kind: mode_t
  let mode: mode_t
  let owner: uid_t
  let size: Int
  let names: Int

  /// Looks at `path`; gives the system's error number where that fails.
  static func of(_ path: String) -> Result<FileState, FileStateError> {
    var state = stat()
    // SAFETY: `state` is a stat; the path lives for the call.
    guard unsafe lstat(path, &state) == 0 else { return .failure(FileStateError(number: errno)) }
    return .success(
      FileState(
        kind: state.st_mode & S_IFMT, mode: state.st_mode & 0o7777, owner: state.st_uid, size: Int(state.st_size),
        names: Int(state.st_nlink)))
  }

  /// The mode as chmod writes it.
  var octal: String { String(mode, radix: 8) }
}

/// Why a file could not be looked at.
struct FileStateError: Error, Equatable {
  let number: CInt

  /// Whether there is nothing of that name.
  var isAbsence: Bool { number == ENOENT || number == ENOTDIR }
}
