/// One line of a CSV file (RFC 4180), taken apart.
///
/// A field with a line break in it is refused: no field of ours has one, and a quote that is not closed would swallow the rest of
/// the file.
package struct CSVLine: Equatable {
  /// Why a line cannot be taken apart.
  package enum Problem: Error {
    /// A quote is not closed on its line.
    case openQuote
    /// There is something between a closing quote and the next comma.
    case afterQuote
    /// There is a quote in a field that does not begin with one.
    case innerQuote
  }

  package let fields: [String]

  /// Takes a line apart.
  ///
  /// - Parameter line: without its end.
  package init(parsing line: String) throws(Problem) {
    var fields: [String] = []
    var rest = line.unicodeScalars[...]
    while true {
      let (field, end) = try rest.first == "\"" ? Self.quoted(rest) : Self.plain(rest)
      fields.append(field)
      guard end < rest.endIndex else { break }
      rest = rest[rest.index(after: end)...]
    }
    self.fields = fields
  }

  /// A field, and where its comma is, or its end.
  private typealias Part = (field: String, end: String.UnicodeScalarView.Index)

  private static func plain(_ rest: Substring.UnicodeScalarView) throws(Problem) -> Part {
    let end = rest.firstIndex(of: ",") ?? rest.endIndex
    guard !rest[..<end].contains("\"") else { throw .innerQuote }
    return (String(Substring(rest[..<end])), end)
  }

  private static func quoted(_ rest: Substring.UnicodeScalarView) throws(Problem) -> Part {
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
      case ",": return (String(field), index)
      default: throw .afterQuote
      }
    }
    throw .openQuote
  }

  // MARK: Written

  /// Fields as a line, with its line feed: each in quotes where it needs them, and none that a spreadsheet would compute.
  static func written(_ fields: [String]) -> String {
    fields.map { quoted(harmless($0)) }.joined(separator: ",") + "\n"
  }

  /// A text for a cell of a table, which no spreadsheet takes for a formula.
  ///
  /// Quotes do not keep a spreadsheet from computing a cell that begins with one of these signs. An apostrophe does: it says
  /// that a text follows.
  package static func harmless(_ text: String) -> String {
    guard let first = text.unicodeScalars.first, formulaSigns.contains(first) else { return text }
    return "'" + text
  }

  /// The last four are what some spreadsheets take for the first four.
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
