/// The sentences of ``KoreanSettingProblem``: `{}` stands for names and numbers, in the same order in both languages.
enum KoreanSettingProblems {
  /// More specific ones first.
  static let all: [(english: String, korean: String)] = forms + keys + together + arguments + syntax

  private static let forms: [(String, String)] = [
    ("must be true or false, without quotes", "따옴표 없이 true나 false여야 합니다"),
    (
      "must be a whole number from 14 to 20 (from 10 only while every server URL leads to this machine)",
      "14부터 20까지의 정수여야 합니다(모든 서버 URL이 이 컴퓨터일 때만 10부터)"
    ),
    ("must be a whole number from {} to {}", "{}부터 {}까지의 정수여야 합니다"),
    (
      "must be seconds from 30 to 86400 (less only while every server URL leads to this machine)",
      "30부터 86400까지의 초여야 합니다(모든 서버 URL이 이 컴퓨터일 때만 더 짧게)"
    ),
    ("must be a text in quotes", "따옴표로 묶은 텍스트여야 합니다"),
    ("must be at most 4096 bytes long", "4096바이트 이하여야 합니다"),
    (
      "must be one of {}, or an AAID without its \"#\", where a line of a PAM file ends ({})",
      "다음 가운데 하나이거나, PAM 파일의 줄이 끝나는 \"#\"을 뺀 AAID여야 합니다: {}({})"
    ),
    ("must be one of {}, or an AAID ({})", "다음 가운데 하나이거나 AAID여야 합니다: {}({})"),
    ("must be one of {}", "다음 가운데 하나여야 합니다: {}"),
    (
      "must be the absolute path of a TPM's device or socket, at most 107 bytes long, or empty",
      "TPM 장치나 소켓의 절대 경로(107바이트 이하)이거나 비어 있어야 합니다"
    ),
    ("must be an absolute path", "절대 경로여야 합니다"),
    (
      "must be true, false, or a message: a text of 1 to 200 characters on one line, "
        + "or one for each language: { en = \"...\", ko = \"...\" }",
      "true, false, 또는 문구여야 합니다. 문구는 한 줄로 된 1~200자의 텍스트이거나 언어별 텍스트여야 합니다: { en = \"...\", ko = \"...\" }"
    ),
    (
      "must be true for the built-in message, or a message: a text of 1 to 200 characters on one line, "
        + "or one for each language: { en = \"...\", ko = \"...\" }",
      "기본 문구를 쓰려면 true, 아니면 문구여야 합니다. 문구는 한 줄로 된 1~200자의 텍스트이거나 언어별 텍스트여야 합니다: { en = \"...\", ko = \"...\" }"
    ),
    (
      "must be a table of languages, each with a text of 1 to 200 characters on one line: { en = \"...\", ko = \"...\" }",
      "언어별로 한 줄 1~200자의 텍스트를 담은 표여야 합니다: { en = \"...\", ko = \"...\" }"
    ),
    (
      "must be a text of 1 to {} characters on one line, in which {hostname} may stand",
      "한 줄로 된 1~{}자의 텍스트여야 하며 {hostname}을 쓸 수 있습니다"
    ),
    (
      "must be a text of 1 to 200 characters on one line, or one for each language: { en = \"...\", ko = \"...\" }",
      "한 줄로 된 1~200자의 텍스트이거나 언어별 텍스트여야 합니다: { en = \"...\", ko = \"...\" }"
    ),
    ("must be a text of 1 to 200 characters on one line", "한 줄로 된 1~200자의 텍스트여야 합니다"),
    ("must be one character", "한 글자여야 합니다"),
    ("must be a color's name or #rrggbb", "색 이름이나 #rrggbb여야 합니다"),
    ("must be an environment variable's name in capitals, or empty", "대문자로 된 환경 변수 이름이거나 비어 있어야 합니다"),
    ("must be a URL https://HOST[:PORT]/PATH", "https://HOST[:PORT]/PATH 형식의 URL이어야 합니다"),
    ("must be a media type such as application/json", "application/json 같은 미디어 형식이어야 합니다"),
    ("must be a list of https URLs, none twice", "서로 다른 https URL의 목록이어야 합니다"),
    ("must be 1 to 512 printable ASCII characters without spaces", "공백 없이 1~512자의 인쇄 가능한 ASCII 문자여야 합니다"),
    ("must be a name with {user} in it once, without spaces", "{user}가 한 번 들어 있고 공백이 없는 이름이어야 합니다"),
    ("must be http://HOST:PORT, or empty for none", "http://HOST:PORT이거나, 쓰지 않으면 비어 있어야 합니다"),
    ("must be 1 to 64 letters, digits, '.', '_' or '-'", "1~64자의 영문자, 숫자, '.', '_', '-'여야 합니다"),
    ("must be 1 to 64 printable ASCII characters", "1~64자의 인쇄 가능한 ASCII 문자여야 합니다"),
    ("must be 1, 3, 5 or 7", "1, 3, 5, 7 가운데 하나여야 합니다"),
  ]

