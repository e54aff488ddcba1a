// The problems of a configuration file or of a server's policy in Korean: for uafctl, and for the server's console, which saves
// policies.

import AuthenticatorTypes

extension TOMLProblem {
  /// The text in Korean.
  public var korean: String {
    switch self {
    case .tooLong(let limit): "\(limit)바이트보다 깁니다"
    case .byteOrderMark: "파일이 바이트 순서 표시(BOM)로 시작합니다. BOM 없는 UTF-8로 저장하십시오"
    case .utf16: "파일이 UTF-16입니다. UTF-8로 저장하십시오"
    case .notUTF8: "UTF-8이 아닙니다"
    case .controlCharacter: "제어 문자가 있습니다"
    case .tooDeep(let limit): "값이 \(limit)단계보다 깊이 들어 있습니다"
    case .tooManyEntries(let limit): "항목이 \(limit)개를 넘습니다"
    case .tooManyParts(let limit): "키의 부분이 \(limit)개를 넘습니다"
    case .openArray: "배열의 원소 사이에는 쉼표가, 끝에는 ]가 필요합니다"
    case .openTable: "인라인 표는 같은 줄에서 }로 끝나야 합니다"
    case .openHeader: "표의 이름은 ]로 끝나야 합니다"
    case .openString: "문자열이 닫히지 않았습니다"
    case .noKey: "키가 없습니다"
    case .notAKey: "키가 없거나, 따옴표로 묶어야 하는 문자가 있습니다"
    case .keyAlone: "키 다음에는 =와 값이 와야 합니다"
    case .defined(let name, let line): "\(name)은(는) \(line)번째 줄에 이미 있습니다"
    case .arrayOfTables: "이 파일에서는 표의 배열([[...]])을 쓰지 않습니다"
    case .noValue: "값이 없습니다"
    case .notAValue(let word): "\(word)은(는) 값이 아닙니다. 텍스트에는 따옴표가 필요하고 숫자는 0으로 시작할 수 없습니다"
    case .tooLarge(let word): "\(word)은(는) 너무 큽니다"
    case .date: "이 파일에서는 날짜와 시각을 쓰지 않습니다"
    case .unknownEscape: "문자열에 모르는 이스케이프가 있습니다. 정규식은 작은따옴표로 묶으십시오"
    case .unicodeEscape: "\\u에는 16진수 네 자리, \\U에는 여덟 자리가 필요하며 NUL은 쓸 수 없습니다"
    case .trailingText: "값이나 표의 이름 뒤에 다른 텍스트가 있습니다"
    }
  }
}

