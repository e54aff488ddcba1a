import Invocation

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
