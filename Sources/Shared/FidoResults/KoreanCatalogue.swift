// Purpose: every text in Korean.

enum KoreanCatalogue: Catalogue {
  static func ifForgotten(_ codes: CodeUse) -> String {
    if let next = withoutCodes(codes) { return "잊어버렸다면 \(next)" }
    return codes == .roots
      ? "잊어버렸다면 root 관리자가 등록 코드로 '\(codes.setting())'을 실행해 새로 정해야 합니다."
      : "잊어버렸다면 등록 코드로 '\(codes.setting())'을 실행해 새로 정하십시오."
  }

  /// How a person who has forgotten a value gets a new one at a server that takes no codes; nil at other servers.
  static func withoutCodes(_ codes: CodeUse) -> String? {
    guard !codes.takesCodes else { return nil }
    return codes.isRoot
      ? "'\(codes.setting())' 명령을 실행하십시오. 그다음 사용자가 'uafctl register' 명령으로 다시 등록합니다."
      : "root 관리자가 '\(codes.setting())' 명령을 실행해야 합니다. 그다음 직접 'uafctl register' 명령으로 다시 등록하십시오."
  }

  /// How an account in use gets a new key.
  static func newCode(_ codes: CodeUse) -> String {
    // The value is known: only its key is new.
    guard codes.takesCodes else { return "'\(codes.repair)' 명령으로 새 키를 만드십시오." }
    return codes == .roots
      ? "root 관리자가 새 등록 코드로 '\(codes.setting())'을 실행해야 합니다."
      : "관리자에게 새 등록 코드를 받은 뒤 '\(codes.setting())'을 실행하십시오."
  }

  /// It names the type that is gone: otherwise, a remaining type would get the new value.
  private static func registersAgain(_ kinds: [ValueKind] = [], _ codes: CodeUse) -> String {
    guard codes.takesCodes else {
      return "'\(codes.command("register", kinds.count == 1 ? kinds[0].english : ""))' 명령으로 다시 등록합니다."
    }
    // Nothing of the type is left, so that a person's code is enough.
    return "등록 코드가 있으면 '\((codes == .roots ? .persons : codes).setting(kinds))' 명령으로 다시 등록합니다."
  }

  private static func told(_ key: ReplacedKey) -> String {
    switch key {
    case .forgotten: " 서버에서도 이전 키를 지웠습니다."
    case .refusedBefore: ""
    case .unsaid(let keyIDs):
      " 서버가 이전 키를 지웠다고 알리지 않았으니 서버 관리자에게 다음 키를 'uaf-server revoke --key'로 폐기해 달라고 하십시오: \(keyIDs.joined(separator: ", "))"
    case .stays: " 서버에는 이전 키가 남아 있으니 서버의 계정 설정에서 지우십시오."
    }
  }

