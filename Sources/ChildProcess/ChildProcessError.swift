import Glibc

/// Why a program could not be started.
public struct ChildProcessError: Error, Equatable, CustomStringConvertible {
  /// The program.
  public let path: String
  /// The system's error number.
  public let number: CInt

  /// What failed, where.
  public var description: String {
    // SAFETY: strerror returns a NUL-terminated text for every number.
    "\(path): \(unsafe String(cString: strerror(number)))"
  }
}
