import ArgumentParser
import Foundation
import Logging
import Testing
import UAFCrypto
import UAFMessages

@testable import PostgreSQLStore
@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// A move of the store from server.db into a database: at no time can both be used.
struct StoreMigrationTests {
  private let old: SQLiteTestDatabase
  private let new: PostgreSQLTestDatabase
  private let server: TestServer
  private let directory: ServerDirectory

  init() throws {
    old = try SQLiteTestDatabase()
    new = try PostgreSQLTestDatabase()
    server = try TestServer(database: old)
    directory = try ServerDirectory(path: old.folder.url.path(), create: false)
    _ = try ServerKeys(state: directory, now: { 100 })
  }

  private var migration: StoreMigration {
    StoreMigration(directory: directory, target: new.store, place: "the database d of h", now: 600)
  }

  private var url: String { new.place.cluster.url(new.place.name) }

  /// The states of the two stores that the error of a failed step reports.
  private func standing(_ body: () async throws -> Void) async throws -> MoveFailure.Standing? {
    let error = await #expect(throws: ServerError.self) { try await body() }
    guard case .unfinishedMove(let failure)? = error else { return nil }
    #expect(!failure.description.isEmpty)
    return failure.standing
  }

  /// Whether a server that starts now could use the old store, and whether one could use the new store.
  private func usable() -> (old: Bool, new: Bool) {
    ((try? old.reopened()) != nil, (try? new.reopened()) != nil)
  }

  private func move(_ mark: String = "m1") async throws {
    _ = try await migration.run(mark: mark)
    #expect(usable() == (false, true))
  }

  private func abandon(_ mark: String = "m1") async throws {
    try await migration.abandon(SQLiteStore(path: directory.databasePath, allowsMoved: true), mark: mark)
  }

