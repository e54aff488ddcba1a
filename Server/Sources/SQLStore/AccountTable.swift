import UAFMessages
import UAFService

/// The table of accounts.
struct AccountTable<Connection: SQLConnection>: Accounts {
  let connection: Connection

  func add(_ usernames: [String], now: Int64) throws {
    var changes: [SearchIndex<Connection>.Change] = []
    for username in usernames {
      // With a condition and not ON CONFLICT, so that a name that exists already uses up no number.
      let added = try connection.run(
        """
        INSERT INTO account (username, createdAt)
        SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM account WHERE username = ?1)
        """, [.text(username), .integer(now)])
      guard added == 1 else { continue }
      changes.append(
        SearchIndex.Change(
          number: try number(of: username), added: SearchGram.all(username, AccountProfile()), removed: []))
    }
    try SearchIndex(connection: connection).change(changes)
  }

  private func number(of username: String) throws -> Int64 {
    try connection.requiredRow("SELECT \(Connection.rowNumber) FROM account WHERE username = ?1", [.text(username)]) {
      try $0.integer(0)
    }
  }

  func exists(_ username: String) throws -> Bool {
    try connection.requiredRow("SELECT EXISTS (SELECT 1 FROM account WHERE username = ?1)", [.text(username)]) {
      try $0.boolean(0)
    }
  }

  func setBlock(_ block: AccountBlock?, covering lock: AccountBlock?, of username: String) throws -> Bool {
    let until = block.map { $0.until ?? .max }
    let changed = try connection.run(
      """
      UPDATE account SET blockedSince = ?1, blockedUntil = ?2, blockReason = ?3, blockActor = ?4,
        coveredSince = ?5, coveredUntil = ?6, coveredReason = ?7, coveredActor = ?8 WHERE username = ?9
      """,
      [
        .integer(block?.since), .integer(until), .text(block?.reason), .text(block?.actor),
        .integer(lock?.since), .integer(lock.map { $0.until ?? .max }), .text(lock?.reason), .text(lock?.actor),
        .text(username),
      ])
    guard changed == 1 else { return false }
    try connection.run(
      "UPDATE credential SET blockedUntil = ?1 WHERE username = ?2", [.integer(until), .text(username)])
    return true
  }

  func spreadBlocks() throws {
    try connection.run(
      """
      UPDATE credential SET blockedUntil = a.blockedUntil FROM account a
      WHERE a.username = credential.username AND a.blockedUntil IS NOT NULL
        AND credential.blockedUntil IS DISTINCT FROM a.blockedUntil
      """)
  }

  func block(of username: String) throws -> AccountBlock? {
    try connection.row(
      "SELECT blockedSince, blockedUntil, blockReason, blockActor FROM account WHERE username = ?1", [.text(username)]
    ) { try Self.block($0, from: 0) } ?? nil
  }

  func coveredLock(of username: String) throws -> AccountBlock? {
    try connection.row(
      "SELECT coveredSince, coveredUntil, coveredReason, coveredActor FROM account WHERE username = ?1",
      [.text(username)]
    ) { try Self.block($0, from: 0) } ?? nil
  }

  static func block(_ row: Connection.ResultRow, from column: CInt) throws -> AccountBlock? {
    guard let until = try row.optionalInteger(column + 1) else { return nil }
    return AccountBlock(
      since: try row.integer(column), until: until == .max ? nil : until, reason: try row.text(column + 2),
      actor: try row.text(column + 3))
  }

  func page(_ query: AccountQuery, now: Int64) throws -> [AccountSummary] {
    let search = AccountSearch(query, now: now, listed: Connection.jsonTexts)
    let rows = try connection.rows(
      Self.summaries("\(search.sql(mark: "?", from: 3)) ORDER BY username LIMIT ?2", from: Self.place(search, from: 3)),
      [.integer(now), .integer(query.limit)] + Self.parameters(search) + Self.group(search), Self.summary)
    return try withGroups(rows)
  }

  /// The summaries of those of the names that have an account.
  func summaries(of usernames: [String], now: Int64) throws -> [String: AccountSummary] {
    let rows = try connection.rows(
      Self.summaries("username IN (\(Connection.jsonTexts.replacing("?", with: "?2")))", from: "account"),
      [.integer(now), .text(JSONValue.array(usernames.map(JSONValue.string)).text)], Self.summary)
    return Dictionary(try withGroups(rows).map { ($0.username, $0) }) { first, _ in first }
  }