  static func results(_ codes: CodeUse) -> [UInt32: ResultText] {
    [
      0: ResultText("성공했습니다."),
      10: ResultText("본인 확인 준비가 되었습니다."),
      980: ResultText("다시 등록하기를 선택했습니다.", newCode(codes)),
      999: ResultText("취소했습니다."),
      1001: ResultText("설정이나 메시지가 올바르지 않습니다.", "관리자에게 문의하십시오. 로그에 항목이 나와 있습니다."),
      1002: ResultText("서버 인증서나 채널 바인딩이 올바르지 않습니다.", "다른 곳에 패스코드를 입력하지 말고 관리자에게 알리십시오."),
      1005: ResultText("서버의 메시지를 이해할 수 없습니다.", "관리자에게 알리십시오. 로그에 내용이 나와 있습니다."),
      1006: ResultText("로그인 도우미가 없거나 맞지 않거나 중단되었습니다.", "libpam-uaf 패키지를 다시 설치하십시오."),
      1007: ResultText("이 컴퓨터에서 FIDO를 사용할 수 없습니다.", "관리자에게 문의하십시오. 로그에 이유가 나와 있습니다."),
      1008: ResultText("서버에는 계정이 있지만 이 컴퓨터에는 키가 없습니다.", "'\(codes.registration)' 명령으로 다시 등록하십시오."),
      1009: ResultText("이 컴퓨터에 등록되지 않은 계정입니다.", "'\(codes.registration)' 명령으로 등록하십시오."),
      1011: ResultText("사용자 이름이 올바르지 않습니다.", "공백, 제어 문자, 비ASCII 문자가 없는 짧은 이름을 사용하십시오."),
      1012: ResultText("그런 인증 수단은 없습니다.", "passcode, pattern, fingerprint, face 가운데 하나를 사용하십시오."),
      1100: ResultText("요청이 없거나 이미 사용되었거나 만료되었습니다.", "다시 시도하십시오."),
      2001: ResultText("서버가 이 클라이언트를 신뢰하지 않습니다.", "'uafctl facet' 명령이 보여 주는 값을 관리자가 서버에 등록해야 합니다."),
      2002: ResultText("서버가 요구하는 인증 수단이 없습니다.", "관리자에게 문의하십시오. 로그에 서버가 요구하는 것이 나와 있습니다."),
      2003: ResultText("서버가 다른 UAF 버전을 사용합니다.", "pam-uaf 또는 서버를 업데이트하십시오."),
      3005: ResultText("지원하지 않습니다."),
      3006: ResultText("등록되어 있고 사용할 수 있습니다."),
      3007: ResultText("등록되지 않았습니다.", "'\(codes.registration)' 명령으로 등록하십시오."),
      3008: ResultText("잠겨 있습니다.", "기다리거나 관리자에게 문의하십시오."),
      3010: ResultText("변경하지 못했습니다.", "관리자에게 문의하십시오. 로그에 이유가 나와 있습니다."),
      3011: ResultText("초기화하지 못했습니다.", "관리자에게 문의하십시오. 로그에 이유가 나와 있습니다."),
      3012: ResultText("값이 맞지 않습니다.", "다시 시도하십시오. \(ifForgotten(codes))"),
      3013: ResultText("잘못된 입력으로 잠시 잠겼습니다.", "기다린 뒤 다시 시도하십시오."),
      3014: ResultText("잘못된 입력이 너무 많아 영구히 잠겼습니다.", "관리자에게 잠금 해제를 요청하십시오."),
      3015: ResultText("잘못된 입력이 남아 있는 동안 잠금 설정은 바뀌지 않습니다.", "올바른 값을 한 번 입력하거나 관리자에게 잠금 해제를 요청하십시오."),
      4001: ResultText("서버가 응답하지 않습니다.", "네트워크를 확인한 뒤 다시 시도하십시오."),
      7000: ResultText("등록된 생체 정보가 바뀌지 않았습니다."),
      7001: ResultText("등록된 생체 정보가 바뀌었습니다.", "패스코드를 한 번 입력하십시오."),
      7002: ResultText("이 컴퓨터에서는 생체 정보의 상태를 알 수 없습니다.", "다른 인증 수단을 사용하십시오."),
      7003: ResultText("생체 정보의 상태를 읽지 못했습니다.", "관리자에게 알리십시오. 로그에 이유가 나와 있습니다."),
      7004: ResultText("생체 인식에 실패했습니다.", "다시 시도하십시오."),
      7005: ResultText("생체 인식이 잠겨 있습니다.", "패스코드를 사용하십시오."),
      7006: ResultText("등록된 생체 정보가 없습니다.", "시스템 설정에서 등록하십시오."),
      7007: ResultText("생체 인식을 쓰려면 먼저 패스코드가 있어야 합니다.", "패스코드를 등록하십시오."),
      7008: ResultText("이 컴퓨터에는 생체 인식 장치가 없습니다.", "다른 인증 수단을 사용하십시오."),
      7009: ResultText("다른 로그인 방법을 선택했습니다.", "비밀번호로 계속하십시오."),
      7010: ResultText("프로그램이 대화를 끝냈습니다.", "다시 시도하십시오."),
      7011: ResultText("시스템이 중단했거나 시간이 초과되었습니다.", "다시 시도하십시오."),
      7012: ResultText("여기서는 생체 인식을 요청할 수 없습니다.", "다른 인증 수단을 사용하십시오."),
      7013: ResultText("지금은 생체 인식을 사용할 수 없습니다.", "다른 인증 수단을 사용하십시오."),
      7014: ResultText("여기서는 대화할 수 없습니다.", "터미널을 사용하십시오."),
      7015: ResultText("알 수 없는 이유로 생체 인식에 실패했습니다.", "다시 시도하십시오."),
      7100: ResultText("값을 초기화했습니다.", "'\(codes.registration)' 명령으로 다시 등록하십시오."),
      7101: ResultText("값을 초기화하지 못했습니다.", "관리자에게 문의하십시오. 로그에 이유가 나와 있습니다."),
      7102: ResultText("초기화할 것이 없습니다.", "'\(codes.registration)' 명령으로 등록하십시오."),
      7103: ResultText("이 인증 수단에는 초기화할 값이 따로 없습니다."),
      7110: ResultText("값을 변경했습니다."),
      7111: ResultText("값을 변경하지 못했습니다.", "다시 시도하십시오."),
      7112: ResultText("변경을 취소했습니다."),
      7113: ResultText("이 인증 수단의 값은 여기서 바꿀 수 없습니다.", "시스템 설정을 사용하십시오."),
      9000: ResultText("서버가 나중에 다시 시도하라고 합니다."),
      9999: ResultText("알 수 없는 오류입니다.", "관리자에게 알리십시오. 로그에 자세한 내용이 있습니다."),
      13_006: ResultText("서버에 그런 등록이 없습니다.", newCode(codes)),
      15_007: ResultText("등록을 해지할 계정을 서버가 모릅니다."),
      19_019: ResultText("사용자 이름이 비어 있습니다.", "사용자 이름을 입력하십시오."),
    ]
  }

