import Glibc

/// Why a file could not be looked at.
package struct FileStateError: Error, Equatable {
  /// The system's error number.
  package let number: CInt

  /// Whether there is nothing of that name.
  package var isAbsence: Bool { number == ENOENT || number == ENOTDIR }
}
