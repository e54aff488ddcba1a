import UAFMessages
import UAFService

/// The tables of accounts and of groups of people, in the order of their numbers.
struct ProvisioningTable<Connection: SQLConnection>: Provisioning {
  let connection: Connection

  private static var columns: String {
    """
    a.\(Connection.rowNumber), a.username, a.createdAt, a.displayName, a.mail, a.department, a.externalID,
      a.blockedSince, a.blockedUntil, a.blockReason, a.blockActor
    """
  }

  private static func account(_ row: Connection.ResultRow) throws -> NumberedAccount {
    NumberedAccount(
      number: try row.integer(0), createdAt: try row.integer(2), username: try row.text(1),
      block: try AccountTable<Connection>.block(row, from: 7),
      profile: try ProfileTable<Connection>.profile(row, from: 3))
  }

  func accountCount() throws -> Int {
    try connection.requiredRow("SELECT count(*) FROM account") { try $0.integer(0, as: Int.self) }
  }

  func accounts(after number: Int64, skipping count: Int, limit: Int) throws -> [NumberedAccount] {
    try withGroups(
      connection.rows(
        """
        SELECT \(Self.columns) FROM account a WHERE a.\(Connection.rowNumber) > ?1
        ORDER BY a.\(Connection.rowNumber) LIMIT ?2 OFFSET ?3
        """, [.integer(number), .integer(limit), .integer(count)], Self.account))
  }

  func account(_ number: Int64) throws -> NumberedAccount? {
    let rows = try connection.rows(
      "SELECT \(Self.columns) FROM account a WHERE a.\(Connection.rowNumber) = ?1", [.integer(number)], Self.account)
    return try withGroups(rows).first
  }

  func accounts(named usernames: [String]) throws -> [NumberedAccount] {
    try withGroups(
      connection.rows(
        """
        SELECT \(Self.columns) FROM account a
        WHERE a.username IN (\(Connection.jsonTexts.replacing("?", with: "?1"))) ORDER BY a.\(Connection.rowNumber)
        """, [Self.list(usernames)], Self.account))
  }

  func members(of group: Int64) throws -> [NumberedAccount] {
    try connection.rows(
      """
      SELECT \(Self.columns) FROM groupMember m JOIN account a ON a.username = m.username
      WHERE m.groupID = ?1 ORDER BY a.\(Connection.rowNumber)
      """, [.integer(group)], Self.account)
  }

  func groups(skipping count: Int, limit: Int) throws -> [NumberedGroup] {
    try connection.rows(
      "SELECT id, name, externalID FROM personGroup ORDER BY id LIMIT ?1 OFFSET ?2", [.integer(limit), .integer(count)]
    ) { NumberedGroup(id: try $0.integer(0), name: try $0.text(1), externalID: try $0.optionalText(2)) }
  }

  private static func list(_ names: [String]) -> SQLValue { .text(JSONValue.array(names.map(JSONValue.string)).text) }

  /// The same accounts, with the groups of their people.
  private func withGroups(_ accounts: [NumberedAccount]) throws -> [NumberedAccount] {
    guard !accounts.isEmpty else { return [] }
    let rows = try connection.rows(
      """
      SELECT m.username, g.id, g.name FROM groupMember m JOIN personGroup g ON g.id = m.groupID
      WHERE m.username IN (\(Connection.jsonTexts.replacing("?", with: "?1"))) ORDER BY g.id
      """, [Self.list(accounts.map(\.username))]
    ) { (username: try $0.text(0), group: NumberedGroup(id: try $0.integer(1), name: try $0.text(2))) }
    let groups = Dictionary(grouping: rows, by: \.username).mapValues { $0.map(\.group) }
    return accounts.map { account in
      var account = account
      account.groups = groups[account.username] ?? []
      return account
    }
  }
}
