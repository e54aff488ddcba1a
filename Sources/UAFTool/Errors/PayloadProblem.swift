import UAFMessages
import Wording

/// Why a payload cannot be used.
enum PayloadProblem: Catalogued, Equatable {
  case message(MessageError)
  /// It asks for an operation that no payload may.
  case operation(String)
  /// It asks for a registration, and was to be denied.
  case registrationDenied

  var english: String {
    switch self {
    case .message(let error): "\(error)"
    case .operation(let name): "it asks for \(name), which no code may"
    case .registrationDenied: "it asks for a registration, which needs no denial"
    }
  }

  var korean: String {
    switch self {
    case .message(let error): Self.korean(error)
    case .operation(let name): "코드로 할 수 없는 작업(\(name))을 요구합니다"
    case .registrationDenied: "등록을 요구하는 코드이며, 등록은 거절할 필요가 없습니다"
    }
  }

  private static func korean(_ error: MessageError) -> String {
    switch error {
    case .json: "올바른 JSON이 아닙니다"
    case .tlv: "올바른 TLV가 아닙니다"
    case .missing(let path): "\(path)이(가) 없습니다. 보낸 쪽에서 바로잡아야 합니다"
    case .wrongType(let path): "\(path)의 형식이 다릅니다. 보낸 쪽에서 바로잡아야 합니다"
    case .outOfRange(let path): "\(path)이(가) 범위를 벗어났습니다. 보낸 쪽에서 바로잡아야 합니다"
    case .notBase64URL("", _): "base64url이 아닙니다"
    case .notBase64URL(let path, _): "\(path): base64url이 아닙니다"
    case .unsupportedVersion: "지원하는 UAF 버전(1.0, 1.1)이 없습니다"
    case .repeatedVersion: "같은 UAF 버전이 두 번 들어 있습니다. 보낸 쪽에서 바로잡아야 합니다"
    case .wrongOperation: "다른 작업의 메시지입니다. 보낸 쪽에서 바로잡아야 합니다"
    case .unknownExtension(let path): "\(path): 지원하지 않는 확장을 요구합니다"
    }
  }
}