  private static let keys: [(String, String)] = [
    ("must be a table: [{}]", "표여야 합니다: [{}]"),
    (
      "unknown key (allowed: authenticators, [server], [state], [tpm], [general], [lock], [TYPE.lock] of one of {}, [passcode], "
        + "[pattern], [biometric], [prompt], [policy], [service.NAME])",
      "모르는 키입니다(쓸 수 있는 것: authenticators, [server], [state], [tpm], [general], [lock], {}의 [TYPE.lock], [passcode], [pattern], "
        + "[biometric], [prompt], [policy], [service.NAME])"
    ),
    ("unknown key (allowed: {})", "모르는 키입니다(쓸 수 있는 키: {})"),
    ("must be a list of one or more of {}, none twice", "다음 가운데 하나 이상을 겹치지 않게 적은 목록이어야 합니다: {}"),
    ("policy {}", "정책 {}"),
    ("has more than {} expressions", "정규식이 {}개보다 많습니다"),
    ("has more than {} texts", "글이 {}개보다 많습니다"),
    ("is longer than {} bytes", "{}바이트보다 깁니다"),
    ("must be seconds from 30 to 86400", "30~86400초여야 합니다"),
    (
      "min_length ({}) is above max_length ({}): no passcode can meet both",
      "min_length({})가 max_length({})보다 큽니다. 둘을 모두 지키는 패스코드는 없습니다"
    ),
    (
      "no server may set it (allowed: [passcode], [pattern], [lock], [lock.remote], [prompt])",
      "서버가 정할 수 없습니다(쓸 수 있는 것: [passcode], [pattern], [lock], [lock.remote], [prompt])"
    ),
    ("root's ui_type has {} digits: no passcode can meet both", "root의 ui_type은 {}자리 숫자입니다. 둘을 모두 지키는 패스코드는 없습니다"),
    (
      "with root's values an expression needs more characters than are allowed",
      "root의 값과 함께 보면 정규식에 필요한 문자가 허용된 수보다 많습니다"
    ),
    (
      "with root's values min_length ({}) is above max_length ({}): no passcode can meet both",
      "root의 값과 함께 보면 min_length({})가 max_length({})보다 큽니다. 둘을 모두 지키는 패스코드는 없습니다"
    ),
    (
      "must be a list of {}, none twice; empty for none", "다음 가운데 겹치지 않게 적은 목록이어야 하며, 없으면 비워 둡니다: {}"
    ),
    ("goes with dialect = \"plain\" alone", "dialect = \"plain\"일 때만 쓸 수 있습니다"),
    ("is no name of a PAM service", "PAM 서비스의 이름이 아닙니다"),
    ("locks are never per service: move it to [lock]", "잠금은 서비스별로 정할 수 없습니다. [lock]으로 옮기십시오"),
    (
      "the key must be a text of 1 to {} bytes that a value can contain: no control, private-use or unassigned characters "
        + "(an empty one would refuse every value)",
      "키는 값에 들어갈 수 있는 1~{}바이트의 텍스트여야 합니다. 제어 문자나 할당되지 않은 문자는 쓸 수 없습니다"
    ),
    ("the expression does not compile at position {}: {}; correct it there", "정규식을 이해할 수 없습니다. 위치 {}을(를) 바로잡으십시오"),
    (
      "the expression is empty and would refuse every value: write one, or leave the key out",
      "정규식이 비어 있어 모든 값을 거부하게 됩니다. 정규식을 쓰거나 키를 지우십시오"
    ),
    (
      "the expression is too large (at most {} bytes, and 64 KiB once compiled): shorten it or split it into several",
      "정규식이 너무 큽니다({}바이트까지, 컴파일하면 64 KiB까지). 줄이거나 여럿으로 나누십시오"
    ),
    (
      "no memory for an expression: free some, or raise the process's address space limit",
      "정규식에 쓸 메모리가 없습니다. 메모리를 비우거나 프로세스의 주소 공간 한도를 높이십시오"
    ),
  ]