extension SettingForm {
  /// The text in Korean.
  public var korean: String {
    switch self {
    case .boolean: "따옴표 없이 true나 false여야 합니다"
    case .integer(let range): "\(range.lowerBound)부터 \(range.upperBound)까지의 정수여야 합니다"
    case .derivationCost: "14부터 20까지의 정수여야 합니다(모든 서버 URL이 이 컴퓨터일 때만 10부터)"
    case .lockTime: "30부터 86400까지의 초여야 합니다(모든 서버 URL이 이 컴퓨터일 때만 더 짧게)"
    case .lentLockTime: "30~86400초여야 합니다"
    case .text: "따옴표로 묶은 텍스트여야 합니다"
    case .bytes(let limit): "\(limit)바이트 이하여야 합니다"
    case .choice(let names): "다음 가운데 하나여야 합니다: \(Self.quoted(names))"
    case .choices(let names): "다음 가운데 겹치지 않게 적은 목록이어야 하며, 없으면 비워 둡니다: \(Self.quoted(names))"
    case .authenticators: "다음 가운데 하나 이상을 겹치지 않게 적은 목록이어야 합니다: \(Self.types)"
    case .authenticator: "다음 가운데 하나이거나 AAID여야 합니다: \(Self.types)(\(Self.aaids))"
    case .authenticatorArgument:
      "다음 가운데 하나이거나, PAM 파일의 줄이 끝나는 \"#\"을 뺀 AAID여야 합니다: \(Self.types)(\(Self.argumentAAIDs))"
    case .table(let name): "표여야 합니다: [\(name)]"
    case .absolutePath: "절대 경로여야 합니다"
    case .chipPlace: "TPM 장치나 소켓의 절대 경로(107바이트 이하)이거나 비어 있어야 합니다"
    case .sensorService:
      "시스템 버스에 있는 얼굴 인식 서비스의 이름이어야 합니다. 글자, 숫자, '_'로 된 부분을 점으로 이어 128바이트 이하로 쓰고, fprintd의 이름은 쓸 수 없습니다"
    case .messages: "\(Self.koreanMessage)이거나 언어별 텍스트여야 합니다: \(Self.languages)"
    case .messagesByLanguage: "언어별로 한 줄 1~200자의 텍스트를 담은 표여야 합니다: \(Self.languages)"
    case .rule:
      "true, false, 또는 문구여야 합니다. 문구는 \(Self.koreanMessage)이거나 언어별 텍스트여야 합니다: \(Self.languages)"
    case .refusal:
      "기본 문구를 쓰려면 true, 아니면 문구여야 합니다. 문구는 \(Self.koreanMessage)이거나 언어별 텍스트여야 합니다: \(Self.languages)"
    case .deviceName:
      "한 줄로 된 1~\(DeviceNameTemplate.maximumLength)자의 텍스트여야 하며 {hostname}을 쓸 수 있습니다"
    case .character: "한 글자여야 합니다"
    case .color: "색 이름이나 #rrggbb여야 합니다"
    case .environmentName: "대문자로 된 환경 변수 이름이거나 비어 있어야 합니다"
    case .serverURL: "https://HOST[:PORT]/PATH 형식의 URL이어야 합니다"
    case .mediaType: "application/json 같은 미디어 형식이어야 합니다"
    case .loginServices:
      "이 컴퓨터에서 사용자의 세션을 시작하는 PAM 서비스 1~16개의 목록이어야 합니다. 중복은 없어야 하고 sudo, su, sshd, polkit-1처럼 그런 세션이 없는 서비스는 쓸 수 없습니다"
    case .appIDs: "서로 다른 https URL의 목록이어야 합니다"
    case .facetID: "공백 없이 1~512자의 인쇄 가능한 ASCII 문자여야 합니다"
    case .domain: "example.com 같은 소문자 도메인이어야 합니다"
    case .usernameMapping: "{user}가 한 번 들어 있고 공백이 없는 이름이어야 합니다"
    case .proxy: "http://HOST:PORT이거나, 쓰지 않으면 비어 있어야 합니다"
    case .parameterName: "1~64자의 영문자, 숫자, '.', '_', '-'여야 합니다"
    case .successMark: "1~64자의 인쇄 가능한 ASCII 문자여야 합니다"
    case .nodeSize: "1, 3, 5, 7 가운데 하나여야 합니다"
    case .day: "YYYY-MM-DD 형식의 날짜여야 합니다"
    }
  }

  private static let koreanMessage = "한 줄로 된 1~200자의 텍스트"
}

