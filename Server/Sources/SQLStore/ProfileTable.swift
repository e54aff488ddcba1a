import UAFMessages
import UAFService

/// The columns of `account` that describe its person, and the groups of that person.
struct ProfileTable<Connection: SQLConnection>: Profiles {
  /// An account with its number and the fields of its profile, without groups.
  typealias Account = (number: Int64, username: String, profile: AccountProfile)

  /// How many suggestions of the index are looked at in one statement.
  private static var together: Int { 200 }

  let connection: Connection

  private var index: SearchIndex<Connection> { SearchIndex(connection: connection) }

  /// The columns that ``account(_:)`` reads.
  static var columns: String { "\(Connection.rowNumber), username, displayName, mail, department, externalID" }

  static func account(_ row: Connection.ResultRow) throws -> Account {
    (try row.integer(0), try row.text(1), try profile(row, from: 2))
  }

  /// Reads the four columns from `displayName` on.
  static func profile(_ row: Connection.ResultRow, from column: CInt) throws -> AccountProfile {
    AccountProfile(
      displayName: try row.optionalText(column), mail: try row.optionalText(column + 1),
      department: try row.optionalText(column + 2), externalID: try row.optionalText(column + 3))
  }

  private static func list(_ names: [String]) -> SQLValue { .text(JSONValue.array(names.map(JSONValue.string)).text) }

  private static var names: String { Connection.jsonTexts.replacing("?", with: "?1") }

  private func accounts(of usernames: [String]) throws -> [Account] {
    try connection.rows(
      "SELECT \(Self.columns) FROM account WHERE username IN (\(Self.names))", [Self.list(usernames)], Self.account)
  }

  // MARK: Profiles

  func profiles(of usernames: [String]) throws -> [String: AccountProfile] {
    let groups = try groups(of: usernames)
    let found = try accounts(of: usernames).map { account in
      var profile = account.profile
      profile.groups = groups[account.username] ?? []
      return (account.username, profile)
    }
    return Dictionary(found) { first, _ in first }
  }

  /// The names of the groups of accounts that have any, in the order of their keys.
  func groups(of usernames: [String]) throws -> [String: [String]] {
    guard !usernames.isEmpty else { return [:] }
    let rows = try connection.rows(
      """
      SELECT m.username, g.name FROM groupMember m JOIN personGroup g ON g.id = m.groupID
      WHERE m.username IN (\(Self.names)) ORDER BY m.username, g.nameKey
      """, [Self.list(usernames)]
    ) { (username: try $0.text(0), group: try $0.text(1)) }
    return Dictionary(grouping: rows, by: \.username).mapValues { $0.map(\.group) }
  }

  func set(_ profiles: [String: AccountProfile], now: Int64) throws {
    let accounts = try accounts(of: profiles.keys.sorted())
    let freed = accounts.filter { account in
      account.profile.externalID != nil && account.profile.externalID != profiles[account.username]?.externalID
    }
    // First, so that two accounts can exchange their IDs.
    for account in freed {
      try connection.run("UPDATE account SET externalID = NULL WHERE username = ?1", [.text(account.username)])
    }
    for account in accounts {
      guard let profile = profiles[account.username] else { continue }
      try connection.run(
        """
        UPDATE account SET displayName = ?1, mail = ?2, department = ?3, externalID = ?4 WHERE username = ?5
        """,
        [
          .text(profile.displayName), .text(profile.mail), .text(profile.department), .text(profile.externalID),
          .text(account.username),
        ])
    }
    try index.change(
      accounts.compactMap { account in
        guard let profile = profiles[account.username] else { return nil }
        let before = SearchGram.all(account.username, account.profile)
        let after = SearchGram.all(account.username, profile)
        return SearchIndex.Change(
          number: account.number, added: after.subtracting(before), removed: before.subtracting(after))
      })
    try setGroups(accounts.map(\.username), profiles, now: now)
  }

  func owners(ofExternalIDs ids: [String]) throws -> [String: String] {
    // The index has only accounts with an ID, and is used only if the query says so too.
    let rows = try connection.rows(
      "SELECT externalID, username FROM account WHERE externalID IN (\(Self.names)) AND externalID IS NOT NULL",
      [Self.list(ids)]
    ) { (try $0.text(0), try $0.text(1)) }
    return Dictionary(rows) { first, _ in first }
  }

  // MARK: Groups

