import UAFService

/// A column of a list of people.
enum PeopleListColumn: Hashable {
  case username
  /// Seconds.
  case lifetime
  case field(ProfileField)
  /// The names of groups, with ``ProfileRules/groupSeparator`` between them.
  case groups

  /// The characters that may separate fields; some spreadsheets write the last two.
  private static let separators: [Unicode.Scalar] = [",", ";", "\t"]

  /// The columns by their names, without the difference of case, spaces, hyphens and underscores.
  private static let named: [String: PeopleListColumn] = [
    "username": .username, "login": .username, "아이디": .username, "계정": .username,
    "lifetime": .lifetime, "유효시간": .lifetime,
    "displayname": .field(.displayName), "name": .field(.displayName), "이름": .field(.displayName),
    "성명": .field(.displayName),
    "mail": .field(.mail), "email": .field(.mail), "메일": .field(.mail), "이메일": .field(.mail),
    "department": .field(.department), "부서": .field(.department),
    "externalid": .field(.externalID), "employeenumber": .field(.externalID), "사번": .field(.externalID),
    "외부id": .field(.externalID),
    "groups": .groups, "group": .groups, "그룹": .groups,
  ]

  /// The names with which a list is written, in that order.
  static let written = ["username"] + ProfileField.allCases.map(\.rawValue) + ["groups"]

  private init?(_ name: String) {
    let scalars = SearchText.key(name).unicodeScalars.filter { $0 != "-" && $0 != "_" && !$0.properties.isWhitespace }
    guard let column = Self.named[String(String.UnicodeScalarView(scalars))] else { return nil }
    self = column
  }

  /// Reads the first line of a list.
  ///
  /// - Returns: the columns in their order, and the character that separates fields.
  static func columns(of line: String) throws(PeopleListProblem) -> ([PeopleListColumn], Unicode.Scalar) {
    guard !line.isEmpty else { throw .empty }
    let separator = separator(of: line)
    var columns: [PeopleListColumn] = []
    for name in try fields(line, separator) {
      guard let column = PeopleListColumn(name) else { throw .unknownColumn(name) }
      guard !columns.contains(column) else { throw .columnTwice(name) }
      columns.append(column)
    }
    guard columns.contains(.username) else { throw .noUsername }
    return (columns, separator)
  }

  /// The character that separates the names of columns: the one that appears most often, because no name has any of them.
  private static func separator(of line: String) -> Unicode.Scalar {
    let counts = separators.map { separator in line.unicodeScalars.count { $0 == separator } }
    let most = counts.max() ?? 0
    return zip(separators, counts).first { $0.1 == most }?.0 ?? ","
  }

  /// The fields of a line.
  static func fields(_ line: String, _ separator: Unicode.Scalar) throws(PeopleListProblem) -> [String] {
    guard line.utf8.count <= PeopleList.maximumLine else { throw .tooLong }
    guard line.unicodeScalars.allSatisfy({ ($0.value >= 0x20 && $0.value != 0x7F) || $0 == separator }) else {
      throw .controlCharacter
    }
    do throws(CSVLine.Problem) {
      return try CSVLine(parsing: line, separator: separator).fields
    } catch {
      switch error {
      case .openQuote: throw .openQuote
      case .afterQuote: throw .afterQuote
      case .innerQuote: throw .innerQuote
      }
    }
  }
}

/// What the server knows about people as a list, in the form in which a list is read.
package enum PeopleListText {
  /// The first line.
  package static let header = CSVLine.written(PeopleListColumn.written)

  /// The line of an account.
  ///
  /// If a spreadsheet would take a text as a formula, it gets an apostrophe in front, which stays when the list is read.
  package static func line(_ username: String, _ fields: [ProfileField: String], groups: [String]) -> String {
    let texts = ProfileField.allCases.map { fields[$0] ?? "" }
    return CSVLine.written([username] + texts + [groups.joined(separator: String(ProfileRules.groupSeparator))])
  }
}
