/// Which accounts a page of them has.
package struct AccountQuery: Equatable, Sendable {
  /// Accounts whose name begins so; empty for all.
  package var prefix: String
  /// Accounts whose name comes after this one, by its bytes; empty for the first page.
  package var after: String
  /// Accounts whose name comes no later than this one; nil for no such end.
  package var last: String?
  /// Accounts in this state; nil for every state.
  package var state: SearchedState?
  /// Accounts of these names; nil for all.
  package var names: [String]?
  /// Accounts none of whose keys was used since this time, in seconds since 1970; nil for all.
  package var idleSince: Int64?
  /// How many at most.
  package var limit: Int

  package init(prefix: String = "", after: String = "", limit: Int) {
    self.prefix = prefix
    self.after = after
    self.limit = limit
  }

  /// The first text that no name with the prefix reaches; names are printable ASCII.
  package var end: String {
    guard let last = prefix.utf8.last else { return "\u{7F}" }
    return String(prefix.unicodeScalars.dropLast().map(Character.init)) + String(UnicodeScalar(min(last, 0x7E) + 1))
  }
}
