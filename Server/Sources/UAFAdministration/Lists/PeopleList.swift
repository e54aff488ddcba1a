import UAFDecoder
import UAFService

/// A list of people who are to get enrolment codes: CSV whose first line names the columns, `username` and optionally
/// `lifetime` (seconds).
package struct PeopleList: Sendable {
  /// The longest line in bytes, and the most lines of people.
  package static let maximumLine = 1024
  package static let maximumCount = 100_000
  /// The longest file in bytes.
  package static let maximumSize = 16 << 20
  /// The maximum lifetime of a code in seconds: a week.
  package static let longestLifetime: Int64 = 604_800

  package struct Person: Equatable, Sendable {
    package let username: String
    /// In seconds; nil if the list does not say.
    package let lifetime: Int64?
  }

  package struct Wrong: Equatable, Sendable {
    /// The number of the line, from 1.
    package let line: Int
    package let problem: PeopleListProblem
  }

  package private(set) var people: [Person] = []
  /// The lines that cannot be used.
  package private(set) var wrong: [Wrong] = []
  /// The number of each person's line.
  private var lines: [String: Int] = [:]

  private enum Column: String, CaseIterable { case username, lifetime }

  /// Reads a list.
  ///
  /// - Throws: ``PeopleListProblem`` if the whole list cannot be used; faults of single lines are in ``wrong``.
  package init(parsing bytes: [UInt8]) throws(PeopleListProblem) {
    // Spreadsheets write a byte order mark at the beginning.
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) ? .utf16 : .notUTF8
    }
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Self.line($0) }
    if lines.last?.isEmpty == true { lines.removeLast() }
    guard let first = lines.first else { throw .empty }
    guard lines.count <= Self.maximumCount + 1 else { throw .tooMany }
    let columns = try Self.columns(first)
    for (index, line) in lines.enumerated().dropFirst() {
      do throws(PeopleListProblem) {
        let person = try Self.person(line, columns)
        if let earlier = self.lines[person.username] { throw .usernameTwice(person.username, first: earlier) }
        self.lines[person.username] = index + 1
        people.append(person)
      } catch {
        wrong.append(Wrong(line: index + 1, problem: error))
      }
    }
  }

  /// Removes privileged people, who get no codes through a list: their lines count as wrong.
  mutating func leaveOut(_ privileged: Set<String>) {
    for person in people where privileged.contains(person.username) {
      wrong.append(Wrong(line: lines[person.username] ?? 0, problem: .privileged(person.username)))
    }
    people.removeAll { privileged.contains($0.username) }
    wrong.sort { $0.line < $1.line }
  }

  /// The line without a carriage return at its end, which files from other systems have.
  private static func line(_ scalars: Substring.UnicodeScalarView) -> String {
    String(Substring(scalars.last == "\r" ? scalars.dropLast() : scalars))
  }

  private static func fields(_ line: String) throws(PeopleListProblem) -> [String] {
    guard line.utf8.count <= maximumLine else { throw .tooLong }
    guard line.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { throw .controlCharacter }
    do throws(CSVLine.Problem) {
      return try CSVLine(parsing: line).fields
    } catch {
      switch error {
      case .openQuote: throw .openQuote
      case .afterQuote: throw .afterQuote
      case .innerQuote: throw .innerQuote
      }
    }
  }

  private static func columns(_ line: String) throws(PeopleListProblem) -> [Column] {
    guard !line.isEmpty else { throw .empty }
    if let separator = separator(of: line) { throw .separator(separator) }
    var columns: [Column] = []
    for name in try fields(line) {
      guard let column = Column(rawValue: name) else { throw .unknownColumn(name) }
      guard !columns.contains(column) else { throw .columnTwice(name) }
      columns.append(column)
    }
    guard columns.contains(.username) else { throw .noUsername }
    return columns
  }

  /// The character that separates the names of columns in place of commas; nil for commas, or if the line does not show it.
  private static func separator(of line: String) -> PeopleListProblem.Separator? {
    PeopleListProblem.Separator.allCases.first { separator in
      let names = line.unicodeScalars.split(separator: separator.scalar, omittingEmptySubsequences: false).map { part in
        String(String.UnicodeScalarView(part.filter { $0 != "\"" && $0 != " " })).lowercased()
      }
      return names.count > 1 && names.contains(Column.username.rawValue)
    }
  }

  private static func person(_ line: String, _ columns: [Column]) throws(PeopleListProblem) -> Person {
    guard !line.isEmpty else { throw .emptyLine }
    let fields = try fields(line)
    guard fields.count == columns.count else { throw .fields(found: fields.count, wanted: columns.count) }
    var username = ""
    var lifetime: Int64?
    for (column, field) in zip(columns, fields) {
      switch column {
      case .username: username = field
      case .lifetime: lifetime = try seconds(field)
      }
    }
    guard !username.isEmpty else { throw .emptyUsername }
    guard username.utf8.count <= 128 else { throw .longUsername }
    guard Username.isValid(username) else { throw .invalidUsername(username) }
    return Person(username: username, lifetime: lifetime)
  }

  /// The number of seconds in a field; nil for an empty field, for which the lifetime of the whole list applies.
  private static func seconds(_ field: String) throws(PeopleListProblem) -> Int64? {
    guard !field.isEmpty else { return nil }
    guard field.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(field) else {
      throw .notANumber(field)
    }
    guard (1...longestLifetime).contains(seconds) else { throw .lifetimeRange(seconds) }
    return seconds
  }
}

