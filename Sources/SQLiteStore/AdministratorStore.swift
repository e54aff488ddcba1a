import GRDB
import UAFService

/// The table of administrators.
struct AdministratorStore: Administrators {
  let db: Database

  func set(_ administrator: StoredAdministrator) throws {
    try db.execute(
      sql: """
        INSERT INTO administrator (name, role, addedBy, addedAt) VALUES (?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET role = excluded.role, addedBy = excluded.addedBy, addedAt = excluded.addedAt
        """,
      arguments: [administrator.name, administrator.role, administrator.addedBy, administrator.addedAt])
  }

  func administrator(_ name: String) throws -> StoredAdministrator? {
    try Row.fetchOne(db, sql: "SELECT * FROM administrator WHERE name = ?", arguments: [name])
      .map(Self.administrator)
  }

  func all() throws -> [StoredAdministrator] {
    try Row.fetchAll(db, sql: "SELECT * FROM administrator ORDER BY name").map(Self.administrator)
  }

  func remove(_ name: String) throws -> Bool {
    try db.execute(sql: "DELETE FROM administrator WHERE name = ?", arguments: [name])
    return db.changesCount == 1
  }

  private static func administrator(_ row: Row) -> StoredAdministrator {
    StoredAdministrator(name: row["name"], role: row["role"], addedBy: row["addedBy"], addedAt: row["addedAt"])
  }
}
