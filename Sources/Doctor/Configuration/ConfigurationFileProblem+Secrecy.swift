import Glibc
import UAFConfiguration

extension ConfigurationFileProblem {
  /// Whether the file is closed to the caller, and may be as it must be.
  var isSecrecy: Bool { self == .system(EACCES) }
}
