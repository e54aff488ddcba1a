import UAFMessages
import UAFService

/// The table of the mappings of groups of people.
struct GroupMappingTable<Connection: SQLConnection>: GroupMappings {
  let connection: Connection

  private static var rows: String {
    """
    SELECT g.id, g.name, g.externalID, (SELECT count(*) FROM groupMember m WHERE m.groupID = g.id), x.policyGroup, x.role,
      x.madeBy, x.madeAt
    FROM groupMapping x JOIN personGroup g ON g.id = x.groupID
    """
  }

  private static func mapping(_ row: Connection.ResultRow) throws -> GroupMapping {
    GroupMapping(
      groupID: try row.integer(0), group: try row.text(1), externalID: try row.optionalText(2),
      members: try row.integer(3, as: Int.self), policyGroup: try row.optionalText(4),
      role: try row.optionalText(5), madeBy: try row.text(6), madeAt: try row.integer(7))
  }

  private static func list(_ texts: [String]) -> SQLValue { .text(JSONValue.array(texts.map(JSONValue.string)).text) }

  private static var texts: String { Connection.jsonTexts.replacing("?", with: "?1") }

  func all() throws -> [GroupMapping] { try connection.rows("\(Self.rows) ORDER BY g.nameKey", Self.mapping) }

  func mapping(of group: Int64) throws -> GroupMapping? {
    try connection.row("\(Self.rows) WHERE g.id = ?1", [.integer(group)], Self.mapping)
  }

  func mappings(ofGroupsNamed names: [String]) throws -> [GroupMapping] {
    guard !names.isEmpty else { return [] }
    return try connection.rows(
      "\(Self.rows) WHERE g.nameKey IN (\(Self.texts)) ORDER BY g.nameKey", [Self.list(names.map(SearchText.key))],
      Self.mapping)
  }

  func set(_ policyGroup: String?, role: String?, for group: Int64, by actor: String, now: Int64) throws {
    try connection.run(
      """
      INSERT INTO groupMapping (groupID, policyGroup, role, madeBy, madeAt) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (groupID) DO UPDATE SET policyGroup = excluded.policyGroup, role = excluded.role,
        madeBy = excluded.madeBy, madeAt = excluded.madeAt
      """, [.integer(group), .text(policyGroup), .text(role), .text(actor), .integer(now)])
    try noteChange()
  }

  func remove(_ group: Int64) throws -> Bool {
    guard try connection.run("DELETE FROM groupMapping WHERE groupID = ?1", [.integer(group)]) == 1 else {
      return false
    }
    try noteChange()
    return true
  }

  func policyMembers(among usernames: [String]?) throws -> [String: Set<String>] {
    let condition = usernames == nil ? "" : "AND m.username IN (\(Self.texts))"
    let rows = try connection.rows(
      """
      SELECT x.policyGroup, m.username FROM groupMapping x
        LEFT JOIN groupMember m ON m.groupID = x.groupID \(condition)
      WHERE x.policyGroup IS NOT NULL
      """, usernames.map { [Self.list($0)] } ?? []
    ) { (group: try $0.text(0), username: try $0.optionalText(1)) }
    return rows.reduce(into: [:]) { members, row in
      members[row.group, default: []].formUnion(row.username.map { [$0] } ?? [])
    }
  }

  func roles(of usernames: [String]) throws -> [String: [MappedRole]] {
    guard !usernames.isEmpty else { return [:] }
    let rows = try connection.rows(
      """
      SELECT m.username, x.role, x.groupID FROM groupMapping x JOIN groupMember m ON m.groupID = x.groupID
      WHERE x.role IS NOT NULL AND m.username IN (\(Self.texts)) ORDER BY x.groupID
      """, [Self.list(usernames)]
    ) { (username: try $0.text(0), role: MappedRole(role: try $0.text(1), group: try $0.integer(2))) }
    return Dictionary(grouping: rows, by: \.username).mapValues { $0.map(\.role) }
  }

  func peopleWithRoles() throws -> Set<String> {
    Set(
      try connection.rows(
        """
        SELECT DISTINCT m.username FROM groupMapping x JOIN groupMember m ON m.groupID = x.groupID
        WHERE x.role IS NOT NULL
        """
      ) { try $0.text(0) })
  }

  // MARK: Changes

  private var settings: SettingTable<Connection> { SettingTable(connection: connection) }

  func changeNumber() throws -> Int64 { try settings.value(of: .mappingChanges).flatMap { Int64($0) } ?? 0 }

  private func noteChange() throws { try settings.set(.mappingChanges, to: String(changeNumber() &+ 1)) }

  /// Notes that the members of some groups have changed, if one of these is mapped.
  ///
  /// - Parameter keys: the keys of the groups' names (``SearchText/key(_:)``).
  func noteMembers(ofGroupsKeyed keys: Set<String>) throws {
    guard !keys.isEmpty else { return }
    let isMapped = try connection.row(
      """
      SELECT 1 FROM groupMapping x JOIN personGroup g ON g.id = x.groupID WHERE g.nameKey IN (\(Self.texts)) LIMIT 1
      """, [Self.list(keys.sorted())]
    ) { _ in true }
    if isMapped == true { try noteChange() }
  }

  /// Notes that an account leaves all of its groups, if one of these is mapped.
  func noteDeparture(of username: String) throws {
    let isMapped = try connection.row(
      "SELECT 1 FROM groupMapping x JOIN groupMember m ON m.groupID = x.groupID WHERE m.username = ?1 LIMIT 1",
      [.text(username)]
    ) { _ in true }
    if isMapped == true { try noteChange() }
  }
}
