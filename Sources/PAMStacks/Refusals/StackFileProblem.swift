import Glibc
import Wording

/// What is wrong with a file of PAM's folder, so that it is neither read nor changed.
package enum StackFileProblem: Error, Equatable, Catalogued {
  case symbolicLink
  case noFile
  case owner(uid_t)
  case writable
  case hardLinks
  case tooLarge
  /// The system's error number.
  case system(CInt)

  /// The most bytes that a file of PAM's folder may have here: far above what any stack has.
  static let largest = 65_536

  /// What is wrong, in English; it follows the name of the file.
  package var english: String {
    switch self {
    case .symbolicLink: "is a symbolic link"
    case .noFile: "is no file"
    case .owner(let user): "belongs to uid \(user)"
    case .writable: "may be written by others"
    case .hardLinks: "has more than one name"
    case .tooLarge: "is larger than \(Self.largest) bytes"
    case .system(let number): SystemReason(number).english
    }
  }
  /// What is wrong, in Korean; it follows the name of the file.
  package var korean: String {
    switch self {
    case .symbolicLink: "심볼릭 링크입니다"
    case .noFile: "파일이 아닙니다"
    case .owner(let user): "소유자가 uid \(user)입니다"
    case .writable: "다른 사용자가 쓸 수 있습니다"
    case .hardLinks: "이름이 둘 이상입니다"
    case .tooLarge: "\(Self.largest)바이트보다 큽니다"
    case .system(let number): SystemReason(number).korean
    }
  }
}