  static func text(_ prompt: PromptText, _ codes: CodeUse) -> String {
    switch prompt {
    case .value(let kind, let user, let service, let digits):
      return "\(PromptText.shown(user)) \(kind.korean)\(brackets(service, digits)): "
    case .currentValue(let kind, let user, let digits):
      return "\(PromptText.shown(user)) 현재 \(kind.korean)\(brackets(nil, digits)): "
    case .newValue(let kind, let user, let digits):
      return "\(PromptText.shown(user)) 새 \(kind.korean)\(brackets(nil, digits)): "
    case .newValueAgain(let kind, let digits): return "새 \(kind.korean) 다시 입력\(brackets(nil, digits)): "
    case .valuesDiffer: return "두 입력이 서로 다릅니다. 횟수에 포함되지 않습니다."
    case .valueUnchanged(let kind): return "지금 쓰는 \(kind.korean) 그대로입니다. 다른 값을 정하십시오."
    case .enrol(let kind, let user):
      return "\(PromptText.shown(user)) 등록: \(kind.koreanObject) 정해 두 번 입력하십시오."
    case .patternKeys: return "패턴의 점을 숫자로 입력하십시오. 왼쪽 위가 1, 줄 순서대로 오른쪽 아래가 9입니다."
    case .choice(let user): return "\(PromptText.shown(user)) 인증 수단:"
    case .choiceNumber(let count): return "번호를 고르십시오 (1-\(count)): "
    case .choiceOption(let kinds): return kinds.map(\.korean).joined(separator: " + ")
    case .registerAgain: return "새 등록 코드로 다시 등록"
    case .registerAgainChosen: return "다시 등록하기를 선택했습니다. 이번에는 로그인되지 않습니다. [980]"
    case .nothingPicked: return "목록에서 고른 것이 없습니다. 횟수에 포함되지 않습니다."
    case .noSuchChoice(let count): return "1부터 \(count)까지의 번호를 입력하십시오. 횟수에 포함되지 않습니다."
    case .emptyLineBack: return "빈 줄: 목록으로 돌아가기"
    case .valueIsStale(let kind): return "지금 쓰는 \(kind.koreanSubject) 현재 규칙에 맞지 않습니다. 바꿔야 합니다."
    case .valueIsStaleHere(let kind):
      return "지금 쓰는 \(kind.koreanSubject) 현재 규칙에 맞지 않습니다. 'uafctl change'로 바꾸십시오."
    case .acceptedOffline: return "서버에 연결할 수 없어 서버 확인 없이 허용했습니다."
    case .valueMeetsRules(let kind, let other): return "\(kind.koreanSubject) 규칙에 맞습니다. 바꿔야 할 것은 \(other.korean)입니다."
    case .codeRefused(let user):
      return "서버가 등록 코드를 받아들이지 않습니다. 서버에서 이 계정의 이름은 \(PromptText.shown(user))입니다. 관리자에게 그 이름의 새 코드를 요청하십시오."
    case .enrolmentCode: return "등록 코드: "
    case .serverPassword(let user): return "서버의 \(user) 비밀번호: "
    case .machinePayload: return "가입 파일의 줄: "
    case .unlockLine: return "잠금 해제 파일의 줄: "
    case .unlockCodeWrong(let machine):
      return "이 컴퓨터(헬프데스크에서는 \(machine))에서 이 계정의 잠금 해제 코드가 아닙니다. "
        + "24자를 모두 비교하거나 파일을 사용하십시오."
    case .unlockCode: return "잠금 해제 코드(24자): "
    case .recoveryKey: return "복구 키(빈 줄: 없음): "
    case .keyringPassword(let user, canDecline: false): return "\(PromptText.shown(user)) 키링 비밀번호: "
    case .keyringPassword(_, canDecline: true):
      return "로그인할 때마다 키링을 열 수 있습니다. 키링 비밀번호(빈 줄: 보관하지 않고 다시 묻지 않음): "
    case .keyringKept(let kind, let user):
      return "이제 \(kind.koreanObject) 입력해 로그인하면 \(PromptText.shown(user)) 키링이 열립니다."
    case .keyringDeclined: return "키링 비밀번호를 보관하지 않습니다. 나중에 'uafctl keyring set'으로 보관할 수 있습니다."
    case .keyringForgotten(let user, let wasKept):
      return wasKept
        ? "\(PromptText.shown(user)) 키링 비밀번호를 더 이상 보관하지 않습니다. 'uafctl keyring set'으로 다시 보관할 수 있습니다."
        : "보관하던 \(PromptText.shown(user)) 키링 비밀번호가 없습니다."
    case .keyringDropped(let kinds):
      return "보관하던 키링 비밀번호를 지웠습니다(\(kinds.map(\.korean).joined(separator: ", "))). 'uafctl keyring set'으로 다시 "
        + "보관할 수 있습니다."
    case .oneTimeCode: return "코드: "
    case .valueNotSet(let kind): return "입력한 값을 쓸 수 없어 \(kind.koreanObject) 정하지 못했습니다. 다시 시도하십시오."
    case .wrong(let kind, let tries): return wrong(kind, tries)
    case .wrongBefore(let tries): return "앞서 입력한 값이 맞지 않았습니다. \(tries)번 더 시도할 수 있습니다."
    case .locked(let seconds): return "잘못된 입력으로 잠겼습니다. \(wait(seconds)) 뒤에 다시 시도하십시오."
    case .lockedForGood: return "잘못된 입력이 너무 많아 영구히 잠겼습니다. 관리자에게 잠금 해제를 요청하십시오."
    case .digitsExpected(let count): return "숫자 \(count)자리를 입력하십시오. 횟수에 포함되지 않습니다."
    case .waitingForServer: return "서버의 응답을 기다리고 있습니다."
    case .noAnswer(let reason): return noAnswer(reason)
    case .refusedByServer(let said):
      let said = Text.cleaned(said ?? "")
      return said.isEmpty ? "서버가 거부했습니다." : "서버가 거부했습니다: \(said)"
    case .revoked(let said):
      return "서버가 등록을 폐기했습니다\(PromptText.inBrackets(said)). "
        + (codes == .roots || !codes.takesCodes ? newCode(codes) : "관리자에게 등록 코드를 받은 뒤 '\(codes.setting())'을 실행하십시오.")
    case .keyGone(let kind):
      return "\(kind.koreanSubject) 서버에 더 이상 등록되어 있지 않습니다. "
        + "'\(codes.command("register", kind.english))' 명령으로 다시 등록하십시오."
    case .notAskedFor(let kind):
      return "서버가 \(kind.koreanObject) 요구하지 않습니다. 서버에 그 키가 더 이상 없거나, 서버가 받아들이지 않는 인증 수단입니다. 다른 인증 수단을 "
        + "쓰거나 '\(codes.command("register", kind.english))' 명령으로 다시 등록하십시오."
    case .serverForbids: return "서버가 이 계정에는 허용하지 않습니다. 계정이 비활성화되었을 수 있습니다. 서버 관리자에게 문의하십시오."
    case .serverUndecided: return "서버가 아직 결정하지 않았습니다. 무엇을 기다리는지 서버 관리자에게 문의하십시오."
    case .serverFailed: return "서버에 오류가 있습니다. 서버 관리자에게 알리십시오."
    case .serverNameChanged: return "설정에 있는 이 계정의 서버 이름이 등록된 이름과 다릅니다. 관리자에게 알리십시오."
    case .serverStatus(let status): return KoreanParticles.resolved("서버가 상태 \(status)(으)로 응답했습니다.")
    case .serverNumber(let number): return KoreanParticles.resolved("서버가 결과 \(number)(으)로 응답했습니다.")
    case .stateIsOlder:
      return "서버가 이 컴퓨터보다 이 키의 서명을 더 많이 확인했습니다. 이전 사본이 복원되었거나 다른 컴퓨터에도 이 키가 있습니다. "
        + (codes.takesCodes ? "관리자에게 등록 코드를 받은 뒤 '\(codes.repair)' 명령을 실행하십시오." : "'\(codes.repair)' 명령을 실행하십시오.")
    case .cancelled: return "취소했습니다."
    case .confirm(let kind, let text): return "\(kind.koreanObject) 입력하면 다음을 승인합니다: \(text)"
    case .ready: return "준비되었습니다. 계속하려면 Enter, 취소하려면 Ctrl-C를 누르십시오. "
    case .denied: return "거부했습니다. 이제 아무도 승인할 수 없습니다."
    case .approvalIsOver: return "이 코드로 승인할 것이 더는 없습니다."
    case .partOfText(let left):
      return "\\.. 자리의 \(left)자는 표시하지 않았습니다. \\# 뒤는 전체 길이와 SHA-256입니다."
    case .textTooLong(let count): return "명령이 승인할 수 있는 \(count)자를 넘습니다. 스크립트로 만들어 실행하십시오."
    case .ownTextTooLong(let count): return "문구가 승인할 수 있는 \(count)자를 넘습니다. 더 짧게 쓰십시오."
    case .overwrittenByList:
      return "--preserve-env=목록을 쓴 명령은 승인할 수 없습니다. 대신 명령 앞에 이름=값을 쓰십시오."
    case .codeMistyped(let group):
      let place = group.map { "네 부분 중 \($0)번째 부분을 " } ?? ""
      return "등록 코드를 잘못 입력했습니다. \(place)받은 코드와 비교하여 확인하십시오."
    case .codeOfOtherAccount(let name):
      return "다른 계정의 등록 코드입니다. 이 계정은 서버에서 \(PromptText.shown(name)) 이름을 씁니다. 관리자에게 그 이름의 코드를 요청하십시오."
    case .approvalOfOtherAccount(let name):
      return "다른 계정에 요청한 승인입니다. 이 계정은 서버에서 \(PromptText.shown(name)) 이름을 씁니다. 승인은 요청을 받은 사람만 할 수 있습니다."
    case .configurationError: return "이 컴퓨터의 설정이 잘못되었습니다. 관리자에게 알리십시오."
    case .tooManyConversations: return "짧은 시간에 로그인이 너무 많습니다. 잠시 기다리거나 진행 중인 것을 하나 끝낸 뒤 다시 시도하십시오."
    case .registered(let user): return "\(PromptText.shown(user)) 계정을 등록했습니다."
    case .lostKeysForgotten: return "서버에 남아 있던, 이 컴퓨터가 잃어버린 키를 서버에서 지웠습니다. [1008]"
    case .registeredBefore(let kind, let user):
      return "\(PromptText.shown(user)) 계정은 이 컴퓨터에 \(kind.koreanSubject) 이미 있습니다. 이 코드로 새로 정합니다. "
        + "서버가 새 값을 받아들일 때까지 이전 값이 유지됩니다."
    case .valueReplaced(let kind, let user, let oldKey):
      return "\(PromptText.shown(user)): 새 \(kind.koreanObject) 등록했습니다. 이전 값은 이 컴퓨터에서 지웠습니다." + told(oldKey)
    case .deregistered(let user, let kinds):
      return "\(PromptText.shown(user)) 계정의 등록을 서버와 이 컴퓨터에서 해지했습니다\(brackets(kinds)). \(registersAgain(kinds, codes))"
    case .deregisteredThere(let user, let kinds):
      return "\(PromptText.shown(user)) 계정의 등록을 서버에서만 해지했습니다\(brackets(kinds)). 서버의 승인에 서명이 없어"
        + "(server.require_signed_verdict) 이 컴퓨터에는 그대로 남지만, 더는 로그인할 수 없습니다. 새 값을 정하려면 root 관리자가 "
        + (codes.takesCodes
          ? "새 등록 코드로 'uafctl register USER\(PromptText.named(kinds)) --code FILE'을 실행하거나, 값을 초기화해야 합니다."
          : "'uafctl reset USER\(PromptText.named(kinds))' 명령을 실행해야 합니다. 그다음 직접 'uafctl register' 명령으로 다시 등록하십시오.")
    case .deregisteredHere(let user, let kinds):
      return "\(PromptText.shown(user)) 계정의 등록을 해지했습니다\(brackets(kinds)). "
        + "서버에는 그 키가 이미 없었고, 이제 이 컴퓨터에도 없습니다."
    case .deregisteredHereAlone(let user, let kinds):
      return "\(PromptText.shown(user)) 계정의 등록을 이 컴퓨터에서만 해지했습니다\(brackets(kinds)). 서버의 목록에는 이제 아무도 갖고 있지 않은 "
        + "키가 남아 있으니 서버의 계정 설정에서 지우십시오."
    case .deregisteredMore(let user, let left):
      return "\(PromptText.shown(user)) 계정의 등록을 해지했습니다. 서버는 이 컴퓨터에 아직 남아 있는 \(left.korean)의 키도 지웠습니다: "
        + codes.command("deregister", left.english)
    case .forgotten(let user):
      return "이 컴퓨터에서 \(PromptText.shown(user)) 계정의 정보를 모두 지웠습니다. 서버에는 아직 키가 남아 있습니다. \(registersAgain([], codes))"
    case .renamed(let user, let from, let server):
      return "\(PromptText.shown(from)) 이름으로 등록한 것을 \(PromptText.shown(user)) 계정으로 옮겼습니다. "
        + "서버의 계정 이름은 바뀌지 않습니다: \(PromptText.shown(server))"
    case .changed(let kind, let user): return "\(PromptText.shown(user)) \(kind.koreanObject) 변경했습니다."
    case .changedButRefused(let kind, let user):
      let done = "\(PromptText.shown(user)) \(kind.koreanObject) 변경했습니다. 서버는 아직 이 키를 받아들이지 않습니다. "
      guard codes.takesCodes else { return done + "'\(codes.command("repair", kind.english))' 명령으로 새 키를 만드십시오." }
      return done
        + (codes == .roots
          ? "root 관리자가 등록 코드로 '\(codes.setting())'을 실행해 새 키를 만들어야 합니다."
          : "등록 코드가 있으면 '\(codes.setting())' 명령으로 새 키를 만듭니다.")
    case .reset(let kind, let user, let serverKnows):
      let done = "\(PromptText.shown(user)) \(kind.koreanObject) 초기화했습니다."
      let next = " " + registersAgain([kind], codes)
      return serverKnows ? done + " 서버에는 아직 키가 남아 있지만, 이 컴퓨터에서는 더 이상 쓸 수 없습니다." + next : done + next
    case .repaired(let kind, let user, let oldKey):
      return "\(PromptText.shown(user)): \(kind.korean)에 새 키를 등록했습니다." + told(oldKey)
    case .left(let serverKnows):
      return serverKnows ? "서버에서 탈퇴했습니다." : "탈퇴했습니다. 서버에는 알리지 못했으니 서버 관리자에게 이 컴퓨터를 취소해 달라고 하십시오."
    case .registeredAgain(let kind): return "다시 등록했습니다. 새 \(kind.koreanObject) 사용해 로그인하십시오."
    case .cause(let cause): return told(cause, codes).text
    case .touchOrType(.finger): return "지문 센서에 손가락을 대고 Enter를 누르거나 입력하십시오."
    case .touchOrType(.camera): return "카메라를 보고 Enter를 누르거나 입력하십시오."
    case .touch(.finger): return "지문 센서에 손가락을 대십시오."
    case .touch(.camera): return "카메라를 보십시오."
    case .touchThenEnter(.finger): return "지문 센서에 손가락을 댄 뒤 Enter를 누르십시오: "
    case .touchThenEnter(.camera): return "카메라를 본 뒤 Enter를 누르십시오: "
    case .touched(let touch, .finger): return text(touch)
    case .touched(let touch, .camera): return text(ofLook: touch)
    case .faceChanged:
      return "등록된 얼굴이 바뀌었습니다. 'uafctl deregister face' 명령으로 예전 것을 지우고 'uafctl register face' 명령으로 다시 등록하십시오."
    case .printsAccepted: return "지금 등록된 지문을 이제부터 받아들입니다."
    case .patternGrid:
      return "마우스, 숫자 1-9, 또는 화살표와 스페이스로 그리십시오. Enter: 완료. Backspace: 한 점 지우기."
    }
  }

