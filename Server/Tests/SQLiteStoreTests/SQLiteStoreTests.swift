import Foundation
import GRDB
import Testing
import UAFMessages

@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFService

/// Rules that apply only to a store in a file.
final class SQLiteStoreTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "uaf-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func open() throws -> SQLiteStore { try SQLiteStore(path: folder.appending(path: "server.db").path()) }

  @Test func `the store flushes each commit to the disk`() async throws {
    let database = try open().database
    let (mode, level) = try await database.read { db in
      (
        try String.fetchOne(db, sql: "PRAGMA journal_mode"),
        try Int.fetchOne(db, sql: "PRAGMA synchronous")
      )
    }
    #expect(mode == "wal")
    #expect(level == 2)
  }

  @Test func `the store's write-ahead log is truncated again after a long read`() throws {
    let database = try open().database
    let log = folder.appending(path: "server.db-wal").path()
    let size = { try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int }
    let write = { try database.write { db in try db.execute(sql: "INSERT INTO filler VALUES (zeroblob(8 << 20))") } }
    try database.write { db in try db.execute(sql: "CREATE TABLE filler (value BLOB)") }
    let reader = try DatabaseQueue(path: folder.appending(path: "server.db").path())
    try reader.inDatabase { db in
      try db.execute(sql: "BEGIN")
      _ = try Row.fetchOne(db, sql: "SELECT * FROM filler")
      for _ in 0..<9 { try write() }
      try db.execute(sql: "COMMIT")
    }
    #expect(try #require(try size()) > SQLiteStore.largestIdleLog)
    // The first write copies the log into the database file, and the second one restarts the log.
    for _ in 0..<2 { try write() }
    #expect(try #require(try size()) <= SQLiteStore.largestIdleLog)
  }

  @Test func `the store finds expired proofs through an index`() async throws {
    let plan = try await open().database.read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(UsedProofTable.forgetting)", arguments: [1])
        .map { $0["detail"] as String }
    }
    #expect(plan.contains { $0.hasPrefix("SEARCH usedProof") && $0.contains("usedProofByExpiry") }, "\(plan)")
  }

  @Test func `the store refuses a database file that a later version has changed`() async throws {
    let database = try open().database
    try await database.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('2')") }
    #expect(throws: StoreError.newer) { _ = try self.open() }
  }

  @Test func `a store that counted wrong codes is migrated, and the codes that this count had closed are removed`()
    throws
  {
    let older = try DatabaseQueue()
    try Schema.migrator.migrate(older, upTo: "approvals")
    try older.write { db in
      for (name, failures) in [("alice", 4), ("bob", 5)] {
        try db.execute(sql: "INSERT INTO account (username, createdAt) VALUES (?, 0)", arguments: [name])
        try db.execute(
          sql: "INSERT INTO enrolment (username, codeHash, expiresAt, failures) VALUES (?, x'00', 9, ?)",
          arguments: [name, failures])
        try db.execute(
          sql: "INSERT INTO approval (username, shown, codeHash, expiresAt, failures) VALUES (?, 't', x'00', 9, ?)",
          arguments: [name, failures])
      }
    }
    try Schema.migrator.migrate(older, upTo: "used proofs by expiry")
    for table in ["enrolment", "approval"] {
      #expect(try older.read { try String.fetchAll($0, sql: "SELECT username FROM \(table)") } == ["alice"])
    }
    // The last migration removes this open code as well: nobody knows the key with which it could be proved.
    try Schema.migrator.migrate(older)
    #expect(try older.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM enrolment") } == 0)
  }

  @Test func `a store without an audit is migrated, and the audit then begins with its first row`() async throws {
    let path = folder.appending(path: "server.db").path()
    let older = try DatabaseQueue(path: path)
    try Schema.migrator.migrate(older, upTo: "wrong answers")
    try await older.write { try $0.execute(sql: "INSERT INTO account (username, createdAt) VALUES ('alice', 0)") }
    try older.close()
    let store = try open()
    try await store.write { try $0.audit.append([AuditEntry(time: 1, kind: .revocation, actor: .server)]) }
    let rows = try await store.read { try $0.audit.rows(AuditFilter(), limit: 9) }
    #expect(rows.map(\.number) == [1])
    #expect(try await store.read { try $0.accounts.exists("alice") })
  }

  @Test func `a store from before accounts could be blocked is migrated, and keeps its keys and audit`() async throws {
    let path = folder.appending(path: "server.db").path()
    let older = try DatabaseQueue(path: path)
    try Schema.migrator.migrate(older, upTo: "audit")
    let before = try await older.write { db in
      try db.execute(sql: "INSERT INTO account (username, createdAt) VALUES ('alice', 0)")
      try db.execute(
        sql: """
          INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
            signCounter, regCounter, deviceID, registeredAt)
          VALUES ('alice', 'https://a', '5541#0001', zeroblob(32), x'02', 1, 256, 7, 1, 'desk', 3)
          """)
      let audit = records(db).audit
      try audit.append(AuditEntry.beforeBlocks)
      return try audit.rows(AuditFilter(), limit: 9)
    }
    try older.close()
    try await open().checkUpgraded(audit: before)
  }

  @Test func `a store that knew used challenges only by their hashes is migrated, and the challenges stay used`() throws
  {
    let older = try DatabaseQueue()
    try Schema.migrator.migrate(older, upTo: "machine policies")
    try older.write {
      try $0.execute(sql: "INSERT INTO usedChallenge (hash, expiresAt) VALUES (x'07', 90), (x'08', 91)")
    }
    try Schema.migrator.migrate(older)
    let sought = [([7], 90), ([8], 91), ([7], 91)].map { IssuedChallenge(hash: $0, expiresAt: $1) }
    let found = try older.read { db in try sought.map { try UsedChallengeTable(db: db).contains($0) } }
    #expect(found == [true, true, false])
  }

  @Test func `expired challenges are removed, the oldest first, and no more than was asked for`() throws {
    let database = try DatabaseQueue()
    try Schema.migrator.migrate(database)
    try database.write { db in
      try db.execute(
        sql: "INSERT INTO usedChallenge (expiresAt, hash) VALUES (3, x'01'), (1, x'02'), (2, x'03'), (4, x'04')")
      try UsedChallengeTable(db: db).forget(expiredAt: 3, most: 2)
      #expect(try Int.fetchAll(db, sql: "SELECT expiresAt FROM usedChallenge") == [3, 4])
      try UsedChallengeTable(db: db).forget(expiredAt: 3, most: 2)
      #expect(try Int.fetchAll(db, sql: "SELECT expiresAt FROM usedChallenge") == [4])
      #expect(throws: (any Error).self, "one challenge is used once") {
        try db.execute(sql: "INSERT INTO usedChallenge (expiresAt, hash) VALUES (4, x'04')")
      }
    }
  }

  @Test func `the store contains neither a challenge nor a code in plain text`() async throws {
    let database = try SQLiteTestDatabase()
    let server = try TestServer(database: database)
    let code = try await server.enrol("alice")
    var context = RequestContext(username: "alice")
    context.codeProof = code
    let answer = try await server.get(.registration, context)
    let request = try FakeAuthenticator().registrationRequest(from: answer)
    for name in try FileManager.default.contentsOfDirectory(atPath: database.folder.url.path()) {
      let contents = try Data(contentsOf: database.folder.url.appending(path: name))
      #expect(contents.range(of: Data(code)) == nil, "\(name)")
      #expect(contents.range(of: Data(request.challenge.bytes)) == nil, "\(name)")
    }
  }
}

/// The tables as a transaction sees them.
private func records(_ db: Database) -> any StoreTransaction { SQLiteTransaction(connection: db) }
