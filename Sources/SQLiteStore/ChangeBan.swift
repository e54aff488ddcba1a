import GRDB
import UAFService

/// Triggers that refuse each change of a store's rows, also to servers that have it open, of whatever version.
enum ChangeBan {
  private static let prefix = "movedAway"

  static func add(to db: Database) throws {
    for table in MovedTable.all.map(\.name) + MovedTable.left {
      for deed in ["INSERT", "UPDATE", "DELETE"] {
        // The names are those of this program.
        try db.execute(
          sql: """
            CREATE TRIGGER \(prefix)_\(table)_\(deed) BEFORE \(deed) ON \(table)
            BEGIN SELECT RAISE(ABORT, '\(StoreError.movedShortText)'); END
            """)
      }
    }
  }

  static func remove(from db: Database) throws {
    let names = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, ?) = ?",
      arguments: [prefix.count, prefix])
    for name in names { try db.execute(sql: "DROP TRIGGER \(name)") }
  }
}
