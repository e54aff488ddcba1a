import ArgumentParser
import Invocation
import TerminalPrompts
import Wording

/// Translates the parser's page for a person who reads Korean.
///
/// pam-uaf's own texts in it are already Korean. The parser's words are translated here, and rows are broken by the cells that
/// characters take: the parser counts characters, and a Korean character takes two cells.
enum KoreanPage {
  /// A number of columns so large that the parser puts each text into one row.
  static let unbroken = 100_000

  /// All words of the parser that appear on its pages, with their translations.
  private static let words = [
    (overview, "개요: "), ("USAGE: ", usage), ("ARGUMENTS:", "인수:"), ("OPTIONS:", "옵션:"), ("SUBCOMMANDS:", "명령:"),
    ("Show the version.", "버전을 보여 줍니다."), ("Show help information.", "도움말을 보여 줍니다."), ("(values: ", "(값: "),
    ("(default: ", "(기본값: "), ("; default: ", "; 기본값: "), ("  See '", "  자세한 내용: '"), (" for detailed help.", ""),
  ]
  private static let overview = "OVERVIEW: "
  private static let usage = "사용법: "

  // The column in which texts begin next to names.
  private static let textColumn = 26

  /// A page translated for a terminal of that width.
  ///
  /// The version and a shell's completion script stay unchanged.
  static func text(_ page: String, columns: Int) -> String {
    guard page.hasPrefix(overview) else { return page }
    var isList = false
    return page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = words.reduce(String(line)) { $0.replacing($1.0, with: $1.1) }
      if line.hasPrefix(usage) {
        isList = true
        return TextRows.usage(line, columns: columns, hanging: 8)
      }
      let name = isList && line.hasPrefix("  ") ? line.prefix(textColumn) : ""
      let indent = String(repeating: " ", count: name.count)
      let rows = TextRows.wrapped(String(line.dropFirst(name.count)), columns: max(20, columns - name.count))
      return name + rows.map(withoutSpaceAtEnd).joined(separator: "\n" + indent)
    }.joined(separator: "\n")
  }

  private static func withoutSpaceAtEnd(_ row: String) -> Substring {
    row.hasSuffix(" ") ? row.dropLast() : row[...]
  }

  /// The text for a mistake on a command line: where help is, what the mistake is, and how the command is used.
  ///
  /// A mistake that is described only by the parser is quoted.
  static func mistake(_ message: ParserMessage) -> String {
    let help = (message.path + ["--help"]).joined(separator: " ")
    let problem = text(of: message.mistake) ?? "명령줄을 이해할 수 없습니다: '\(ShownText.line(message.problem))'"
    let rows = (usage + message.usage).split(separator: "\n").map(String.init)
    return (["명령줄이 잘못되었습니다. 도움말: '\(help)'", problem] + rows).joined(separator: "\n")
  }

  /// What is wrong with the command line; nil if only the parser describes it.
  private static func text(of mistake: CommandLineMistake) -> String? {
    switch mistake {
    case .unknownOption(let option): "그런 옵션은 없습니다: \(ShownText.line(option))"
    case .missingValue(let option): "이 옵션에는 값이 필요합니다: \(ShownText.line(option))"
    case .unexpectedValue(let value, let option):
      "값을 받지 않는 옵션입니다: \(ShownText.line(option))(적힌 값: \(ShownText.line(value)))"
    case .unexpectedArguments(let words):
      "쓸 곳이 없는 인수가 있습니다: \(words.map { ShownText.line($0) }.joined(separator: ", "))"
    case .missingArgument(let name): "필요한 인수가 없습니다: \(name)"
    case .badValue(let value, let option?):
      "\(ShownText.line(option))에 쓸 수 없는 값입니다: \(ShownText.line(value))"
    case .badValue(let value, nil): "쓸 수 없는 값입니다: \(ShownText.line(value))"
    case .conflictingOptions: "함께 쓸 수 없는 옵션이 있습니다"
    case .missingCommand: "명령이 필요합니다"
    case .refused(let text): text
    case .other: nil
    }
  }
}

/// A command line with options or arguments that exclude each other.
enum UsageMistake: CaseIterable, Catalogued {
  case allAndType
  case accountTwice
  case statusAsksOnce
  case twoKindsOfJSON
  case togetherAlone
  case denyAndToken
  case serviceOrAll
  case serviceAndAll
  case onlyWithoutService
  case unlockOnceProved
  case unlockOfNobody

  /// The mistake as an error of the parser, in the current language.
  var error: ValidationError { ValidationError(text(in: HelpLanguage.current)) }

  var english: String {
    switch self {
    case .accountTwice: "the account stands once: uafctl deregister USER TYPE"
    case .allAndType: "--all and a type exclude each other"
    case .statusAsksOnce: "--json, --supported, --registered, --locked and --available exclude each other"
    case .twoKindsOfJSON: "--json-conversation ends with the same object: leave --json out"
    case .togetherAlone: "--together goes with --json-conversation"
    case .denyAndToken: "--deny and --token exclude each other"
    case .serviceOrAll: "Name a service, or give --all."
    case .serviceAndAll: "--all and a service exclude each other"
    case .onlyWithoutService: "--only goes with a service."
    case .unlockOnceProved: "--payload and --code exclude each other"
    case .unlockOfNobody: "Name an account, or give --payload or --code."
    }
  }

  var korean: String {
    switch self {
    case .accountTwice: "계정은 한 번만 지정하십시오: uafctl deregister USER TYPE"
    case .allAndType: "--all과 인증 수단은 함께 쓸 수 없습니다"
    case .statusAsksOnce: "--json, --supported, --registered, --locked, --available은 함께 쓸 수 없습니다"
    case .twoKindsOfJSON: "--json-conversation도 같은 객체로 끝납니다. --json을 빼십시오"
    case .togetherAlone: "--together는 --json-conversation과 함께 쓰십시오"
    case .denyAndToken: "--deny와 --token은 함께 쓸 수 없습니다"
    case .serviceOrAll: "서비스를 지정하거나 --all을 주십시오"
    case .serviceAndAll: "--all과 서비스는 함께 쓸 수 없습니다"
    case .onlyWithoutService: "--only는 서비스와 함께 쓰십시오"
    case .unlockOnceProved: "--payload와 --code는 함께 쓸 수 없습니다"
    case .unlockOfNobody: "계정을 지정하거나 --payload 또는 --code를 주십시오"
    }
  }
}

/// The text of `--help` about the exit status.
struct ExitStatusHelp: Catalogued {
  let english = """
    EXIT STATUS:
      0  done
      1  refused: the text on standard error says by whom and why
      2  usage or configuration
      3  the core cannot be reached, or does not keep to the protocol
      5  what was to be printed could not be written
    """

  let korean = """
    종료 상태:
      0  완료
      1  거부됨: 누가 왜 거부했는지는 표준 오류에 나옵니다
      2  사용법 또는 설정 오류
      3  코어에 연결할 수 없거나 코어가 프로토콜을 따르지 않음
      5  출력할 내용을 쓸 수 없음
    """
}
