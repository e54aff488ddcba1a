import UAFDecoder

/// What is wrong with a list of people, or with one of its lines.
package enum PeopleListProblem: Error, Equatable, CustomStringConvertible {
  // The whole list.
  case empty
  case notUTF8
  case utf16
  /// The first line has this between its fields in place of commas.
  case separator(Separator)
  case tooMany
  case noUsername
  case unknownColumn(String)
  case columnTwice(String)
  // A line.
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
  /// One of the group `privileged`, or an administrator.
  case privileged(String)

  /// What some spreadsheets write between fields.
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
      "the fields are separated by semicolons, and commas are needed: save it as CSV with commas"
    case .separator(.tab): "the fields are separated by tabs, and commas are needed: save it as CSV with commas"
    case .tooMany: "there are more than \(PeopleList.maximumCount) lines: divide the list"
    case .noUsername: "the first line names no column username"
    case .unknownColumn(let name): "there is no column \(Self.shown(name)): use username, lifetime"
    case .columnTwice(let name): "the column \(Self.shown(name)) is there twice"
    case .emptyLine: "the line is empty"
    case .tooLong: "the line has more than \(PeopleList.maximumLine) bytes"
    case .controlCharacter: "there is a control character"
    case .openQuote: "a quote is not closed on its line"
    case .afterQuote: "there is something between a closing quote and the comma"
    case .innerQuote: "there is a quote in a field without quotes: put the field in quotes, and double it"
    case .fields(let found, let wanted): "there are \(found) fields in place of \(wanted)"
    case .emptyUsername: "the username is empty"
    case .longUsername: "the username has more than 128 characters"
    case .invalidUsername(let name): "\(Self.shown(name)) is no username: use printable ASCII without white space"
    case .usernameTwice(let name, let first): "\(Self.shown(name)) is on line \(first) already"
    case .notANumber(let text): "\(Self.shown(text)) is no number of seconds"
    case .lifetimeRange(let seconds): "\(seconds) seconds are not 1 to \(PeopleList.longestLifetime)"
    case .privileged(let name): "\(Self.shown(name)) is privileged: issue that code by itself"
    }
  }

  private static func shown(_ text: String) -> String { ShownValue.quoted(text, maximumCount: 80) }
}