  private static let together: [(String, String)] = [
    (
      "min_length ({}) is above max_length ({}): both must be {} to {}, and min_length not above max_length",
      "min_length({})가 max_length({})보다 큽니다. 둘 다 {}~{}이고 min_length가 더 크지 않아야 합니다"
    ),
    (
      "\"shuffled\" has digits alone: it needs ui_type = \"pin4\" or \"pin6\", or digits_only = true",
      "\"shuffled\"에는 숫자만 있습니다. ui_type = \"pin4\"나 \"pin6\", 또는 digits_only = true가 필요합니다"
    ),
    (
      "true needs server.require_signed_verdict = true: without it, whoever controls uaf-fetch could set a new value with any "
        + "code", "true에는 server.require_signed_verdict = true가 필요합니다. 없으면 uaf-fetch를 장악한 사람이 아무 코드로나 새 값을 정할 수 있습니다"
    ),
    ("\"allow\" needs offline_max_age, in seconds", "\"allow\"에는 초로 된 offline_max_age가 필요합니다"),
    (
      "\"allow\" cannot go with transaction = true: what is confirmed has to reach the server",
      "\"allow\"는 transaction = true와 함께 쓸 수 없습니다. 승인한 내용은 서버에 전해져야 합니다"
    ),
    ("{} is not enabled: must be one of authenticators ({})", "{}은(는) 쓰도록 설정되지 않았습니다. authenticators({}) 가운데 하나여야 합니다"),
    (
      "must have request_url and response_url, here or for each operation",
      "request_url과 response_url이 여기에, 또는 작업마다 있어야 합니다"
    ),
    (
      "every URL must be https (http only to this machine, with allow_insecure = true)",
      "모든 URL은 https여야 합니다(allow_insecure = true이면 이 컴퓨터로만 http)"
    ),
    (
      "false is only for servers on this machine (elsewhere: allow_insecure = true)",
      "false는 이 컴퓨터의 서버에만 쓸 수 있습니다(다른 곳이면 allow_insecure = true)"
    ),
    (
      "{appID} is not known before the server has answered: name its AppID first in app_ids",
      "{appID}는 서버가 응답하기 전에는 알 수 없습니다. 그 AppID를 app_ids의 맨 앞에 쓰십시오"
    ),
    ("must have member and value", "member와 value가 있어야 합니다"),
    ("must give each member a name of its own", "각 항목에 서로 다른 이름을 주어야 합니다"),
    ("true needs verdict_key", "true에는 verdict_key가 필요합니다"),
  ]

  private static let arguments: [(String, String)] = [
    ("cannot go with keypad = \"shuffled\"", "keypad = \"shuffled\"와 함께 쓸 수 없습니다"),
    (
      "cannot go with server.accept_transaction = \"any\"", "server.accept_transaction = \"any\"와 함께 쓸 수 없습니다"
    ),
    ("cannot go with transaction = true", "transaction = true와 함께 쓸 수 없습니다"),
    ("{} is not in the configuration's authenticators", "{}은(는) 설정의 authenticators에 없습니다"),
    ("belongs to a line of type account", "account 줄에만 쓸 수 있습니다"),
    ("must have no value, or be account_check=required", "값이 없거나 account_check=required여야 합니다"),
    ("given twice", "두 번 적혀 있습니다"),
    ("together with try_first_pass: give one of them", "try_first_pass와 함께 쓸 수 없습니다. 하나만 주십시오"),
    (
      "unknown, or with a value where none belongs, or without one (allowed: {})",
      "모르는 인수이거나, 값이 있으면 안 되거나, 값이 빠졌습니다(쓸 수 있는 인수: {})"
    ),
    ("more than {} arguments", "인수가 {}개를 넘습니다"),
  ]

