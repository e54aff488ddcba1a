import UAFService

/// A list of people who are to get enrolment codes: CSV whose first line names the columns in any order.
///
/// Only `username` is required. An empty field changes nothing.
package struct PeopleList: Sendable {
  /// The longest line in bytes, and the most lines of people.
  package static let maximumLine = 4096
  package static let maximumCount = 100_000
  /// The longest file in bytes.
  package static let maximumSize = 16 << 20
  /// The maximum lifetime of a code in seconds: a week.
  package static let longestLifetime: Int64 = 604_800

  package struct Person: Equatable, Sendable {
    package let username: String
    /// In seconds; nil if the list does not say.
    package let lifetime: Int64?
    /// What the list says about the person.
    package let change: ProfileChange
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
  /// Who has each external ID of the list.
  private var owners: [String: String] = [:]

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
    let (columns, separator) = try PeopleListColumn.columns(of: first)
    for (index, line) in lines.enumerated().dropFirst() {
      do throws(PeopleListProblem) {
        let person = try Self.person(line, columns, separator)
        if let earlier = self.lines[person.username] { throw .usernameTwice(person.username, first: earlier) }
        if case let id?? = person.change.texts[.externalID] {
          if let other = owners[id] { throw .externalIDTaken(id, by: other) }
          owners[id] = person.username
        }
        self.lines[person.username] = index + 1
        people.append(person)
      } catch {
        wrong.append(Wrong(line: index + 1, problem: error))
      }
    }
  }

  /// Removes privileged people, who get no codes through a list: their lines count as wrong.
  mutating func leaveOut(_ privileged: Set<String>) {
    leaveOut { privileged.contains($0.username) ? .privileged($0.username) : nil }
  }

  /// Removes people whose external ID belongs to an account that keeps it: their lines count as wrong.
  ///
  /// - Parameter stored: the accounts that have IDs of the list.
  mutating func leaveOut(takenIDs stored: [String: String]) {
    let new = Dictionary(people.map { ($0.username, $0.change.texts[.externalID]) }) { first, _ in first }
    leaveOut { person in
      guard case let id?? = person.change.texts[.externalID], let owner = stored[id], owner != person.username,
        new[owner] ?? nil == nil
      else { return nil }
      return .externalIDTaken(id, by: owner)
    }
  }

  private mutating func leaveOut(_ problem: (Person) -> PeopleListProblem?) {
    var kept: [Person] = []
    for person in people {
      if let problem = problem(person) {
        wrong.append(Wrong(line: lines[person.username] ?? 0, problem: problem))
      } else {
        kept.append(person)
      }
    }
    people = kept
    wrong.sort { $0.line < $1.line }
  }

  /// The external IDs of the list.
  var externalIDs: [String] { owners.keys.sorted() }

  /// Whether the list says more about people than their login names.
  package var hasProfiles: Bool { people.contains { !$0.change.isEmpty } }

  /// The line without a carriage return at its end, which files from other systems have.
  private static func line(_ scalars: Substring.UnicodeScalarView) -> String {
    String(Substring(scalars.last == "\r" ? scalars.dropLast() : scalars))
  }

  private static func person(
    _ line: String, _ columns: [PeopleListColumn], _ separator: Unicode.Scalar
  ) throws(PeopleListProblem) -> Person {
    guard !line.isEmpty else { throw .emptyLine }
    let fields = try PeopleListColumn.fields(line, separator)
    guard fields.count == columns.count else { throw .fields(found: fields.count, wanted: columns.count) }
    var (username, lifetime, groups) = ("", Int64?.none, [String]?.none)
    var texts: [ProfileField: String] = [:]
    for (column, field) in zip(columns, fields) {
      switch column {
      case .username: username = field
      case .lifetime: lifetime = try seconds(field)
      case .groups where !field.isEmpty: groups = field.split(separator: ProfileRules.groupSeparator).map(String.init)
      case .field(let name) where !field.isEmpty: texts[name] = field
      case .groups, .field: break
      }
    }
    guard !username.isEmpty else { throw .emptyUsername }
    guard username.utf8.count <= 128 else { throw .longUsername }
    guard Username.isValid(username) else { throw .invalidUsername(username) }
    return Person(username: username, lifetime: lifetime, change: try change(texts, groups))
  }

  private static func change(
    _ texts: [ProfileField: String], _ groups: [String]?
  ) throws(PeopleListProblem) -> ProfileChange {
    do throws(AdministrationRefusal) {
      let change = try ProfileChange(texts, groups: groups)
      // White space alone is an empty field too.
      return change.withoutClearing
    } catch {
      guard case .invalid(let field, let problem) = error else { throw .column("", .unknown) }
      throw .column(field, problem)
    }
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