extension SettingProblem {
  /// The text in Korean.
  public var korean: String {
    switch self {
    case .form(let form): form.korean
    case .unknownKey(let names): "모르는 키입니다(쓸 수 있는 키: \(names.joined(separator: ", ")))"
    case .unknownSection:
      "모르는 키입니다(쓸 수 있는 것: \(Self.firstSections), \(SettingForm.types)의 [TYPE.lock], \(Self.lastSections))"
    case .notAService: "PAM 서비스의 이름이 아닙니다"
    case .lockOfService: "잠금은 서비스별로 정할 수 없습니다. [lock]으로 옮기십시오"
    case .ignoredText:
      "키는 값에 들어갈 수 있는 1~\(PasscodeFormat.maximumByteCount)바이트의 텍스트여야 합니다. 제어 문자나 할당되지 않은 문자는 쓸 수 없습니다"
    case .expression(.doesNotCompile(let offset, _)): "정규식을 이해할 수 없습니다. 위치 \(offset)을(를) 바로잡으십시오"
    case .expression(.empty): "정규식이 비어 있어 모든 값을 거부하게 됩니다. 정규식을 쓰거나 키를 지우십시오"
    case .expression(.tooLarge):
      "정규식이 너무 큽니다(\(PasscodeExpression.maximumLength)바이트까지, 컴파일하면 64 KiB까지). 줄이거나 여럿으로 나누십시오"
    case .expression(.outOfMemory): "정규식에 쓸 메모리가 없습니다. 메모리를 비우거나 프로세스의 주소 공간 한도를 높이십시오"
    case .lengths(let minimum, let maximum, let range):
      "min_length(\(minimum))가 max_length(\(maximum))보다 큽니다. 둘 다 \(range.lowerBound)~\(range.upperBound)이고 "
        + "min_length가 더 크지 않아야 합니다"
    case .shuffledWithoutDigits:
      "\"shuffled\"에는 숫자만 있습니다. ui_type = \"pin4\"나 \"pin6\", 또는 digits_only = true가 필요합니다"
    case .resetWithoutVerdict:
      "true에는 server.require_signed_verdict = true가 필요합니다. 없으면 uaf-fetch를 장악한 사람이 아무 코드로나 새 값을 정할 수 있습니다"
    case .offlineWithoutAge: "\"allow\"에는 초로 된 offline_max_age가 필요합니다"
    case .offlineWithTransaction: "\"allow\"는 transaction = true와 함께 쓸 수 없습니다. 승인한 내용은 서버에 전해져야 합니다"
    case .notEnabled(let type, let enabled):
      "\(type)은(는) 쓰도록 설정되지 않았습니다. authenticators(\(enabled.joined(separator: ", "))) 가운데 하나여야 합니다"
    case .incompleteServer: "request_url과 response_url이 여기에, 또는 작업마다 있어야 합니다"
    case .insecureURL: "모든 URL은 https여야 합니다(allow_insecure = true이면 이 컴퓨터로만 http)"
    case .unknownAppID: "{appID}는 서버가 응답하기 전에는 알 수 없습니다. 그 AppID를 app_ids의 맨 앞에 쓰십시오"
    case .unverified: "false는 이 컴퓨터의 서버에만 쓸 수 있습니다(다른 곳이면 allow_insecure = true)"
    case .onlyPlainDialect: "dialect = \"plain\"일 때만 쓸 수 있습니다"
    case .onlyWebAuthn: "WebAuthn의 dialect(webauthn, privacyidea, allauth 등)에서만 쓸 수 있습니다"
    case .onlyPrivacyIDEA: "dialect = \"privacyidea\"일 때만 쓸 수 있습니다. 다른 서버에는 토큰의 종류가 없습니다"
    case .notWithWebAuthn: "WebAuthn의 dialect와 함께 쓸 수 없습니다. WebAuthn에는 해당하는 기능이 없습니다"
    case .onlyConformance: "dialect = \"webauthn\"일 때만 쓸 수 있습니다. 다른 dialect에서는 모든 주소가 base_url에서 나옵니다"
    case .withoutBase: "base_url이 있어야 합니다"
    case .needsWebOrigin(let dialect):
      "dialect = \"\(dialect)\"에는 origin = \"https://...\"가 필요합니다. 이 서버는 다른 origin을 받지 않습니다(그 의미는 pam_uaf.conf(5)에 있습니다)"
    case .enrolmentOfDialect(let allowed): "이 dialect에서는 \"\(allowed)\"여야 합니다"
    case .incompleteRelyingParty:
      "base_url이 있거나, [server.registration]과 [server.authentication]에 URL이 둘 다 있어야 합니다"
    case .incompleteSuccess: "member와 value가 있어야 합니다"
    case .sameContextNames: "각 항목에 서로 다른 이름을 주어야 합니다"
    case .verdictWithoutKey: "true에는 verdict_key가 필요합니다"
    case .notServers: "서버가 정할 수 없습니다(쓸 수 있는 것: \(Self.lentSections))"
    case .tooManyExpressions(let limit): "정규식이 \(limit)개보다 많습니다"
    case .tooManyTexts(let limit): "글이 \(limit)개보다 많습니다"
    case .lentLengths(let minimum, let maximum):
      "min_length(\(minimum))가 max_length(\(maximum))보다 큽니다. 둘을 모두 지키는 패스코드는 없습니다"
    case .mergedLengths(let minimum, let maximum):
      "root의 값과 함께 보면 min_length(\(minimum))가 max_length(\(maximum))보다 큽니다. 둘을 모두 지키는 패스코드는 없습니다"
    case .rootsDigits(let count): "root의 ui_type은 \(count)자리 숫자입니다. 둘을 모두 지키는 패스코드는 없습니다"
    case .mergedExpression: "root의 값과 함께 보면 정규식에 필요한 문자가 허용된 수보다 많습니다"
    }
  }
}
