import UAFService

/// The table of administrators.
struct AdministratorTable: Administrators {
  let connection: Connection

  func set(_ administrator: StoredAdministrator) throws {
    try connection.execute(
      """
      INSERT INTO administrator (name, role, addedBy, addedAt) VALUES ($1, $2, $3, $4)
      ON CONFLICT (name) DO UPDATE SET role = excluded.role, addedBy = excluded.addedBy, addedAt = excluded.addedAt
      """,
      [
        .text(administrator.name), .text(administrator.role), .text(administrator.addedBy),
        .integer(administrator.addedAt),
      ])
  }

  func administrator(_ name: String) throws -> StoredAdministrator? {
    try connection.execute("SELECT name, role, addedBy, addedAt FROM administrator WHERE name = $1", [.text(name)])
      .first.map(Self.administrator)
  }

  func all() throws -> [StoredAdministrator] {
    try connection.execute("SELECT name, role, addedBy, addedAt FROM administrator ORDER BY name")
      .rows.map(Self.administrator)
  }

  func remove(_ name: String) throws -> Bool {
    try connection.execute("DELETE FROM administrator WHERE name = $1", [.text(name)]).changes == 1
  }

  private static func administrator(_ row: QueryRow) throws -> StoredAdministrator {
    StoredAdministrator(
      name: try row.text(0), role: try row.text(1), addedBy: try row.text(2), addedAt: try row.integer(3))
  }
}