  static func text(_ rule: RuleText) -> String {
    switch rule {
    case .minimumLength(let count): "\(count)자 이상이어야 합니다."
    case .maximumLength(let count): "\(count)자 이하여야 합니다."
    case .exactDigits(let count): "숫자 \(count)자리여야 합니다."
    case .empty: "아무것도 입력하지 않았습니다."
    case .tooLong: "너무 깁니다."
    case .unusableCharacters: "사용할 수 없는 문자가 들어 있습니다."
    case .digitsOnly: "숫자만 사용할 수 있습니다."
    case .equalCharacter: "한 가지 문자만으로 된 값은 사용할 수 없습니다."
    case .ascendingDescending: "123456이나 fedcba처럼 이어지는 값은 사용할 수 없습니다."
    case .twoCharacterRepeat: "373737처럼 두 문자가 번갈아 나오는 값은 사용할 수 없습니다."
    case .twoEqualCharacterRepeat: "335577처럼 같은 문자 쌍으로만 된 값은 사용할 수 없습니다."
    case .notNumberEnglish: "영문자와 숫자만 사용할 수 있습니다."
    case .minimumNodes(let count): "점 \(count)개 이상이어야 합니다."
    case .nodesOnly: "1부터 9까지의 숫자만 사용하십시오."
    case .nodeTwice: "같은 점은 한 번만 사용하십시오."
    case .regularExpression: "정해진 형식에 맞지 않습니다."
    case .ignored: "사용할 수 없는 내용이 들어 있습니다."
    case .ownForm: "관리자가 정한 형식에 맞아야 합니다."
    case .ownExclusions: "관리자가 금지한 말은 사용할 수 없습니다."
    }
  }

