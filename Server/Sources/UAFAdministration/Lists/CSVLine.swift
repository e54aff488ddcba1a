/// One parsed line of a CSV file (RFC 4180).
///
/// A field with a line break is refused: our fields never have one, and otherwise an unclosed quote would swallow the rest of
/// the file.
package struct CSVLine: Equatable {
  /// Why a line cannot be parsed.
  package enum Problem: Error {
    /// A quote is not closed on its line.
    case openQuote
    /// There is something between a closing quote and the next separator.
    case afterQuote
    /// There is a quote in a field that does not begin with one.
    case innerQuote
  }

  package let fields: [String]

  /// Parses a line.
  ///
  /// - Parameters:
  ///   - line: the line without its line end.
  ///   - separator: the character between fields.
  package init(parsing line: String, separator: Unicode.Scalar = ",") throws(Problem) {
    var fields: [String] = []
    var rest = line.unicodeScalars[...]
    while true {
      let (field, end) = try rest.first == "\"" ? Self.quoted(rest, separator) : Self.plain(rest, separator)
      fields.append(field)
      guard end < rest.endIndex else { break }
      rest = rest[rest.index(after: end)...]
    }
    self.fields = fields
  }

  /// A field, and the position of the separator after it, or of the end of the line.
  private typealias Part = (field: String, end: String.UnicodeScalarView.Index)

  private static func plain(
    _ rest: Substring.UnicodeScalarView, _ separator: Unicode.Scalar
  ) throws(Problem) -> Part {
    let end = rest.firstIndex(of: separator) ?? rest.endIndex
    guard !rest[..<end].contains("\"") else { throw .innerQuote }
    return (String(Substring(rest[..<end])), end)
  }

  private static func quoted(
    _ rest: Substring.UnicodeScalarView, _ separator: Unicode.Scalar
  ) throws(Problem) -> Part {
    var field = String.UnicodeScalarView()
    var index = rest.index(after: rest.startIndex)
    while index < rest.endIndex {
      let scalar = rest[index]
      index = rest.index(after: index)
      guard scalar == "\"" else {
        field.append(scalar)
        continue
      }
      guard index < rest.endIndex else { return (String(field), index) }
      switch rest[index] {
      case "\"":
        field.append(scalar)
        index = rest.index(after: index)
      case separator: return (String(field), index)
      default: throw .afterQuote
      }
    }
    throw .openQuote
  }

  // MARK: Written

  /// Writes fields as a line with its line feed.
  ///
  /// Fields are quoted if necessary, and made harmless to spreadsheets.
  package static func written(_ fields: [String]) -> String {
    fields.map { quoted(harmless($0)) }.joined(separator: ",") + "\n"
  }

  /// A text that no spreadsheet takes as a formula.
  ///
  /// A spreadsheet computes a cell that begins with one of these signs, even if the cell is quoted. An apostrophe in front
  /// prevents that: it marks the cell as text.
  package static func harmless(_ text: String) -> String {
    guard let first = text.unicodeScalars.first, formulaSigns.contains(first) else { return text }
    return "'" + text
  }

  /// Some spreadsheets treat the last four (full-width signs) like the first four.
  private static let formulaSigns: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  private static func quoted(_ field: String) -> String {
    guard field.unicodeScalars.contains(where: needsQuotes.contains) else { return field }
    var quoted = String.UnicodeScalarView()
    for scalar in field.unicodeScalars { quoted += scalar == "\"" ? [scalar, scalar] : [scalar] }
    return "\"\(String(quoted))\""
  }

  private static let needsQuotes: Set<Unicode.Scalar> = [",", "\"", "\r", "\n"]
}
