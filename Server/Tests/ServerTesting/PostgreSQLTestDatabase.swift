import Testing
import UAFService

@testable import PostgreSQLStore

/// A store in a database of its own, which is dropped when this object is released.
final class PostgreSQLTestDatabase: TestDatabase {
  /// The database, without a store in it.
  final class Place: Sendable {
    let cluster: PostgreSQLCluster
    let name: String

    init(in cluster: PostgreSQLCluster) throws {
      self.cluster = cluster
      name = try cluster.takeDatabase()
    }

    deinit { cluster.handBack(name) }
  }

  let place: Place
  let postgresql: PostgreSQLStore
  private let connections: Int

  convenience init(connections: Int = 1) throws {
    try self.init(in: Place(in: .shared()), connections: connections)
  }

  /// - Parameter deadline: how long one transaction may take, by the clock `clock`.
  init(
    in place: Place, connections: Int, deadline: Duration = .seconds(10), clock: StoppedClock = StoppedClock()
  ) throws {
    self.place = place
    self.connections = connections
    postgresql = try PostgreSQLStore(
      PostgreSQLAddress(place.cluster.url(place.name)), create: true, connections: connections,
      deadline: deadline, now: { clock.now })
  }

  var store: any ServerStore { postgresql }

  func reopened() throws -> any TestDatabase { try PostgreSQLTestDatabase(in: place, connections: connections) }

  func literal(_ bytes: [UInt8]) -> String { "'\\x\(bytes.hex)'" }

  func execute(_ sql: String) async throws {
    try await postgresql.pool.run { connection in _ = try connection.execute(sql) }
  }

  func executeBeside(_ sql: String) throws {
    let address = try PostgreSQLAddress(place.cluster.url(place.name))
    let connection = try HostSearch(address, now: { ContinuousClock.now }).find().0
    try connection.execute(sql)
  }

  func columns() async throws -> [String: Set<String>] {
    // PostgreSQL keeps names in lower case.
    let names = try await texts(
      """
      SELECT table_name || ' ' || column_name FROM information_schema.columns
      WHERE table_schema = 'uaf' AND table_name NOT IN ('migration', 'turn')
      """)
    return Self.grouped(names)
  }

  func forbidCounter(of username: String) async throws {
    try await execute(
      "ALTER TABLE credential ADD CONSTRAINT fault CHECK (username <> '\(username)' OR signCounter = 0) NOT VALID")
  }

  func texts(_ sql: String) async throws -> [String?] {
    try await postgresql.pool.run { connection in
      try connection.execute("SELECT v::text FROM (\(sql)) AS t (v)").rows.map { try $0.optionalText(0) }
    }
  }

  /// Always 0, because PostgreSQL has no such count.
  ///
  /// It needs none: a transaction that only reads cannot write there.
  func changes() async throws -> Int { 0 }
}