  /// The text in brackets after the name in a prompt.
  private static func brackets(_ service: String?, _ digits: Int?) -> String {
    let parts = [service.map(PromptText.shown), digits.map { "숫자 \($0)자리" }].compactMap(\.self)
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  private static func brackets(_ kinds: [ValueKind]) -> String {
    kinds.isEmpty ? "" : " (\(kinds.map(\.korean).joined(separator: ", ")))"
  }

  private static func wrong(_ kind: ValueKind, _ triesLeft: Int?) -> String {
    guard let triesLeft else { return "\(kind.koreanSubject) 맞지 않습니다." }
    return "\(kind.koreanSubject) 맞지 않습니다. \(triesLeft)번 더 시도할 수 있습니다."
  }

  private static func wait(_ seconds: Int) -> String {
    seconds < 120 ? "\(seconds)초" : "\(seconds / 60 + (seconds % 60 == 0 ? 0 : 1))분"
  }

  private static func noAnswer(_ reason: NetworkFailure) -> String {
    switch reason {
    case .dns: "서버가 응답하지 않습니다: 서버 이름을 찾을 수 없습니다."
    case .refused: "서버가 응답하지 않습니다: 연결이 거부되었습니다."
    case .unreachable: "서버가 응답하지 않습니다: 서버로 가는 네트워크가 없습니다."
    case .timeOut: "서버가 응답하지 않습니다: 시간이 초과되었습니다."
    case .tls: "서버가 응답하지 않습니다: 보안 연결을 할 수 없습니다."
    case .proxy: "서버가 응답하지 않습니다: 프록시가 요청을 통과시키지 않습니다."
    case .connectionLost: "서버가 응답하지 않습니다: 연결이 끊어졌습니다."
    case .ownMeans: "서버에 물어볼 수 없습니다: 이 컴퓨터에 남은 프로세스, 메모리, 파일 디스크립터 또는 포트가 없습니다. 나중에 다시 시도하세요."
    }
  }
}

extension KoreanCatalogue {
  /// The result of a touch.
  static func text(_ touch: TouchText) -> String {
    switch touch {
    case .notMatched: "등록된 지문이 아닙니다. 센서에 다시 대십시오."
    case .again: "지문을 읽지 못했습니다. 센서에 다시 대십시오."
    case .tooShort: "너무 짧게 밀었습니다. 다시 시도하십시오."
    case .notCentred: "손가락을 센서 가운데에 대십시오."
    case .liftFirst: "손가락을 뗀 다음 센서에 다시 대십시오."
    case .tooFast: "손가락을 너무 빨리 뗐습니다. 센서에 다시 대십시오."
    case .waiting: "지문 센서가 기다리고 있습니다."
    }
  }

  /// The result of a look at the camera.
  static func text(ofLook touch: TouchText) -> String {
    switch touch {
    case .notMatched: "등록된 얼굴이 아닙니다. 카메라를 다시 보십시오."
    case .again, .tooShort, .liftFirst, .tooFast: "얼굴을 읽지 못했습니다. 카메라를 다시 보십시오."
    case .notCentred: "얼굴을 카메라 화면 가운데에 두십시오."
    case .waiting: "카메라가 기다리고 있습니다."
    }
  }
}
