import Glibc

/// What is wrong with a file of PAM's folder, so that it is neither read nor changed.
enum StackFileProblem: Error, Equatable, CustomStringConvertible {
  case symbolicLink
  case noFile
  case owner(uid_t)
  case writable
  case hardLinks
  case tooLarge
  /// The system's error number.
  case system(CInt)

  var description: String {
    switch self {
    case .symbolicLink: "is a symbolic link"
    case .noFile: "is no file"
    case .owner(let user): "belongs to uid \(user)"
    case .writable: "may be written by others"
    case .hardLinks: "has more than one name"
    case .tooLarge: "is larger than \(PAMFolder.largest) bytes"
    case .system(let number): SystemError.text(number)
    }
  }
}