  private static let syntax: [(String, String)] = [
    ("values nested more than {} deep", "값이 {}단계보다 깊이 들어 있습니다"), ("more than {} entries", "항목이 {}개를 넘습니다"),
    ("an array's elements need commas, its end ]", "배열의 원소 사이에는 쉼표가, 끝에는 ]가 필요합니다"),
    ("an inline table must end with } in its line", "인라인 표는 같은 줄에서 }로 끝나야 합니다"),
    ("a value is missing", "값이 없습니다"), ("dates and times are not used in this file", "이 파일에서는 날짜와 시각을 쓰지 않습니다"),
    (
      "{} is not a value: texts need quotes, numbers no leading zeros",
      "{}은(는) 값이 아닙니다. 텍스트에는 따옴표가 필요하고 숫자는 0으로 시작할 수 없습니다"
    ),
    ("{} is too large", "{}은(는) 너무 큽니다"), ("a string is not closed", "문자열이 닫히지 않았습니다"),
    ("an unknown escape in a string: write expressions in single quotes", "문자열에 모르는 이스케이프가 있습니다. 정규식은 작은따옴표로 묶으십시오"),
    (
      "\\u needs four, \\U eight hexadecimal digits of a character other than NUL",
      "\\u에는 16진수 네 자리, \\U에는 여덟 자리가 필요하며 NUL은 쓸 수 없습니다"
    ),
    (
      "the file begins with a byte order mark (BOM): save it as UTF-8 without one",
      "파일이 바이트 순서 표시(BOM)로 시작합니다. BOM 없는 UTF-8로 저장하십시오"
    ), ("the file is UTF-16: save it as UTF-8", "파일이 UTF-16입니다. UTF-8로 저장하십시오"),
    ("a control character", "제어 문자가 있습니다"), ("not UTF-8", "UTF-8이 아닙니다"),
    ("arrays of tables ([[...]]) are not used in this file", "이 파일에서는 표의 배열([[...]])을 쓰지 않습니다"),
    ("a table's name must end with ]", "표의 이름은 ]로 끝나야 합니다"),
    ("{} is already defined in line {}", "{}은(는) {}번째 줄에 이미 있습니다"),
    ("a key must be followed by = and a value", "키 다음에는 =와 값이 와야 합니다"), ("a key is missing", "키가 없습니다"),
    ("a key of more than {} parts", "키의 부분이 {}개를 넘습니다"),
    ("a key is missing, or has a character that must be quoted", "키가 없거나, 따옴표로 묶어야 하는 문자가 있습니다"),
    ("unexpected text after a value or a table's name", "값이나 표의 이름 뒤에 다른 텍스트가 있습니다"),
  ]
}

/// Problems of configuration files and module arguments in Korean.
///
/// The login path makes these sentences in English, for the log. Here each is found by its fixed words; a test compares this list
/// with the sources.
enum KoreanSettingProblem {
  /// The problem in Korean; an unknown sentence is replaced as a whole, never shown partly in English.
  static func text(_ english: String) -> String {
    for (pattern, korean) in KoreanSettingProblems.all {
      if let parts = parts(of: english, by: pattern) { return filled(korean, with: parts) }
    }
    return unknown
  }

  /// The text for an unknown sentence.
  static let unknown = "이 값은 사용할 수 없습니다"

  /// The parts at the places `{}` of a pattern; nil if the text does not match.
  private static func parts(of text: String, by pattern: String) -> [String]? {
    let fixed = pattern.split(separator: "{}", omittingEmptySubsequences: false).map(String.init)
    guard let first = fixed.first, text.hasPrefix(first) else { return nil }
    var rest = text[text.index(text.startIndex, offsetBy: first.count)...]
    var parts: [String] = []
    for (index, piece) in fixed.dropFirst().enumerated() {
      let isLast = index == fixed.count - 2
      if isLast, piece.isEmpty {
        parts.append(String(rest))
        return parts
      }
      guard let found = isLast ? rest.ranges(of: piece).last : rest.firstRange(of: piece) else { return nil }
      parts.append(String(rest[..<found.lowerBound]))
      rest = rest[found.upperBound...]
    }
    return rest.isEmpty ? parts : nil
  }

  private static func filled(_ pattern: String, with parts: [String]) -> String {
    var text = ""
    for (index, piece) in pattern.split(separator: "{}", omittingEmptySubsequences: false).enumerated() {
      if index > 0, parts.indices.contains(index - 1) { text += parts[index - 1] }
      text += piece
    }
    return text
  }
}
