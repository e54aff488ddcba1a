import GRDB

/// Single values that `serve` leaves for the other commands.
struct SettingStore {
  let db: Database

  /// Names of settings.
  enum Name: String {
    /// The base URL `serve` was last reached under.
    case publicURL
    /// How many accounts have keys of which models: JSON of ``KeyShapes``.
    case keyShapes
  }

  func value(of name: Name) throws -> String? {
    try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name.rawValue])
  }

  func set(_ name: Name, to value: String) throws {
    try db.execute(
      sql: "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      arguments: [name.rawValue, value])
  }
}
