import UAFService

/// A list of people who are to get enrolment codes: CSV with a first line that names the columns `username` and, if wanted,
/// `lifetime` (seconds).
package struct PeopleList: Sendable {
  /// The longest line in bytes, and the most lines of people.
  package static let maximumLine = 1024
  package static let maximumCount = 100_000
  /// The longest file in bytes.
  package static let maximumSize = 16 << 20
  /// Seconds that a code may be good for: a week.
  package static let longestLifetime: Int64 = 604_800

  package struct Person: Equatable, Sendable {
    package let username: String
    /// Nil where the list does not say.
    package let lifetime: Int64?
  }

  package struct Wrong: Equatable, Sendable {
    /// From 1 on.
    package let line: Int
    package let problem: PeopleListProblem
  }

  package private(set) var people: [Person] = []
  /// The lines that cannot be used.
  package private(set) var wrong: [Wrong] = []
  /// Where each of the people is.
  private var lines: [String: Int] = [:]

  private enum Column: String, CaseIterable { case username, lifetime }

  /// Reads a list.
  ///
  /// - Throws: ``PeopleListProblem`` of the whole list; what is wrong with single lines is in ``wrong``.
  package init(parsing bytes: [UInt8]) throws(PeopleListProblem) {
    // Spreadsheets put a mark of the byte order there.
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

  /// Takes people out who get no code by a list: their lines count as wrong.
  mutating func leaveOut(_ privileged: Set<String>) {
    for person in people where privileged.contains(person.username) {
      wrong.append(Wrong(line: lines[person.username] ?? 0, problem: .privileged(person.username)))
    }
    people.removeAll { privileged.contains($0.username) }
    wrong.sort { $0.line < $1.line }
  }

  /// A line without the carriage return that ends it in files of other systems.
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

  /// What stands between the names of columns in place of commas; nil for commas, and where nothing says so.
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

  /// Nil for an empty field: then the lifetime of the whole list holds.
  private static func seconds(_ field: String) throws(PeopleListProblem) -> Int64? {
    guard !field.isEmpty else { return nil }
    guard field.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(field) else {
      throw .notANumber(field)
    }
    guard (1...longestLifetime).contains(seconds) else { throw .lifetimeRange(seconds) }
    return seconds
  }
}