  @Test func `after the move a registered key logs in only with the database, and no used response is accepted again`()
    async throws
  {
    _ = try await server.signedAudit()
    let authenticator = try await server.registered("alice")
    let used = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 7)
    #expect(try await server.respond(used).0 == nil)
    let open = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 8)
    try await move()
    #expect(!FileManager.default.fileExists(atPath: directory.secretPath))
    // This is the server that had the old store open.
    await #expect(throws: (any Error).self) { try await server.respond(open) }
    let moved = try TestServer(database: new)
    #expect(try await moved.respond(used).0 != nil)
    #expect(try await moved.respond(open).0 != nil)
    let next = try await authenticator.authenticate(moved.authenticationRequest("alice"), counter: 8)
    #expect(try await moved.respond(next).0 == nil)
    let kinds = try await new.store.read { try $0.audit.rows(AuditFilter(), limit: 1000) }.map(\.event.kind)
    #expect(kinds.contains(.storeMove))
    #expect(try await moved.verification().run().fault == nil)
  }

  @Test func `the new store knows the machines that had joined, although the secret for session data is a new one`()
    async throws
  {
    let before = try ServerKeys(state: directory, now: { 100 })
    let joining = try TestServer(database: old, keys: before)
    let secret = try #require(try await joining.joined(joining.joinCode(), "d1"))
    _ = try await joining.checkIn(secret, TestServer.report(next: 1))
    try await move()
    let after = try ServerKeys(state: directory, now: { 100 })
    #expect(after.rings.secrets.entries.map(\.key.id) != before.rings.secrets.entries.map(\.key.id))
    let moved = try TestServer(database: new, keys: after)
    #expect(try await moved.checkIn(secret, TestServer.report(mark: 1, next: 2))?.statusCode == .ok)
    #expect(try await moved.store.read { try $0.joinedMachines.machine("d1")?.contact?.copySeenAt } == nil)
  }

  @Test func `the machines of a state folder without a secret for machines stay known, since it is made in time`()
    async throws
  {
    try FileManager.default.removeItem(atPath: directory.machineSecretPath)
    let secret = try StateFile.read(path: directory.secretPath, isSecret: true)
    try await move()
    #expect(try StateFile.read(path: directory.machineSecretPath, isSecret: true) == secret)
  }

  @Test func `while the store's rows are copied nobody else may write, and others can read`() async throws {
    try await server.enrol("alice")
    let hold = try StoreHold(path: directory.databasePath)
    #expect(throws: StoreError.busy) { try StoreHold(path: directory.databasePath, patience: 0) }
    #expect(try await server.store.read { try $0.accounts.exists("alice") })
    // The server treats these codes as temporary failures, and repeats the operation later.
    #expect(SQLiteFailure(code: 5).isTemporary && SQLiteFailure(code: 5 | 2 << 8).isTemporary)
    #expect(!SQLiteFailure(code: 13).isTemporary)
    hold.release()
    try StoreHold(path: directory.databasePath, patience: 0).release()
    try await server.enrol("bea")
  }

  @Test func `a server that has the old store open cannot change it after the move, and is not ready`() async throws {
    try await server.enrol("alice")
    let watch = StoreWatch(server.store, logger: Logger(label: "t"), now: { 1 })
    await watch.look()
    #expect(watch.isReady)
    try await move()
    for sql in [
      "INSERT INTO account (username, createdAt) VALUES ('zoe', 1)", "UPDATE account SET createdAt = 9",
      "DELETE FROM enrolment", "DELETE FROM setting", "INSERT INTO usedProof (tokenID, expiresAt) VALUES ('a', 1)",
    ] {
      await #expect(throws: (any Error).self) { try await old.execute(sql) }
    }
    // A temporary failure tells the client to try again later: the server with the new store will start soon.
    let refusal = await #expect(throws: (any Error).self) { try await server.enrol("bea") }
    #expect((refusal as? any StoreFailure)?.isTemporary == true)
    #expect(SQLiteFailure(code: 19 | 7 << 8).isTemporary && !SQLiteFailure(code: 19).isTemporary)
    await watch.look()
    #expect(!watch.isReady)
  }

  @Test func `a second move to a different database finds that the old store is closed`() async throws {
    try await server.enrol("alice")
    try await move()
    #expect(throws: StoreError.moved(to: "the database d of h")) { try StoreHold(path: directory.databasePath) }
    let other = try PostgreSQLTestDatabase()
    let second = StoreMigration(directory: directory, target: other.store, place: "p", now: 1)
    await #expect(throws: ServerError.self) { try await second.run(mark: "m2") }
    #expect(try await other.store.read { try $0.contents.isEmpty() })
    #expect(usable() == (false, true))
  }

  @Test func `the target of a move is refused if it contains anything, and both stores stay as they were`() async throws
  {
    try await server.enrol("alice")
    try await new.store.write { try $0.accounts.add("mina", now: 1) }
    #expect(try await standing { _ = try await migration.run(mark: "m1") } == .untouched)
    #expect(usable() == (true, true))
    #expect(try await new.store.read { try $0.accounts.exists("mina") })
    #expect(FileManager.default.fileExists(atPath: directory.secretPath))
  }

  @Test func `a failed copy leaves the old store in use, and the next attempt to move starts from the beginning`()
    async throws
  {
    try await server.enrol("alice")
    try await server.database.addKeys([("alice", "5541#0001")])
    try await new.forbidCounter(of: "alice")
    #expect(try await standing { _ = try await migration.run(mark: "m1") } == .copying)
    #expect(usable() == (true, false))
    try await server.enrol("bea")
    try await new.execute("ALTER TABLE credential DROP CONSTRAINT fault")
    try await move("m2")
    #expect(try await new.store.read { try $0.accounts.exists("bea") })
  }

  @Test func `a target with rows that differ from the copied ones is noticed before the old store is closed`()
    async throws
  {
    try await server.enrol("alice")
    try await new.execute(
      """
      CREATE FUNCTION bend() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.createdAt := 1; RETURN NEW; END'
      """)
    try await new.execute("CREATE TRIGGER bend BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION bend()")
    #expect(try await standing { _ = try await migration.run(mark: "m1") } == .copying)
    #expect(usable() == (true, false))
  }

  @Test func `a move of the store that is interrupted after the old store was closed is completed by the next move`()
    async throws
  {
    try await server.enrol("alice")
    try await new.execute("ALTER TABLE setting ADD CONSTRAINT fault CHECK (name <> 'restoredAt')")
    #expect(try await standing { _ = try await migration.run(mark: "m1") } == .closed)
    #expect(usable() == (false, false))
    #expect(try await standing { _ = try await migration.resume(mark: "m1") } == .closed)
    await #expect(throws: ServerError.self) { try await migration.resume(mark: "another") }
    try await new.execute("ALTER TABLE setting DROP CONSTRAINT fault")
    #expect(try await migration.resume(mark: "m1"))
    #expect(usable() == (false, true))
    #expect(try await !migration.resume(mark: "m1"))
  }

  @Test func `after the move of the store is undone, the old store is as it was, and the database is empty and closed`()
    async throws
  {
    _ = try await server.signedAudit()
    let authenticator = try await server.registered("alice")
    try await move()
    let moved = try TestServer(database: new)
    let used = try await authenticator.authenticate(moved.authenticationRequest("alice"), counter: 9)
    #expect(try await moved.respond(used).0 == nil)
    let open = try await authenticator.authenticate(moved.authenticationRequest("alice"), counter: 10)
    try await abandon()
    #expect(usable() == (true, false))
    // This is a server that still has the database open.
    #expect(try await moved.respond(open).0 != nil)
    let back = try TestServer(database: old.reopened())
    #expect(try await back.respond(used).0 != nil)
    let next = try await authenticator.authenticate(back.authenticationRequest("alice"), counter: 10)
    #expect(try await back.respond(next).0 == nil)
    #expect(try await back.verification().run().fault == nil)
    try await move("m2")
  }

  @Test func `an interrupted undo of a move can be completed, and the database stays closed`() async throws {
    try await server.enrol("alice")
    try await move()
    try await new.store.write { records in
      try records.settings.set(.unfinishedImport, to: "abandoned m1")
      try records.contents.removeAll()
    }
    #expect(usable() == (false, false))
    await #expect(throws: ServerError.self) { try await migration.resume(mark: "m1") }
    #expect(usable() == (false, false))
    try await abandon()
    #expect(usable() == (true, false))
  }

  @Test func `a database other than the move's target is neither emptied nor used`() async throws {
    try await server.enrol("alice")
    try await move()
    let other = try PostgreSQLTestDatabase()
    try await other.store.write { try $0.accounts.add("mina", now: 1) }
    let wrong = StoreMigration(directory: directory, target: other.store, place: "p", now: 1)
    await #expect(throws: ServerError.self) { try await wrong.resume(mark: "m1") }
    await #expect(throws: ServerError.self) {
      try await wrong.abandon(SQLiteStore(path: directory.databasePath, allowsMoved: true), mark: "m1")
    }
    #expect(try await other.store.read { try $0.accounts.exists("mina") })
    #expect(usable() == (false, true))
  }

  @Test func `the move command moves the store once, undoes the move, and no other command opens the old store`()
    async throws
  {
    try await server.enrol("alice")
    let arguments = ["--to", url, "--state", directory.path]
    let nothing = try MigrateCommand.parse(arguments + ["--abandon"])
    await #expect(throws: ServerError.self) { try await nothing.run() }
    try await MigrateCommand.parse(arguments).run()
    try await MigrateCommand.parse(arguments).run()
    let refusal = #expect(throws: ServerError.self) { try directory.openStore() }
    #expect(refusal?.description.contains("server.db was moved to the database ") == true)
    #expect(refusal?.exit == .unusableStore)
    #expect(refusal?.description.contains("password") == false)
    try await MigrateCommand.parse(arguments + ["--abandon"]).run()
    _ = try directory.openStore()
    #expect(usable() == (true, false))
  }

  @Test func `the move command refuses a --store: it moves only the store of a state folder`() {
    #expect(throws: (any Error).self) {
      try MigrateCommand.parse(["--to", "postgresql://h/d", "--state", "d", "--store", "postgresql://h/e"])
    }
    #expect(throws: (any Error).self) { try MigrateCommand.parse(["--state", "d"]) }
  }
}
