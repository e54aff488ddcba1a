import Foundation
import GRDB

/// Opens the server's SQLite file.
enum ServerDatabase {
  /// Opens the store in a state folder, for this process beside others; makes it only for `serve`, so that a folder that was
  /// named by mistake stays as it is.
  ///
  /// - Throws: ``ServerError``; SQLite's own errors.
  static func open(state: StateDirectory, create: Bool = false) throws -> any DatabaseWriter {
    guard create || FileManager.default.fileExists(atPath: state.databasePath) else {
      throw ServerError.noStore(path: state.path)
    }
    var configuration = Configuration()
    // `enrol` runs beside `serve`: readers do not wait, and a second writer waits this many seconds at most.
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(5)
    if create { try state.makeDatabaseFile() }
    let database = try DatabaseQueue(path: state.databasePath, configuration: configuration)
    // GRDB lowers this in WAL mode; but a taken challenge or a raised counter must survive a power cut, or the answer
    // that was accepted could be sent again.
    try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
    return try prepare(database)
  }

  /// A store that is gone with its last user.
  static func inMemory() throws -> any DatabaseWriter {
    try prepare(try DatabaseQueue())
  }

  private static func prepare(_ database: DatabaseQueue) throws -> any DatabaseWriter {
    let migrator = Schema.migrator
    guard try !database.read(migrator.hasBeenSuperseded) else { throw ServerError.newerDatabase }
    try migrator.migrate(database)
    return database
  }
}
