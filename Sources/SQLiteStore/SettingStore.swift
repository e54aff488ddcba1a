import GRDB
import UAFService

/// The table of single values.
struct SettingStore: Settings {
  let db: Database

  func value(of name: SettingName) throws -> String? {
    try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name.rawValue])
  }

  func set(_ name: SettingName, to value: String) throws {
    try db.execute(
      sql: "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      arguments: [name.rawValue, value])
  }

  func remove(_ name: SettingName) throws {
    try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name.rawValue])
  }
}
