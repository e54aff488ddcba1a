import Foundation
import GRDB
import Testing
import UAFService

@testable import SQLiteStore

/// A store in a file, which is deleted when this object is released.
final class SQLiteTestDatabase: TestDatabase {
  let folder: TemporaryFolder
  let sqlite: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    sqlite = try SQLiteStore(path: folder.path("server.db"))
  }

  private init(in folder: TemporaryFolder) throws {
    self.folder = folder
    sqlite = try SQLiteStore(path: folder.path("server.db"))
  }

  var store: any ServerStore { sqlite }

  func reopened() throws -> any TestDatabase { try SQLiteTestDatabase(in: folder) }

  func literal(_ bytes: [UInt8]) -> String { "X'\(bytes.hex)'" }

  func execute(_ sql: String) async throws {
    try await sqlite.database.write { db in try db.execute(sql: sql) }
  }

  func executeBeside(_ sql: String) throws {
    let beside = try SQLiteStore(path: folder.path("server.db"))
    try beside.database.write { db in try db.execute(sql: sql) }
  }

  func columns() async throws -> [String: Set<String>] {
    let names = try await texts(
      """
      SELECT m.name || ' ' || c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'grdb%'
      """)
    return Self.grouped(names)
  }

  func forbidCounter(of username: String) async throws {
    try await execute(
      """
      CREATE TRIGGER fault BEFORE UPDATE OF signCounter ON credential WHEN NEW.username = '\(username)'
      BEGIN SELECT RAISE(FAIL, 'planted'); END
      """)
  }

  func texts(_ sql: String) async throws -> [String?] {
    // The query goes through the writer's queue, so that it comes after every write that began before.
    try await sqlite.database.write { db in try Optional<String>.fetchAll(db, sql: sql) }
  }

  func changes() async throws -> Int {
    try await sqlite.database.writeWithoutTransaction { $0.totalChangesCount }
  }
}
