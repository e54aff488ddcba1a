/// The file of variables that pam_env reads (pam_env.conf(5)), as far as it may abort the session.
///
/// Each case was tried with pam_env of Linux-PAM 1.5, which skips most other mistakes.
enum EnvironmentText {
  // pam_env's own limit for a line that it has joined.
  private static let longest = 8191

  /// The first line, from 1, that makes pam_env abort; nil if there is none.
  static func unread(_ text: String) -> Int? {
    let rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var joined = ""
    var start = 0
    for (index, row) in rows.enumerated() {
      if joined.isEmpty { start = index + 1 }
      joined += row
      if joined.utf8.count > longest || row.utf8.contains(0) { return start }
      guard joined.hasSuffix("\\"), !joined.drop(while: \.isWhitespace).hasPrefix("#") else {
        if hasOpenVariable(joined) { return start }
        joined = ""
        continue
      }
      joined.removeLast()
      // The line is to be continued, but nothing follows it.
      if index + 1 == rows.count || index + 2 == rows.count && rows[index + 1].isEmpty && !joined.isEmpty {
        return start
      }
    }
    return nil
  }

  /// Whether a line with a value has a `{` after `$` or `@`, which begins a variable's name, without the `}` that ends it.
  private static func hasOpenVariable(_ line: String) -> Bool {
    let line = line.prefix { $0 != "#" }
    let words = line.split(whereSeparator: \.isWhitespace)
    guard words.dropFirst().contains(where: { $0.hasPrefix("DEFAULT=") || $0.hasPrefix("OVERRIDE=") }) else {
      return false
    }
    var rest = line[...]
    while let mark = rest.firstIndex(where: { "$@".contains($0) }) {
      let isEscaped = mark > line.startIndex && line[line.index(before: mark)] == "\\"
      rest = rest[rest.index(after: mark)...]
      guard rest.first == "{", !isEscaped else { continue }
      guard let end = rest.firstIndex(of: "}") else { return true }
      rest = rest[end...]
    }
    return false
  }
}
