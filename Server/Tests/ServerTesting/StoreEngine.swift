import Testing

/// The engines that keep the server's store.
enum StoreEngine: CaseIterable {
  case sqlite, postgresql

  /// The store engine that the running test uses.
  @TaskLocal static var current = StoreEngine.sqlite

  /// Makes a new, empty store.
  ///
  /// - Parameter connections: the maximum number of connections, if the engine has such a limit.
  func makeDatabase(connections: Int = 1) throws -> any TestDatabase {
    switch self {
    case .sqlite: try SQLiteTestDatabase()
    case .postgresql: try PostgreSQLTestDatabase(connections: connections)
    }
  }
}