  /// The same summaries, with the groups of their people.
  private func withGroups(_ summaries: [AccountSummary]) throws -> [AccountSummary] {
    let groups = try ProfileTable(connection: connection).groups(of: summaries.map(\.username))
    return summaries.map { summary in
      var summary = summary
      summary.profile.groups = groups[summary.username] ?? []
      return summary
    }
  }

  func sorted(
    _ query: AccountQuery, by order: AccountOrder, isDescending: Bool, after place: AccountPlace?, now: Int64
  ) throws -> SortedAccounts {
    var whole = query
    whole.after = ""
    let search = AccountSearch(whole, now: now, listed: Connection.jsonTexts)
    let value: SQLValue =
      switch place?.value {
      case .text(let text)?: .text(text)
      case .number(let number)?: .integer(number)
      case nil: order.isOfTexts ? .text("") : .integer(0)
      }
    let direction = isDescending ? "DESC" : "ASC"
    let rows = try connection.rows(
      """
      SELECT username, place, total FROM (
        SELECT username, \(Self.value(order)) AS place, count(*) OVER () AS total FROM (
          SELECT username, displayName, department FROM \(Self.place(search, from: 6))
          WHERE \(search.sql(mark: "?", from: 6)) ORDER BY username LIMIT ?1) AS chosen
      ) AS every
      WHERE ?2 = 0 OR (place, username) \(isDescending ? "<" : ">") (?3, ?4)
      ORDER BY place \(direction), username \(direction) LIMIT ?5
      """,
      [
        .integer(SortedAccounts.mostSorted), .integer(place == nil ? 0 : 1), value, .text(place?.id ?? ""),
        .integer(query.limit + 1),
      ] + Self.parameters(search) + Self.group(search)
    ) { row in
      let value: AccountPlace.Value =
        order.isOfTexts ? .text(try row.text(1)) : .number(try row.integer(1))
      return (
        place: AccountPlace(order: order, value: value, id: try row.text(0)), total: try row.integer(2, as: Int.self)
      )
    }
    let names = rows.prefix(query.limit).map(\.place.id)
    let summaries = try summaries(of: names, now: now)
    return SortedAccounts(
      accounts: names.compactMap { summaries[$0] },
      next: rows.count > query.limit ? rows[query.limit - 1].place : nil, total: rows.first?.total ?? 0)
  }

  /// SQL for the value by which accounts are sorted.
  private static func value(_ order: AccountOrder) -> String {
    switch order {
    case .name: "username"
    case .displayName: "lower(coalesce(displayName, '')\(Connection.byBytes))"
    case .department: "lower(coalesce(department, '')\(Connection.byBytes))"
    case .keys:
      """
      (SELECT count(*) FROM credential c WHERE c.username = chosen.username AND revokedAt IS NULL)
        + (SELECT count(*) FROM passkey p WHERE p.username = chosen.username AND revokedAt IS NULL)
      """
    case .lastUsed: "coalesce(\(AccountSearch.lastUse(of: "chosen.username")), -1)"
    }
  }

