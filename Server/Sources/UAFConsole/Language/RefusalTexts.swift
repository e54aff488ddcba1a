import FidoResults
import UAFAdministration

/// The console's texts about refused operations.
///
/// In English they are the texts of the API, except for lists of people, for which the console has texts that say what to do.
extension PageLanguage {
  /// The text about a state that prevents an operation.
  func text(_ conflict: Conflict) -> String {
    switch conflict {
    case .list(let problem): return text(problem)
    case .wrongLines(let count): return text(PageText.listIsWrong, String(count))
    case .nobodyListed: return text(PageText.listNobody)
    case .tooManySheets(let most): return text(PageText.listManySheets, String(most))
    case .listTooLong: return text(PageText.listTooLong)
    default: break
    }
    return switch self {
    case .english: conflict.description
    case .korean: KoreanParticles.resolved(Self.korean(conflict))
    }
  }

  /// The label of a field, and the rule that its value breaks.
  func text(_ problem: FieldProblem, of field: String) -> String {
    switch self {
    case .english: "\(field) \(problem)"
    case .korean:
      KoreanParticles.resolved("\(label(of: field)): \(Self.korean(problem))")
    }
  }

  /// The label of a field on the pages; its name if no page shows the field.
  private func label(of field: String) -> String {
    let label: PageText? =
      switch field {
      case "policy": .policies
      case "days": .machinePolicyDays
      case "idle": .idleDays
      case "seconds": .lockSeconds
      case "prefix": .beginsWith
      case "search": .contains
      case "name": .tokenName
      case "key": .keyID
      case "keys", "shown": .earlierKeys
      case "lockOut": .lockOutAsk
      case "machines": .mayJoin
      case "form": .listForm
      case "language": .sheetLanguage
      case "not": .leaveOut
      case "sort": .sortOrder
      case "after": .number
      default: PageText(rawValue: field)
      }
    return label.map { text($0) } ?? field
  }

  private static func korean(_ conflict: Conflict) -> String {
    switch conflict {
    case .accountExists(let name): "\(name) 계정이 이미 있습니다"
    case .externalIDTaken(let id, let name): "외부 ID \(id)은(는) 이미 \(name) 계정의 것입니다"
    case .groupExists(let name): "사용자 그룹 \(name)이(가) 이미 있습니다"
    case .groupIDTaken(let id, let name): "외부 ID \(id)은(는) 이미 사용자 그룹 \(name)의 것입니다"
    case .groupIsMapped(let name):
      "사용자 그룹 \(name)은(는) 연결되어 있어 이름과 외부 ID를 바꿀 수 없습니다. 먼저 관리자가 연결을 해제해야 합니다"
    case .groupNotMapped(let name): "사용자 그룹 \(name)은(는) 연결되어 있지 않습니다"
    case .groupRenamed(let name): "사용자 그룹 \(name)의 이름이 그사이 바뀌었습니다. 처음부터 다시 하십시오"
    case .tooManyMappings(let most): "사용자 그룹은 최대 \(most)개까지 연결할 수 있습니다"
    case .nothingMapped: "사용자 그룹은 정책이나 역할, 또는 둘 다에 연결해야 합니다"
    case .tooManyMappedRoles(let most): "그룹 연결로 역할을 가지는 사람은 최대 \(most)명입니다"
    case .roleOfGroup(let name, let group):
      "\(name)의 역할은 사용자 그룹 \(group)의 연결에서 온 것입니다. 그룹에서 빼거나 연결을 해제하십시오"
    case .mappedPolicyGroup(let name):
      "사용자 그룹이 이 정책에 없는 그룹 \(name)에 연결되어 있습니다. 먼저 그 연결을 해제하십시오"
    case .policyOfFile: "서버가 저장된 정책 대신 정책 파일(--policy)을 씁니다. 사용자 그룹은 저장된 정책의 그룹에 연결합니다"
    case .tooManyGroups(let most): "사용자 그룹은 최대 \(most)개입니다"
    case .directoryOutdated(let name): "\(name) 계정이 계획을 세운 뒤에 바뀌었습니다. 계획을 다시 세우십시오"
    case .isAdministrator(let name): "\(name)은(는) 관리자입니다. 먼저 관리자에서 빼십시오"
    case .disabled(let name): "\(name) 계정은 비활성화되어 있습니다. 잠그면 비활성화가 풀립니다"
    case .neitherDisabledNorLocked(let name): "\(name) 계정은 비활성화되지도 잠기지도 않았습니다"
    case .noSealingKeys: "이 서버에 코드를 봉인할 키가 없습니다"
    case .noSigningKeys: "이 서버에 서명할 키가 없습니다"
    case .lockOut(let preview):
      "이 정책에서는 "
        + (preview.locksEverybodyOut ? "아무도" : "키가 있는 계정 \(preview.withKeys)개 중 \(preview.lockedOut)개가")
        + " 로그인할 수 없게 됩니다(\(preview.namesText)). 그래도 저장하려면 \(preview.lockedOut)개까지 허용하십시오"
    case .policyReplaced(let number): "정책 \(number)은(는) 더 이상 적용 중인 정책이 아닙니다. 새 정책을 보고 다시 고치십시오"
    case .machinePolicyReplaced(let number, let group):
      "정책 \(number)은(는) 더 이상 그룹 \(group)에 적용 중인 정책이 아닙니다. 새 정책을 보고 다시 고치십시오"
    case .previewUnderWay: "다른 정책의 미리 보기가 진행 중입니다. 끝난 뒤 다시 시도하십시오"
    case .tokenExists(let name): "토큰 \(name)이(가) 이미 있거나 있었습니다"
    case .keyGone(let name, let key): "\(name) 계정에 더 이상 이 키가 없습니다: \(key). 키 목록을 다시 여십시오"
    case .lastAdministrator(let name): "\(name)은(는) 로그인할 수 있는 마지막 관리자입니다"
    case .list, .wrongLines, .nobodyListed, .tooManySheets, .listTooLong: conflict.description
    }
  }

