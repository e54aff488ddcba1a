import UAFDecoder
import UAFService

/// A fault of a list of people, or of one of its lines.
package enum PeopleListProblem: Error, Equatable, CustomStringConvertible {
  // Faults of the whole list.
  case empty
  case notUTF8
  case utf16
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
  /// The field in this column, by its name in the API, breaks a rule.
  case column(String, FieldProblem)
  /// A different account, or an earlier line, has this external ID.
  case externalIDTaken(String, by: String)
  /// An account in the group `privileged`, or an administrator.
  case privileged(String)

  package var description: String {
    switch self {
    case .empty: "the file is empty: its first line names the columns, at least username"
    case .notUTF8: "it is not UTF-8: save it as CSV in UTF-8"
    case .utf16: "it is UTF-16: save it as CSV in UTF-8"
    case .tooMany: "there are more than \(PeopleList.maximumCount) lines: divide the list"
    case .noUsername: "the first line does not name a column username"
    case .unknownColumn(let name):
      "the first line names the columns, and \(Self.shown(name)) is none of them: write username, and what is wanted of "
        + Self.optionalColumns
    case .columnTwice(let name): "the column \(Self.shown(name)) appears twice"
    case .emptyLine: "the line is empty"
    case .tooLong: "the line has more than \(PeopleList.maximumLine) bytes"
    case .controlCharacter: "the line has a control character"
    case .openQuote: "a quote is not closed on the same line"
    case .afterQuote: "there is something between a closing quote and the end of the field"
    case .innerQuote: "an unquoted field contains a quote: put the field in quotes, and double the quote"
    case .fields(let found, let wanted):
      found == 1 ? "there is 1 field instead of \(wanted)" : "there are \(found) fields instead of \(wanted)"
    case .emptyUsername: "the username is empty"
    case .longUsername: "the username has more than 128 characters"
    case .invalidUsername(let name): "\(Self.shown(name)) is not a username: use printable ASCII without white space"
    case .usernameTwice(let name, let first): "\(Self.shown(name)) is already on line \(first)"
    case .notANumber(let text): "the lifetime \(Self.shown(text)) is not a number of seconds"
    case .lifetimeRange(let seconds):
      "the lifetime \(seconds) is not a number of seconds from 1 to \(PeopleList.longestLifetime)"
    case .column(let name, let problem): "\(name) \(problem)"
    case .externalIDTaken(let id, let name): "the externalID \(Self.shown(id)) is that of \(name)"
    case .privileged(let name): "\(Self.shown(name)) is privileged: issue that code separately"
    }
  }

  /// The names of the columns that a list may have in addition to `username`.
  package static let optionalColumns =
    (PeopleListColumn.written.dropFirst() + ["lifetime"]).joined(separator: ", ")

  private static func shown(_ text: String) -> String { ShownValue.quoted(text, maximumCount: 80) }
}
