import Glibc
import UAFConfiguration

extension ConfigurationFileProblem {
  /// Whether the caller may not read the file; the file itself may be right.
  var isSecrecy: Bool { self == .system(EACCES) }
}
