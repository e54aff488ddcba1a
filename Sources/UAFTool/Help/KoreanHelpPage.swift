import Invocation
import TerminalPrompts
import Wording

/// A page of help in Korean: the names of the parser's own page, with our words for each.
struct KoreanHelpPage {
  /// The command's names after the program's, joined by spaces; empty for the program itself.
  let command: String
  private let usage: String
  private var sections: [Section] = []

  /// One heading and the items below it.
  private struct Section {
    let heading: String
    /// The names of an option, argument or command, and what the parser adds of its values.
    var items: [(label: String, values: String)] = []
  }

  /// Splits a page of the parser into its parts; nil if it is no such page.
  ///
  /// - Parameter english: the page with each text on a line of its own, as on a screen that is wide enough.
  init?(of english: String) {
    guard english.hasPrefix("OVERVIEW: ") else { return nil }
    let lines = english.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let start = lines.firstIndex(where: { $0.hasPrefix(Self.usageHeading) }) else { return nil }
    usage = String(lines[start].dropFirst(Self.usageHeading.count))
    let names = usage.split(separator: " ").dropFirst()
    command = names.prefix { $0.allSatisfy { $0.isLetter || $0 == "-" } && !$0.hasPrefix("-") }.joined(separator: " ")
    for line in lines[(start + 1)...] {
      if let heading = Self.headings[line] {
        sections.append(Section(heading: heading))
      } else if line.hasPrefix("  "), let last = sections.indices.last {
        add(line, to: &sections[last])
      }
    }
  }

  private static let usageHeading = "USAGE: "
  private static let headings = ["ARGUMENTS:": "인수:", "OPTIONS:": "옵션:", "SUBCOMMANDS:": "명령:"]

  /// A line that begins with the item's name in the third column, or the text of a name too long to stand beside it.
  private func add(_ line: String, to section: inout Section) {
    let isText = line.hasPrefix("   ")
    let rest = line.drop { $0 == " " }
    if rest.hasPrefix("See '") { return }
    let values = Self.values(of: line)
    if isText, let last = section.items.indices.last {
      section.items[last].values += values
    } else {
      let label = rest.firstRange(of: "  ").map { String(rest[..<$0.lowerBound]) } ?? String(rest)
      section.items.append((label, values))
    }
  }

  /// `(values: ...)`, `(default: ...)` or both, which the parser puts at the end.
  private static func values(of line: String) -> String {
    guard line.hasSuffix(")"), let start = ["(values: ", "(default: "].compactMap({ line.firstRange(of: $0) }).first
    else {
      return ""
    }
    return " "
      + line[start.lowerBound...].replacing("values: ", with: "값: ").replacing("default: ", with: "기본값: ")
  }

  /// The labels of the page's options and arguments, for which there must be words.
  var labels: [String] {
    sections.filter { $0.heading != Self.headings["SUBCOMMANDS:"] }.flatMap { $0.items.map(\.label) }
  }

  /// The page, for a screen of that width.
  func text(columns: Int) -> String {
    let words = KoreanHelp.commands[command] ?? CommandWords("")
    var lines = TextRows.wrapped("개요: \(words.abstract)", columns: columns)
    if !words.discussion.isEmpty { lines += [""] + TextRows.wrapped(words.discussion, columns: columns) }
    lines += ["", TextRows.usage("사용법: \(usage)", columns: columns, hanging: 8), ""]
    for section in sections {
      lines.append(section.heading)
      for item in section.items { lines += rows(item, words, columns: columns) }
      lines.append("")
    }
    guard sections.last?.heading == Self.headings["SUBCOMMANDS:"] else { return lines.joined(separator: "\n") }
    let path = (["uafctl", "help"] + command.split(separator: " ").map(String.init) + ["<subcommand>"])
    return (lines + ["  자세한 내용: '\(path.joined(separator: " "))'"]).joined(separator: "\n")
  }

  private func rows(_ item: (label: String, values: String), _ words: CommandWords, columns: Int) -> [String] {
    let below = command.isEmpty ? item.label : "\(command) \(item.label)"
    let text =
      words.arguments[item.label] ?? KoreanHelp.shared[item.label] ?? KoreanHelp.commands[below]?.abstract ?? ""
    let indent = String(repeating: " ", count: Self.textColumn)
    let rows = TextRows.wrapped(text + item.values, columns: max(20, columns - Self.textColumn))
      .map { indent + $0.trimmingSuffix(" ") }
    let label = "  \(item.label)"
    let width = CharacterWidth.columns(label)
    guard width + 2 <= Self.textColumn, let first = rows.first else { return [label] + rows }
    return [label + first.dropFirst(width)] + rows.dropFirst()
  }

