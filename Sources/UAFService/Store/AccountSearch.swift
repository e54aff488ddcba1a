import UAFMessages

/// The conditions of a search for accounts, as SQL that both stores read.
package struct AccountSearch {
  /// What a parameter is given.
  package enum Value: Equatable, Sendable {
    case text(String)
    case integer(Int64)
  }

  /// One condition on a row of `account`; a question mark stands for its value.
  package typealias Condition = (sql: String, value: Value)

  /// What every account that is found meets.
  package let conditions: [Condition]
  /// Whether the index of blocked accounts has all that are wanted.
  package let isOfBlocked: Bool

  /// Makes the conditions.
  ///
  /// - Parameters:
  ///   - listed: the values of a JSON array, which a question mark stands for, as a list for `IN`.
  ///   - isCounting: leaves out what has to look at an account's keys.
  package init(_ query: AccountQuery, now: Int64, listed: String, isCounting: Bool = false) {
    // One lower bound: with two, SQLite may search by the lesser one.
    let isBegun = query.after >= query.prefix && !query.after.isEmpty
    let found: [Condition?] = [
      ("username \(isBegun ? ">" : ">=") ?", .text(isBegun ? query.after : query.prefix)),
      ("username < ?", .text(query.end)), query.last.map { ("username <= ?", .text($0)) },
      query.state.map { Self.condition($0, now: now) },
      query.names.map { names in
        ("username IN (\(listed))", .text(JSONValue.array(names.map(JSONValue.string)).text))
      },
      isCounting ? nil : query.idleSince.map { (Self.idle, .integer($0)) },
    ]
    conditions = found.compactMap { $0 }
    isOfBlocked = query.state == .disabled || query.state == .locked
  }

  /// All of them, with numbered parameters.
  ///
  /// - Parameters:
  ///   - mark: what a parameter begins with.
  ///   - first: the number of the first one.
  package func sql(mark: String, from first: Int) -> String {
    conditions.enumerated().map { place, condition in
      condition.sql.replacing("?", with: "\(mark)\(first + place)")
    }.joined(separator: " AND ")
  }

  // A value and no EXISTS, which PostgreSQL may turn into a join with all keys there are.
  private static let idle =
    "coalesce((SELECT max(lastUsedAt) FROM credential AS used WHERE used.username = account.username), -1) < ?"

  // A disabled account has the highest number; the first part is that of the index.
  private static func condition(_ state: SearchedState, now: Int64) -> Condition {
    switch state {
    case .active: ("(blockedUntil IS NULL OR blockedUntil <= ?)", .integer(now))
    case .disabled: ("blockedUntil IS NOT NULL AND blockedUntil = ?", .integer(.max))
    case .locked: ("blockedUntil IS NOT NULL AND blockedUntil < \(Int64.max) AND blockedUntil > ?", .integer(now))
    }
  }
}