  private func setGroups(_ usernames: [String], _ profiles: [String: AccountProfile], now: Int64) throws {
    let present = try groups(of: usernames)
    var ids: [String: Int64] = [:]
    var changed: Set<String> = []
    for username in usernames {
      let wanted = Dictionary((profiles[username]?.groups ?? []).map { (SearchText.key($0), $0) }) { first, _ in first }
      let present = Set((present[username] ?? []).map(SearchText.key))
      changed.formUnion(present.symmetricDifference(wanted.keys))
      for key in present where wanted[key] == nil {
        try connection.run(
          """
          DELETE FROM groupMember WHERE username = ?1 AND groupID = (SELECT id FROM personGroup WHERE nameKey = ?2)
          """, [.text(username), .text(key)])
      }
      for (key, name) in wanted.sorted(by: { $0.key < $1.key }) where !present.contains(key) {
        let id = try ids[key] ?? id(key, name: name, now: now)
        ids[key] = id
        try connection.run(
          "INSERT INTO groupMember (groupID, username) VALUES (?1, ?2)", [.integer(id), .text(username)])
      }
    }
    try GroupMappingTable(connection: connection).noteMembers(ofGroupsKeyed: changed)
  }

  /// The id of a group, which is made if it does not exist yet.
  private func id(_ key: String, name: String, now: Int64) throws -> Int64 {
    // With a condition and not ON CONFLICT, so that a name that exists already uses up no number.
    try connection.run(
      """
      INSERT INTO personGroup (name, nameKey, createdAt)
      SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM personGroup WHERE nameKey = ?2)
      """, [.text(name), .text(key), .integer(now)])
    return try connection.requiredRow("SELECT id FROM personGroup WHERE nameKey = ?1", [.text(key)]) {
      try $0.integer(0)
    }
  }

  // MARK: Searching

  func search(
    _ text: SearchText, _ query: AccountQuery, after place: SearchPlace?, lookingAt most: Int,
    now: Int64
  ) throws -> FoundAccounts {
    var (named, number) = ([AccountSummary](), Int64(0))
    if case .number(let last)? = place {
      number = last
    } else {
      let found = try self.named(text, query, after: place, lookingAt: most, now: now)
      guard found.next == .number(0), found.accounts.count < query.limit else { return found }
      named = found.accounts
    }
    var query = query
    query.limit -= named.count
    let others = try self.others(text, query, after: number, lookingAt: most, now: now)
    return FoundAccounts(accounts: named + others.accounts, next: others.next)
  }

  /// The accounts whose login names begin with the text.
  ///
  /// After the last of them, the next place is the beginning of the other accounts.
  private func named(
    _ text: SearchText, _ query: AccountQuery, after place: SearchPlace?, lookingAt most: Int,
    now: Int64
  ) throws -> FoundAccounts {
    let table = AccountTable(connection: connection)
    var beginnings = text.beginnings[...]
    var after = ""
    if case .name(let name)? = place {
      after = name
      beginnings = beginnings.drop { !name.hasPrefix($0) }
    }
    var found: [AccountSummary] = []
    for beginning in beginnings {
      var part = query
      guard beginning.hasPrefix(query.prefix) || query.prefix.hasPrefix(beginning) else { continue }
      part.prefix = beginning.hasPrefix(query.prefix) ? beginning : query.prefix
      (part.after, after) = (after, "")
      // The keys of each account are read, so only some accounts are.
      if query.idleSince != nil { part.last = try table.name(at: most, of: part, now: now) }
      part.limit = query.limit - found.count + 1
      let rows = try table.page(part, now: now)
      found += rows.prefix(query.limit - found.count)
      if rows.count == part.limit {
        return FoundAccounts(accounts: found, next: found.last.map { .name($0.username) })
      }
      if let last = part.last { return FoundAccounts(accounts: found, next: .name(last)) }
    }
    return FoundAccounts(accounts: found, next: .number(0))
  }

  /// The accounts that contain the text, and whose login names do not begin with it.
  private func others(
    _ text: SearchText, _ query: AccountQuery, after number: Int64, lookingAt most: Int, now: Int64
  ) throws -> FoundAccounts {
    var found: [Account] = []
    var (left, last) = (most, Int64?.none)
    let search = AccountSearch(query, now: now, listed: Connection.jsonTexts, isSuggested: true)
    try index.suggest(text, after: number) { numbers in
      for start in stride(from: 0, to: numbers.count, by: Self.together) {
        let part = numbers[start..<min(numbers.count, start + min(Self.together, left))]
        found += try matching(part, text, search)
        left -= part.count
        if found.count > query.limit { return false }
        guard left > 0 else {
          last = part.last
          return false
        }
      }
      return true
    }
    let shown = found.prefix(query.limit)
    let names = shown.map(\.username)
    let summaries = try AccountTable(connection: connection).summaries(of: names, now: now)
    let next = found.count > query.limit ? shown.last?.number : last
    return FoundAccounts(
      accounts: names.compactMap { summaries[$0] }, next: next.map { .number($0) })
  }