/// A fault of a list of people, or of one of its lines.
package enum PeopleListProblem: Error, Equatable, CustomStringConvertible {
  // Faults of the whole list.
  case empty
  case notUTF8
  case utf16
  /// The fields of the first line are separated by this character instead of commas.
  case separator(Separator)
  case tooMany
  case noUsername
  case unknownColumn(String)
  case columnTwice(String)
  // Faults of a single line.
  case emptyLine
  case tooLong
  case controlCharacter
  case openQuote
  case afterQuote
  case innerQuote
  case fields(found: Int, wanted: Int)
  case emptyUsername
  case longUsername
  case invalidUsername(String)
  case usernameTwice(String, first: Int)
  case notANumber(String)
  case lifetimeRange(Int64)
  /// An account in the group `privileged`, or an administrator.
  case privileged(String)

  /// Characters that some spreadsheets write between fields.
  package enum Separator: CaseIterable, Sendable {
    case semicolon, tab

    /// The character.
    var scalar: Unicode.Scalar { self == .semicolon ? ";" : "\t" }
  }

  package var description: String {
    switch self {
    case .empty: "the file is empty: its first line names the columns: username, or username,lifetime"
    case .notUTF8: "it is not UTF-8: save it as CSV in UTF-8"
    case .utf16: "it is UTF-16: save it as CSV in UTF-8"
    case .separator(.semicolon):
      "the fields are separated by semicolons instead of commas: save it as CSV with commas"
    case .separator(.tab): "the fields are separated by tabs instead of commas: save it as CSV with commas"
    case .tooMany: "there are more than \(PeopleList.maximumCount) lines: divide the list"
    case .noUsername: "the first line does not name a column username"
    case .unknownColumn(let name): "there is no column \(Self.shown(name)): use username, lifetime"
    case .columnTwice(let name): "the column \(Self.shown(name)) appears twice"
    case .emptyLine: "the line is empty"
    case .tooLong: "the line has more than \(PeopleList.maximumLine) bytes"
    case .controlCharacter: "the line has a control character"
    case .openQuote: "a quote is not closed on the same line"
    case .afterQuote: "there is something between a closing quote and the comma"
    case .innerQuote: "an unquoted field contains a quote: put the field in quotes, and double the quote"
    case .fields(let found, let wanted):
      found == 1 ? "there is 1 field instead of \(wanted)" : "there are \(found) fields instead of \(wanted)"
    case .emptyUsername: "the username is empty"
    case .longUsername: "the username has more than 128 characters"
    case .invalidUsername(let name): "\(Self.shown(name)) is not a username: use printable ASCII without white space"
    case .usernameTwice(let name, let first): "\(Self.shown(name)) is already on line \(first)"
    case .notANumber(let text): "\(Self.shown(text)) is not a number of seconds"
    case .lifetimeRange(let seconds): "\(seconds) is not a number of seconds from 1 to \(PeopleList.longestLifetime)"
    case .privileged(let name): "\(Self.shown(name)) is privileged: issue that code separately"
    }
  }

  private static func shown(_ text: String) -> String { ShownValue.quoted(text, maximumCount: 80) }
}

/// One parsed line of a CSV file (RFC 4180).
///
/// A field with a line break is refused: our fields never have one, and otherwise an unclosed quote would swallow the rest of
/// the file.
package struct CSVLine: Equatable {
  /// Why a line cannot be parsed.
  package enum Problem: Error {
    /// A quote is not closed on its line.
    case openQuote
    /// There is something between a closing quote and the next comma.
    case afterQuote
    /// There is a quote in a field that does not begin with one.
    case innerQuote
  }

  package let fields: [String]

  /// Parses a line.
  ///
  /// - Parameter line: the line without its line end.
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

  /// A field, and the position of the comma after it, or of the end of the line.
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

  /// Writes fields as a line with its line feed.
  ///
  /// Fields are quoted if necessary, and made harmless to spreadsheets.
  static func written(_ fields: [String]) -> String {
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