  private static func korean(_ problem: FieldProblem) -> String {
    switch problem {
    case .unknown: "알 수 없는 값입니다"
    case .notANumber: "숫자여야 합니다"
    case .notATime: "2026-11-23 또는 2026-11-23T12:00:00Z와 같은 시각이어야 합니다"
    case .outOfRange(let range, let unit): "\(range.lowerBound)~\(range.upperBound)\(korean(unit)) 사이의 값이어야 합니다"
    case .tokenLifetime(let range, let role):
      "\(role.rawValue) 역할에서는 \(range.lowerBound)~\(range.upperBound)초여야 합니다"
    case .tooLong(let bytes): "최대 \(bytes)바이트입니다"
    case .longText(let limit): "최대 \(limit.characters)자, \(limit.bytes)바이트입니다"
    case .notMail: "메일 주소여야 합니다. '@'가 하나 있고 그 앞뒤에 글자가 있으며 공백이 없어야 합니다"
    case .emptyGroup: "이름이 빈 그룹이 있습니다"
    case .barInGroup: "그룹 이름에 '|'를 쓸 수 없습니다. 목록에서 이름을 나누는 문자입니다"
    case .noSuchGroup: "이 서버에 그런 이름의 사용자 그룹이 없습니다"
    case .emptySearch: "한 글자 이상 적어 주십시오"
    case .tooMany(let most): "최대 \(most)개입니다"
    case .noReason: "사유를 적어 주십시오"
    case .badReason(let bytes): "사유를 최대 \(bytes)바이트로 적어 주십시오"
    case .hidden(let character): "보이지 않거나 글의 순서를 바꾸는 문자 \(character)이(가) 있습니다"
    case .badName: "공백 없이 인쇄 가능한 ASCII 문자 1~128자여야 합니다"
    case .notAnAccount: "계정의 이름이 아닙니다"
    case .notAPlace: "이 목록의 이전 페이지가 끝난 곳이 아닙니다. 첫 페이지를 다시 여십시오"
    case .noSuchPrefix: "이렇게 시작하는 계정 이름은 있을 수 없습니다"
    case .notAPolicyNumber: "정책의 번호여야 합니다"
    case .malformed(let problem): "정책을 읽을 수 없습니다: \(problem.korean)"
    case .refusedByWorkstations(let problem): "컴퓨터가 이 정책을 거부합니다: \(problem.korean)"
    case .tooLongToSign: "서명하면 너무 길어집니다. 따옴표, 백슬래시, 줄바꿈이 많습니다"
    case .tooLongToConfirm: "승인받기에 너무 깁니다"
    case .notCertificates(let bytes): "최대 \(bytes)바이트의 PEM 인증서여야 합니다"
    case .notAKey: "AAID, 공백, base64url로 쓴 KeyID이거나 passkey, 공백, base64url로 쓴 식별자여야 합니다"
    case .notOnlyKeys: "키가 아닌 것이 들어 있습니다"
    case .keyAndDevice: "키와 기기 중 하나만 지정하십시오"
    case .badGroup: "a~z, 0~9, '.', '_', '-' 1~64자이고 첫 글자는 영문자나 숫자여야 합니다"
    case .unknownGroup: "이 서버에 적용 중인 정책에 없는 그룹입니다"
    case .textLength(let range):
      "요청한 사람을 알리는 말을 포함하여 표시되는 길이가 \(range.lowerBound)~\(range.upperBound)바이트여야 합니다"
    case .noPolicyGroup: "적용 중인 저장된 정책에 없거나, 이름에 공백이나 ASCII가 아닌 글자가 있는 그룹입니다"
    case .notMappable: "privileged에는 연결할 수 없습니다. 그 계정은 정책에 직접 적습니다"
    case .noMappedRole: "auditor, helpdesk, operator 가운데 하나여야 합니다. 관리자 역할은 직접 지정합니다"
    case .outlivesMaker: "이 토큰을 만드는 토큰보다 늦게 끝날 수 없습니다"
    case .standsAlone: "lacks와 함께 쓸 수 없습니다"
    case .notOfDirectory(let name): "ldap:\(name): 뒤에 ID가 있어야 합니다"
    case .ofDirectory: "ldap:로 시작하는 외부 ID는 디렉터리에서 온 계정만 가질 수 있습니다"
    case .emptyFilter: "제외할 행을 정하는 필드가 비어 있습니다"
    }
  }

  private static func korean(_ unit: FieldUnit?) -> String {
    switch unit {
    case .seconds: "초"
    case .days: "일"
    case nil: ""
    }
  }
}