  /// Those of some suggested accounts that match, in the order of their numbers.
  private func matching(
    _ numbers: ArraySlice<Int64>, _ text: SearchText, _ search: AccountSearch
  ) throws -> [Account] {
    let condition = search.conditions.isEmpty ? "" : " AND \(search.sql(mark: "?", from: 2))"
    let accounts = try connection.rows(
      """
      SELECT \(Self.columns) FROM account
      WHERE \(Connection.rowNumber) IN (\(Connection.jsonNumbers.replacing("?", with: "?1")))\(condition)
      """,
      [.text(JSONValue.array(numbers.map(JSONValue.integer)).text)] + AccountTable<Connection>.parameters(search),
      Self.account)
    let beginnings = text.beginnings
    return accounts.filter { account in
      !beginnings.contains { account.username.hasPrefix($0) }
        && text.isIn(account.username, account.profile)
    }.sorted { $0.number < $1.number }
  }
}

/// The tables of groups of people.
struct PersonGroupTable<Connection: SQLConnection>: PersonGroups {
  private static var columns: String {
    "id, name, (SELECT count(*) FROM groupMember m WHERE m.groupID = personGroup.id), externalID"
  }

  let connection: Connection

  private static func group(_ row: Connection.ResultRow) throws -> PersonGroup {
    PersonGroup(
      id: try row.integer(0), name: try row.text(1), members: try row.integer(2, as: Int.self),
      externalID: try row.optionalText(3))
  }

  func page(after name: String, limit: Int) throws -> [PersonGroup] {
    try connection.rows(
      "SELECT \(Self.columns) FROM personGroup WHERE nameKey > ?1 ORDER BY nameKey LIMIT ?2",
      [.text(SearchText.key(name)), .integer(limit)], Self.group)
  }

  func group(_ id: Int64) throws -> PersonGroup? {
    try connection.row("SELECT \(Self.columns) FROM personGroup WHERE id = ?1", [.integer(id)], Self.group)
  }

  func group(named name: String) throws -> PersonGroup? {
    try connection.row(
      "SELECT \(Self.columns) FROM personGroup WHERE nameKey = ?1", [.text(SearchText.key(name))], Self.group)
  }

  func group(externalID: String) throws -> PersonGroup? {
    // The index has only groups with an ID, and is used only if the query says so too.
    try connection.row(
      "SELECT \(Self.columns) FROM personGroup WHERE externalID = ?1 AND externalID IS NOT NULL", [.text(externalID)],
      Self.group)
  }

  func setExternalID(_ externalID: String?, of id: Int64) throws {
    try connection.run("UPDATE personGroup SET externalID = ?1 WHERE id = ?2", [.text(externalID), .integer(id)])
  }

  func count() throws -> Int {
    try connection.requiredRow("SELECT count(*) FROM personGroup") { try $0.integer(0, as: Int.self) }
  }

  func add(_ name: String, now: Int64) throws -> Int64 {
    try connection.requiredRow(
      "INSERT INTO personGroup (name, nameKey, createdAt) VALUES (?1, ?2, ?3) RETURNING id",
      [.text(name), .text(SearchText.key(name)), .integer(now)]
    ) { try $0.integer(0) }
  }

  func rename(_ id: Int64, to name: String) throws {
    try connection.run(
      "UPDATE personGroup SET name = ?1, nameKey = ?2 WHERE id = ?3",
      [.text(name), .text(SearchText.key(name)), .integer(id)])
  }

  func remove(_ id: Int64) throws {
    _ = try GroupMappingTable(connection: connection).remove(id)
    try connection.run("DELETE FROM groupMember WHERE groupID = ?1", [.integer(id)])
    try connection.run("DELETE FROM personGroup WHERE id = ?1", [.integer(id)])
  }
}

/// Makes the index of the search, when a store is upgraded to the version that has it or is filled in a different way.
package enum AccountIndexing {
  /// - Throws: the engine's ``StoreFailure``.
  package static func rebuild(_ connection: some SQLConnection) throws {
    try SearchIndex(connection: connection).rebuild()
  }
}
