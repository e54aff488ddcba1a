import GRDB

/// Opens the server's SQLite file.
enum ServerDatabase {
  /// Opens or makes the store in a state folder, for this process beside others.
  ///
  /// - Throws: ``ServerError``; SQLite's own errors.
  static func open(state: StateDirectory) throws -> any DatabaseWriter {
    var configuration = Configuration()
    // `enrol` runs beside `serve`: readers do not wait, and a second writer waits this many seconds at most.
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(5)
    try state.makeDatabaseFile()
    return try prepare(try DatabaseQueue(path: state.databasePath, configuration: configuration))
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
