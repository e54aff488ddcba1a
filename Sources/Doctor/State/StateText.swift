import Wording

/// What doctor says about the state folder and the device key.
enum StateText: FindingCatalogue {
  /// The configuration, which says where the folder is, cannot be used.
  case unknown
  /// Only root may look.
  case closed(path: String)
  case fine(path: String)
  case missing(path: String, SystemReason, isAbsent: Bool)
  case otherKind(path: String)
  case owner(path: String, uid: UInt32)
  case mode(path: String, mode: String, needed: String)
  case badKey(path: String, size: Int)

  var english: FindingText {
    switch self {
    case .unknown:
      FindingText("state: only the configuration says where it is", do: "correct the configuration first")
    case .closed(let path): FindingText.asRoot("state: \(path)")
    case .fine(let path): FindingText("state: \(path)")
    case .missing(let path, let reason, let isAbsent):
      FindingText("state: \(path): \(reason.english)", do: isAbsent ? "uafctl init" : "look at the folders above it")
    case .otherKind(let path):
      FindingText("state: \(path) is something else", do: "move it away, then uafctl init")
    case .owner(let path, let uid): FindingText("state: \(path) belongs to uid \(uid)", do: "chown root:root \(path)")
    case .mode(let path, let mode, let needed):
      FindingText("state: \(path) has mode \(mode)", do: "chmod \(needed) \(path)")
    case .badKey(let path, let size):
      FindingText(
        "state: \(path) is not one file of \(size) bytes",
        do: "restore it: without it every account has to be registered anew")
    }
  }

  var korean: FindingText {
    switch self {
    case .unknown: FindingText("상태: 위치는 설정에만 나와 있습니다", do: "먼저 설정을 바로잡으십시오")
    case .closed(let path): FindingText.asRootKorean("상태: \(path)")
    case .fine(let path): FindingText("상태: \(path)")
    case .missing(let path, let reason, let isAbsent):
      FindingText("상태: \(path): \(reason.korean)", do: isAbsent ? "uafctl init" : "그 위의 폴더들을 살펴보십시오")
    case .otherKind(let path):
      FindingText("상태: \(path): 다른 종류의 파일입니다", do: "다른 곳으로 옮긴 뒤 uafctl init을 실행하십시오")
    case .owner(let path, let uid): FindingText("상태: \(path): 소유자가 uid \(uid)입니다", do: "chown root:root \(path)")
    case .mode(let path, let mode, let needed):
      FindingText("상태: \(path): 모드가 \(mode)입니다", do: "chmod \(needed) \(path)")
    case .badKey(let path, let size):
      FindingText(
        "상태: \(path): \(size)바이트의 단일 파일이 아닙니다", do: "복원하십시오. 없으면 모든 계정을 다시 등록해야 합니다")
    }
  }
}
