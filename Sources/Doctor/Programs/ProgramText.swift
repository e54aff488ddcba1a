import Wording

/// What doctor says of a program of the libexec folder.
enum ProgramText: FindingCatalogue {
  case missing(name: String, path: String, SystemReason)
  case noProgram(name: String, path: String)
  case owner(name: String, path: String, uid: UInt32)
  case mode(name: String, path: String, mode: String)
  case tooLarge(name: String, path: String, bytes: Int)
  case version(name: String, path: String, said: String, expected: String)
  case fine(name: String, path: String, bytes: Int)

  var english: FindingText {
    switch self {
    case .missing(let name, let path, let reason):
      FindingText("\(name): \(path): \(reason.english)", do: "reinstall the libpam-uaf package")
    case .noProgram(let name, let path):
      FindingText("\(name): \(path) is no program", do: "reinstall the libpam-uaf package")
    case .owner(let name, let path, let uid):
      FindingText("\(name): \(path) belongs to uid \(uid)", do: "chown root:root \(path)")
    case .mode(let name, let path, let mode): FindingText("\(name): \(path) has mode \(mode)", do: "chmod 755 \(path)")
    case .tooLarge(let name, let path, let bytes):
      FindingText(
        "\(name): \(path) has \(Self.size(bytes, "bytes"))",
        do: "install a release build: static, stripped, at most 20 MB")
    case .version(let name, let path, let said, let expected):
      FindingText(
        "\(name): \(path) says it is '\(said)', not version \(expected)",
        do: "reinstall the libpam-uaf package: its programs belong together")
    case .fine(let name, let path, let bytes): FindingText("\(name): \(path), \(Self.size(bytes, "bytes"))")
    }
  }

  var korean: FindingText {
    switch self {
    case .missing(let name, let path, let reason):
      FindingText("\(name): \(path): \(reason.korean)", do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .noProgram(let name, let path):
      FindingText("\(name): \(path): 프로그램이 아닙니다", do: "libpam-uaf 패키지를 다시 설치하십시오")
    case .owner(let name, let path, let uid):
      FindingText("\(name): \(path): 소유자가 uid \(uid)입니다", do: "chown root:root \(path)")
    case .mode(let name, let path, let mode): FindingText("\(name): \(path): 모드가 \(mode)입니다", do: "chmod 755 \(path)")
    case .tooLarge(let name, let path, let bytes):
      FindingText(
        "\(name): \(path): 크기가 \(Self.size(bytes, "바이트"))입니다",
        do: "릴리스 빌드를 설치하십시오. 정적 링크, strip 상태이며 20 MB 이하입니다")
    case .version(let name, let path, let said, let expected):
      FindingText(
        "\(name): \(path): 버전 \(expected)이(가) 아니라 '\(said)'(이)라고 합니다",
        do: "libpam-uaf 패키지를 다시 설치하십시오. 프로그램들은 같은 버전이어야 합니다")
    case .fine(let name, let path, let bytes): FindingText("\(name): \(path), \(Self.size(bytes, "바이트"))")
    }
  }

  private static func size(_ count: Int, _ bytes: String) -> String {
    count < 1_000_000 ? "\(count) \(bytes)" : "\(count / 1_000_000).\(count / 100_000 % 10) MB"
  }
}
