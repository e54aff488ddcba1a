import Doctor
import UAFConfiguration
import Wording

/// Why the configuration cannot be used.
enum ConfigurationProblem: Catalogued, Equatable {
  case unusable(ConfigurationError)
  /// What the core says of it, in the caller's language already.
  case refused(String)
  /// The core's result, where it says nothing.
  case result(UInt32)
  case noServer(path: String)
  /// The file belongs to a third person.
  case notYours(path: String)
  /// The folder belongs to a third person.
  case folderNotYours(path: String, folder: String)

  var english: String {
    switch self {
    case .unusable(let error): error.english
    case .refused(let text): ShownText.line(text)
    case .result(let number): "result \(number)"
    case .noServer(let path): "\(path): names no server"
    case .notYours(let path): "\(path): it is neither yours nor root's"
    case .folderNotYours(let path, let folder):
      "\(path): \(folder) belongs neither to root nor to the owner of the file"
    }
  }

  var korean: String {
    switch self {
    case .unusable(let error): error.korean
    case .refused(let text): ShownText.line(text)
    case .result(let number): "결과 \(number)"
    case .noServer(let path): "\(path): 서버가 없습니다"
    case .notYours(let path): "\(path): 자신의 파일도 root의 파일도 아닙니다"
    case .folderNotYours(let path, let folder): "\(path): \(folder)의 소유자가 root도 파일의 소유자도 아닙니다"
    }
  }
}