  // Where texts begin beside names, as on the parser's pages.
  private static let textColumn = 26
}

extension String {
  /// Without the given characters at its end.
  fileprivate func trimmingSuffix(_ character: Character) -> Substring {
    self[..<(lastIndex { $0 != character }.map(index(after:)) ?? startIndex)]
  }
}

/// What the parser of command lines says, in Korean; names of options and values stay as they are.
enum KoreanParserMessage {
  /// What is wrong, how the command is used, and where to read more.
  static func text(_ message: ParserMessage) -> String {
    let usage = message.usage.replacing("Usage: ", with: "사용법: ", maxReplacements: 1)
    let lines = usage.split(separator: "\n").filter { !$0.hasPrefix("  See ") }.map(String.init)
    let more = "  자세한 내용: '\((message.path + ["--help"]).joined(separator: " "))'"
    return ([problem(message.problem)] + lines + [more]).joined(separator: "\n")
  }

  /// The problem; one without a translation becomes "not understood", never a text that is partly English.
  static func problem(_ english: String) -> String {
    if let mistake = UsageMistake.allCases.first(where: { $0.english == english }) { return mistake.korean }
    let parts = english.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
    let quoted = parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
    let first = quoted.first ?? ""
    let second = quoted.count > 1 ? quoted[1] : ""
    switch parts.first ?? "" {
    case "Unexpected argument ": return "필요 없는 인수입니다: '\(first)'"
    case let start where start.hasSuffix(" unexpected arguments: "):
      return "필요 없는 인수가 \(quoted.count)개 있습니다: \(list(quoted))"
    case "Unknown option ":
      return "'\(first)' 옵션은 없습니다." + (second.isEmpty ? "" : " '\(second)'입니까?")
    case "Missing value for ": return "'\(first)'에 값이 필요합니다"
    case "The option ": return "'\(first)' 옵션에는 값을 줄 수 없습니다: '\(second)'"
    case "Missing expected argument ": return "'\(first)' 인수가 필요합니다"
    case "Missing one of: ": return "다음 가운데 하나가 필요합니다: \(list(quoted))"
    case "The value ":
      let allowed = quoted.dropFirst(2)
      return "'\(second)'에 쓸 수 없는 값입니다: '\(first)'"
        + (allowed.isEmpty ? "" : ". 다음 가운데 하나를 주십시오: \(list(Array(allowed)))")
    case "Can": return "자동 완성 스크립트는 bash, zsh, fish용으로만 만들 수 있습니다"
    default: return "명령줄을 이해할 수 없습니다"
    }
  }

  private static func list(_ words: [String]) -> String { words.map { "'\($0)'" }.joined(separator: ", ") }
}

/// What help says of one command, in Korean.
struct CommandWords {
  /// What it does, in one sentence.
  let abstract: String
  /// What else there is to know.
  let discussion: String
  /// What its own arguments and options are, by the names that help shows of them.
  let arguments: [String: String]

  init(_ abstract: String, _ discussion: String = "", _ arguments: [String: String] = [:]) {
    self.abstract = abstract
    self.discussion = discussion
    self.arguments = arguments
  }
}

/// What is wrong with a command line that names options or arguments that do not go together.
enum UsageMistake: CaseIterable, Catalogued {
  case allAndType
  case accountTwice
  case statusAsksOnce
  case twoKindsOfJSON
  case togetherAlone
  case denyAndToken
  case serviceOrAll
  case onlyWithoutService
  case unlockOnceProved
  case unlockOfNobody

  var english: String {
    switch self {
    case .accountTwice: "the account stands once: uafctl deregister USER TYPE"
    case .allAndType: "--all and a type exclude each other"
    case .statusAsksOnce: "--json, --supported, --registered, --locked and --available exclude each other"
    case .twoKindsOfJSON: "--json-conversation ends with the same object: leave --json out"
    case .togetherAlone: "--together goes with --json-conversation"
    case .denyAndToken: "--deny and --token exclude each other"
    case .serviceOrAll: "Name a service, or give --all."
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
    case .onlyWithoutService: "--only는 서비스와 함께 쓰십시오"
    case .unlockOnceProved: "--payload와 --code는 함께 쓸 수 없습니다"
    case .unlockOfNobody: "계정을 지정하거나 --payload 또는 --code를 주십시오"
    }
  }
}

/// What `--help` says about the exit status.
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