  func count(_ query: AccountQuery, atMost limit: Int, now: Int64) throws -> Int {
    var whole = query
    (whole.after, whole.last) = ("", nil)
    let search = AccountSearch(whole, now: now, listed: Connection.jsonTexts, isCounting: true)
    return try connection.requiredRow(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM \(Self.place(search, from: 2)) WHERE \(search.sql(mark: "?", from: 2)) LIMIT ?1) AS counted
      """, [.integer(limit)] + Self.parameters(search) + Self.group(search)
    ) { try $0.integer(0, as: Int.self) }
  }

  func name(at place: Int, of query: AccountQuery, now: Int64) throws -> String? {
    let search = AccountSearch(query, now: now, listed: Connection.jsonTexts, isCounting: true)
    return try connection.row(
      """
      SELECT username FROM \(Self.place(search, from: 2)) WHERE \(search.sql(mark: "?", from: 2))
      ORDER BY username LIMIT 1 OFFSET ?1
      """,
      [.integer(place - 1)] + Self.parameters(search) + Self.group(search)
    ) { try $0.text(0) }
  }

  /// The table of a search.
  ///
  /// - Parameter first: the number of the first parameter of the conditions; the group's id is the parameter after these.
  private static func place(_ search: AccountSearch, from first: Int) -> String {
    // The index of the memberships has the members of a group in the order of their names.
    if search.memberOf != nil {
      return """
        (SELECT m.username AS username, a.displayName, a.mail, a.department, a.externalID, a.blockedSince, a.blockedUntil,
          a.blockReason, a.blockActor FROM groupMember m CROSS JOIN account a
          WHERE m.groupID = ?\(first + search.conditions.count) AND a.username = m.username) AS account
        """
    }
    return search.isOfBlocked ? Connection.table("account", by: "accountBlocked") : "account"
  }

  /// The parameter after those of the conditions.
  private static func group(_ search: AccountSearch) -> [SQLValue] { search.memberOf.map { [.integer($0)] } ?? [] }

  static func parameters(_ search: AccountSearch) -> [SQLValue] {
    search.conditions.map { condition in
      switch condition.value {
      case .text(let text): .text(text)
      case .integer(let number): .integer(number)
      }
    }
  }

  func summary(of username: String, now: Int64) throws -> AccountSummary? {
    let row = try connection.row(
      Self.summaries("username = ?2", from: "account"), [.integer(now), .text(username)], Self.summary)
    return try row.flatMap { try withGroups([$0]).first }
  }

  /// The query for summaries of accounts; ?1 is the time.
  ///
  /// The condition selects the accounts first, so that keys are counted only for these.
  private static func summaries(_ condition: String, from place: String) -> String {
    """
    SELECT a.username,
      (SELECT count(*) FROM credential c WHERE c.username = a.username AND revokedAt IS NULL)
        + (SELECT count(*) FROM passkey p WHERE p.username = a.username AND revokedAt IS NULL),
      (SELECT count(*) FROM credential c WHERE c.username = a.username AND revokedAt IS NOT NULL)
        + (SELECT count(*) FROM passkey p WHERE p.username = a.username AND revokedAt IS NOT NULL),
      \(AccountSearch.lastUse(of: "a.username")),
      EXISTS (SELECT 1 FROM enrolment e WHERE e.username = a.username AND e.expiresAt > ?1),
      a.blockedSince, a.blockedUntil, a.blockReason, a.blockActor,
      a.displayName, a.mail, a.department, a.externalID
    FROM (SELECT * FROM \(place) WHERE \(condition)) AS a ORDER BY a.username
    """
  }

  private static func summary(_ row: Connection.ResultRow) throws -> AccountSummary {
    AccountSummary(
      username: try row.text(0), keys: try row.integer(1, as: Int.self),
      revokedKeys: try row.integer(2, as: Int.self), lastUsedAt: try row.optionalInteger(3),
      hasOpenCode: try row.boolean(4), block: try block(row, from: 5),
      profile: try ProfileTable<Connection>.profile(row, from: 9))
  }

  func remove(_ username: String) throws -> Int? {
    guard let profile = try ProfileTable(connection: connection).profiles(of: [username])[username] else { return nil }
    // The account is locked before its passkeys, in the order in which a login with one locks them.
    try connection.run("UPDATE account SET createdAt = createdAt WHERE username = ?1", [.text(username)])
    let keys = try connection.requiredRow(
      """
      SELECT (SELECT count(*) FROM credential WHERE username = ?1 AND revokedAt IS NULL)
        + (SELECT count(*) FROM passkey WHERE username = ?1 AND revokedAt IS NULL)
      """, [.text(username)]
    ) { try $0.integer(0, as: Int.self) }
    let change = SearchIndex<Connection>.Change(
      number: try number(of: username), added: [], removed: SearchGram.all(username, profile))
    try SearchIndex(connection: connection).change([change])
    try GroupMappingTable(connection: connection).noteDeparture(of: username)
    let tables = [
      "credential", "passkey", "deregisteredKey", "enrolment", "approval", "openRegistration", "groupMember", "account",
    ]
    for table in tables {
      try connection.run("DELETE FROM \(table) WHERE username = ?1", [.text(username)])
    }
    return keys
  }

  func lastNumber() throws -> Int64 {
    try connection.requiredRow("SELECT coalesce(max(\(Connection.rowNumber)), 0) FROM account") { try $0.integer(0) }
  }
}
