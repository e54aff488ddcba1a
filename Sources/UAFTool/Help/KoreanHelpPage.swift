import TerminalPrompts

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
    lines += ["", "사용법: \(usage)", ""]
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
