import GRDB
import UAFMessages
import UAFService

/// The machines in the table of registered keys.
struct MachineStore: Machines {
  let db: Database

  func page(after id: String, limit: Int) throws -> [FleetMachine] {
    try Row.fetchAll(db, sql: Self.machines("deviceID > ?", "LIMIT ?"), arguments: [id, limit]).map(Self.machine)
  }

  func machine(_ id: String) throws -> FleetMachine? {
    try Row.fetchOne(db, sql: Self.machines("deviceID = ?"), arguments: [id]).map(Self.machine)
  }

  func keys(on id: String, limit: Int) throws -> [KeyRecord] {
    try Row.fetchAll(
      db, sql: "SELECT * FROM credential WHERE deviceID = ? ORDER BY id LIMIT ?", arguments: [id, limit]
    ).map(KeyRecord.init(row:))
  }

  /// Machines in the order of their ids; each is described as by its last registration.
  private static func machines(_ condition: String, _ limit: String = "") -> String {
    """
    SELECT m.*, last.deviceName, last.deviceModel, last.deviceOS FROM (
      SELECT deviceID, max(id) AS lastKey, count(DISTINCT username) AS people,
        count(*) FILTER (WHERE revokedAt IS NULL) AS keys, count(*) FILTER (WHERE revokedAt IS NOT NULL) AS revoked,
        max(registeredAt) AS registeredAt, max(lastUsedAt) AS lastUsedAt
      FROM credential WHERE deviceID IS NOT NULL AND \(condition) GROUP BY deviceID ORDER BY deviceID \(limit)
    ) AS m JOIN credential last ON last.id = m.lastKey ORDER BY m.deviceID
    """
  }

  private static func machine(_ row: Row) -> FleetMachine {
    FleetMachine(
      id: row["deviceID"], name: row["deviceName"], model: row["deviceModel"], system: row["deviceOS"],
      people: row["people"], keys: row["keys"], revokedKeys: row["revoked"], registeredAt: row["registeredAt"],
      lastUsedAt: row["lastUsedAt"])
  }
}
