import UAFWire
import Wording

/// What the core sent against PROTOCOL.md.
enum Confusion: Catalogued, Equatable {
  case packet(PacketError)
  /// A PAM code that does not go with the result.
  case code(UInt8, result: UInt32)
  case statusDocument

  var english: String {
    switch self {
    case .packet(let error): "\(error)"
    case .code(let code, let result): "code \(code) does not go with result \(result)"
    case .statusDocument: "the status document cannot be read"
    }
  }

  var korean: String {
    switch self {
    case .packet(let error): Self.korean(error)
    case .code(let code, let result): "코드 \(code)와(과) 결과 \(result)이(가) 맞지 않습니다"
    case .statusDocument: "상태 문서를 읽을 수 없습니다"
    }
  }

  private static func korean(_ error: PacketError) -> String {
    switch error {
    case .size: "패킷의 크기는 1~\(WireLimit.packet)바이트여야 합니다"
    case .unknownType(let type): "모르는 종류의 패킷입니다(\(type))"
    case .unexpectedField(let type, let tag): "\(type): 필드 \(tag)이(가) 있을 수 없는 곳에 있습니다"
    case .truncated(let type): "\(type): 필드가 패킷의 끝을 넘습니다"
    case .invalidValue(let type, let tag): "\(type): 필드 \(tag)의 값이 올바르지 않습니다"
    case .missingField(let type, let tag): "\(type): 필드 \(tag)이(가) 없습니다"
    case .unexpectedType(let type): "\(type): 대화의 이 시점에 올 수 없습니다"
    }
  }
}
