import UAFService

/// The machines in the table of registered keys.
struct MachineTable: Machines {
  let connection: Connection

  func page(after id: String, limit: Int) throws -> [FleetMachine] {
    try connection.execute(
      Self.machines(#"deviceID COLLATE "C" > $1"#, "LIMIT $2"), [.text(id), .integer(limit)]
    ).rows.map(Self.machine)
  }

  func machine(_ id: String) throws -> FleetMachine? {
    try connection.execute(Self.machines(#"deviceID COLLATE "C" = $1"#), [.text(id)]).first.map(Self.machine)
  }

  func keys(on id: String, limit: Int) throws -> [KeyRecord] {
    try connection.execute(
      #"SELECT \#(KeyRecord.columns) FROM credential WHERE deviceID COLLATE "C" = $1 ORDER BY id LIMIT $2"#,
      [.text(id), .integer(limit)]
    ).rows.map(KeyRecord.init(row:))
  }

  /// Machines in the order of their ids; each is described as by its last registration.
  private static func machines(_ condition: String, _ limit: String = "") -> String {
    """
    SELECT m.id, last.deviceName, last.deviceModel, last.deviceOS, m.people, m.keys, m.revoked, m.registeredAt,
      m.lastUsedAt
    FROM (
      SELECT deviceID COLLATE "C" AS id, max(id) AS lastKey, count(DISTINCT username) AS people,
        count(*) FILTER (WHERE revokedAt IS NULL) AS keys, count(*) FILTER (WHERE revokedAt IS NOT NULL) AS revoked,
        max(registeredAt) AS registeredAt, max(lastUsedAt) AS lastUsedAt
      FROM credential WHERE deviceID IS NOT NULL AND \(condition)
      GROUP BY deviceID COLLATE "C" ORDER BY deviceID COLLATE "C" \(limit)
    ) AS m JOIN credential last ON last.id = m.lastKey ORDER BY m.id
    """
  }

  private static func machine(_ row: QueryRow) throws -> FleetMachine {
    FleetMachine(
      id: try row.text(0), name: try row.optionalText(1), model: try row.optionalText(2),
      system: try row.optionalText(3), people: try row.integer(4, as: Int.self), keys: try row.integer(5, as: Int.self),
      revokedKeys: try row.integer(6, as: Int.self), registeredAt: try row.integer(7),
      lastUsedAt: try row.optionalInteger(8))
  }
}
