import UAFService

/// The table of single values.
struct SettingTable: Settings {
  let connection: Connection

  func value(of name: SettingName) throws -> String? {
    try connection.execute("SELECT value FROM setting WHERE name = $1", [.text(name.rawValue)]).first?.text(0)
  }

  func set(_ name: SettingName, to value: String) throws {
    try connection.execute(
      "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [.text(name.rawValue), .text(value)])
  }

  func remove(_ name: SettingName) throws {
    try connection.execute("DELETE FROM setting WHERE name = $1", [.text(name.rawValue)])
  }
}
