import Testing

@testable import PostgreSQLStore
@testable import ServerTesting
import UAFService

/// Which databases are accepted as a store.
struct StoreStartTests {
  private let place: PostgreSQLTestDatabase.Place
  private let clock = StoppedClock()

  init() throws { place = try PostgreSQLTestDatabase.Place(in: .shared()) }

  @discardableResult private func open(
    create: Bool = true, user: String = "postgres", settings: String = "", allowsAsynchronous: Bool = false
  ) throws -> PostgreSQLStore {
    let url = place.cluster.url(place.name, user: user, settings: settings)
    return try PostgreSQLStore(
      PostgreSQLAddress(url), create: create, allowsAsynchronous: allowsAsynchronous, now: { clock.now })
  }

  private func execute(_ statements: String...) throws {
    let connection = try place.cluster.connection(to: place.name)
    for statement in statements { try connection.execute(statement) }
  }

  @Test func `ten server instances that start at the same time on an empty database create one store`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { try open() } }
      try await group.waitForAll()
    }
    let names = try place.cluster.connection(to: place.name).execute("SELECT name FROM uaf.migration ORDER BY number")
    #expect(try names.rows.map { try $0.text(0) } == Migration.all.map(\.name))
  }

  @Test func `refuses a store that a later version has changed, and names the change`() throws {
    try open()
    try execute("INSERT INTO uaf.migration (name) VALUES ('tomorrow')")
    #expect(throws: PostgreSQLRefusal.newer(migration: "tomorrow")) { try open() }
  }

  @Test func `opening a store applies only the migration steps that are missing`() throws {
    try open()
    let connection = try place.cluster.connection(to: place.name)
    let step = Migration(name: "2", statements: ["CREATE TABLE uaf.further (number bigint)"])
    for _ in 0..<2 { try Migrator(connection: connection, migrations: Migration.all + [step]).migrate(create: false) }
    #expect(throws: PostgreSQLRefusal.newer(migration: "2")) { try open() }
  }

  @Test func `a store without an audit is migrated, and the audit then begins with its first row`() async throws {
    let connection = try place.cluster.connection(to: place.name)
    // Each connection of a store has this setting once the store has been checked.
    try connection.execute("SET search_path TO uaf")
    let older = Array(Migration.all.prefix { $0.name != "audit" })
    try Migrator(connection: connection, migrations: older).migrate(create: true)
    try connection.execute("INSERT INTO uaf.account (username, createdAt) VALUES ('alice', 0)")
    let store = try open(create: false)
    try await store.write { try $0.audit.append([AuditEntry(time: 1, kind: .revocation, actor: .server)]) }
    #expect(try await store.read { try $0.audit.rows(AuditFilter(), limit: 9) }.map(\.number) == [1])
    #expect(try await store.read { try $0.accounts.exists("alice") })
  }

  @Test func `a store from before accounts could be blocked is migrated, and keeps its keys and audit`() async throws {
    let connection = try place.cluster.connection(to: place.name)
    try connection.execute("SET search_path TO uaf")
    let older = Array(Migration.all.prefix { $0.name != "account blocks" })
    try Migrator(connection: connection, migrations: older).migrate(create: true)
    try connection.execute("INSERT INTO account (username, createdAt) VALUES ('alice', 0)")
    try connection.execute(
      """
      INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
        signCounter, regCounter, deviceID, registeredAt)
      VALUES ('alice', 'https://a', '5541#0001', decode(repeat('00', 32), 'hex'), '\\x02', 1, 256, 7, 1, 'desk', 3)
      """)
    try connection.enqueue("BEGIN")
    try AuditChaining(connection: connection).enqueue(AuditEntry.beforeBlocks)
    try connection.commit()
    let before = try PostgreSQLTransaction(connection: connection).audit.rows(AuditFilter(), limit: 9)
    try await open(create: false).checkUpgraded(audit: before)
  }

  @Test func `migration steps before a failed step stay applied, and the next start continues after them`() throws {
    try open()
    let connection = try place.cluster.connection(to: place.name)
    let first = Migration(name: "2", statements: ["CREATE TABLE uaf.further (number bigint)"])
    let steps = Migration.all + [first]
    #expect(throws: PostgreSQLError.self) {
      let second = Migration(name: "3", statements: ["SELECT 1 / 0"])
      try Migrator(connection: connection, migrations: steps + [second]).migrate(create: false)
    }
    let second = Migration(name: "3", statements: ["DROP TABLE uaf.further"])
    // A new connection, because the one that failed was closed and has released its lock.
    let other = try place.cluster.connection(to: place.name)
    try Migrator(connection: other, migrations: steps + [second]).migrate(create: false)
  }

  @Test func `a migration step that fails changes nothing`() throws {
    try open()
    let connection = try place.cluster.connection(to: place.name)
    let step = Migration(name: "2", statements: ["CREATE TABLE uaf.further (number bigint)", "SELECT 1 / 0"])
    #expect(throws: PostgreSQLError.self) {
      try Migrator(connection: connection, migrations: Migration.all + [step]).migrate(create: false)
    }
    connection.rollback()
    try open()
    let table = try place.cluster.connection(to: place.name).execute("SELECT to_regclass('uaf.further') IS NULL")
    #expect(try table.first?.boolean(0) == true)
  }

  @Test func `refuses the database of a different application`() throws {
    try execute("CREATE TABLE public.invoice (number bigint)")
    #expect(throws: PostgreSQLRefusal.otherApplication) { try open() }
    try execute("DROP TABLE public.invoice")
  }

  @Test func `refuses a database whose schema uaf belongs to something else`() throws {
    try execute("CREATE SCHEMA uaf", "CREATE TABLE uaf.migration (version bigint)")
    #expect(throws: PostgreSQLRefusal.otherApplication) { try open() }
  }

  @Test func `refuses an empty database, unless the server may create the store`() throws {
    #expect(throws: PostgreSQLRefusal.empty) { try open(create: false) }
    try open()
    try open(create: false)
  }

  @Test func `refuses a database user who may not create the tables, or may not change one of them`() throws {
    func isNoRights(_ error: any Error) -> Bool {
      if case PostgreSQLRefusal.noRights = error { true } else { false }
    }
    let role = "role_\(place.name)"
    try execute("DROP ROLE IF EXISTS \(role)", "CREATE ROLE \(role) LOGIN")
    #expect { try open(user: role) } throws: { isNoRights($0) }
    try open()
    #expect { try open(user: role) } throws: { isNoRights($0) }
    try execute(
      "GRANT USAGE ON SCHEMA uaf TO \(role)",
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA uaf TO \(role)",
      "REVOKE DELETE ON uaf.enrolment FROM \(role)")
    #expect(throws: PostgreSQLRefusal.noRights(message: "it may not read and change table uaf.enrolment")) {
      try open(user: role)
    }
    try execute("GRANT DELETE ON uaf.enrolment TO \(role)")
    try open(user: role)
    try execute("DROP OWNED BY \(role)", "DROP ROLE \(role)")
  }

  @Test func `refuses a read-only database as the store`() throws {
    try open()
    let readOnly = "&options=-cdefault_transaction_read_only%3Don"
    #expect(throws: PostgreSQLError.self) { try open(settings: readOnly) }
    #expect(throws: PostgreSQLRefusal.readOnly) { try open(settings: "\(readOnly)&target_session_attrs=any") }
  }

  @Test func `refuses several database hosts without a synchronous standby, unless that is allowed`() throws {
    // The second host is never connected to.
    let hosts = "postgresql:///\(place.name)?user=postgres&host=\(place.cluster.folder),/nowhere"
    #expect(throws: PostgreSQLRefusal.asynchronous) {
      _ = try PostgreSQLStore(PostgreSQLAddress(hosts), create: true, now: { clock.now })
    }
    _ = try PostgreSQLStore(
      PostgreSQLAddress(hosts), create: true, allowsAsynchronous: true, now: { clock.now })
  }

  @Test func `refuses a database server that does not flush commits to disk`() throws {
    let cluster = try PostgreSQLCluster(["fsync=off"])
    #expect(throws: PostgreSQLRefusal.notDurable(setting: "fsync")) {
      _ = try PostgreSQLStore(PostgreSQLAddress(cluster.url()), create: true, now: { clock.now })
    }
  }

  @Test func `every commit waits for the disk, and no timeout ends the wait, whatever settings the database user has`()
    async throws
  {
    let options = "-csynchronous_commit=off -cstatement_timeout=60s -clock_timeout=60s"
      .replacing("=", with: "%3D").replacing(" ", with: "%20")
    let settings = try await open(settings: "&options=\(options)").pool.run { connection in
      try connection.execute(
        """
        SELECT concat_ws(' ', current_setting('synchronous_commit'), current_setting('statement_timeout'),
          current_setting('lock_timeout'))
        """
      ).first?.text(0)
    }
    #expect(settings == "on 0 0")
  }

  @Test func `opening a store fails if the database server cannot be reached`() {
    #expect {
      _ = try PostgreSQLStore(
        PostgreSQLAddress("postgresql:///x?host=/nowhere"), create: true, now: { clock.now })
    } throws: { error in
      if case PostgreSQLError.unreachable = error { true } else { false }
    }
  }
}
