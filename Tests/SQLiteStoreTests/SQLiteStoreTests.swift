import Foundation
import GRDB
import Testing
import UAFMessages

@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFService

/// The store as a file, opened twice as `serve` and `enrol` do.
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

  @Test func `lets a second process enrol while the first one serves`() async throws {
    let serving = try TestServer(store: open())
    let enrolling = try TestServer(store: open())
    let authenticator = try FakeAuthenticator()
    var context = RequestContext(username: "alice")
    context.authCode = try await enrolling.enrol("alice")
    let request = try await authenticator.registrationRequest(from: serving.get(.registration, context))
    #expect(try await serving.respond(authenticator.register(request)).0 == nil)
    let summaries = try await enrolling.database.read { db in try AccountStore(db: db).summaries(now: 0) }
    #expect(
      summaries == [
        AccountSummary(username: "alice", keys: 1, revokedKeys: 0, lastUsedAt: nil, hasOpenCode: false)
      ])
  }

  @Test func `accepts one of fifty copies of a response also with a store in a file`() async throws {
    let server = try TestServer(store: open())
    let authenticator = try await server.registered("alice")
    let response = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 1)
    let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 { group.addTask { try await server.respond(response).0 == nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(accepted == 1)
  }

  @Test func `knows a person's machines by what they said, and when each was used last`() async throws {
    let server = try TestServer(store: open())
    let desk = try await server.registered("alice", deviceID: "d", deviceName: "desk", deviceOS: "Linux 6.1")
    _ = try await server.registered("alice", deviceID: "l", deviceName: "laptop")
    _ = try await server.registered("alice")
    _ = try await server.registered("bob", deviceID: "d", deviceName: "bob's")
    server.advance(seconds: 100)
    // The same machine once more, under another name, which it does not get.
    _ = try await server.registered(
      "alice", deviceID: "d", deviceName: "desk again", deviceOS: "Linux 6.2", model: "5541#0002")
    server.advance(seconds: 100)
    let response = try await desk.authenticate(server.authenticationRequest("alice"), counter: 1)
    #expect(try await server.respond(response).0 == nil)
    let (devices, nobody) = try await server.database.read { db in
      (try CredentialStore(db: db).devices(of: "alice"), try CredentialStore(db: db).devices(of: "carol"))
    }
    let start = server.now - 200
    #expect(
      devices == [
        AccountDevice(
          name: "desk", model: nil, system: "Linux 6.2", keys: 2, revokedKeys: 0, registeredAt: start + 100,
          lastUsedAt: server.now),
        AccountDevice(
          name: "laptop", model: nil, system: nil, keys: 1, revokedKeys: 0, registeredAt: start, lastUsedAt: nil),
        AccountDevice(
          name: nil, model: nil, system: nil, keys: 1, revokedKeys: 0, registeredAt: start, lastUsedAt: nil),
      ])
    #expect(nobody.isEmpty)
  }

  @Test func `flushes each commit to the disk`() async throws {
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

  @Test func `refuses a store that a later version has changed`() async throws {
    let database = try open().database
    try await database.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('2')") }
    #expect(throws: StoreError.newer) { _ = try self.open() }
  }

  @Test func `migrates a store that counted wrong codes, without the codes that this count had closed`() throws {
    let older = try DatabaseQueue()
    try Schema.migrator.migrate(older, upTo: "approvals")
    try older.write { db in
      for (name, failures) in [("alice", 4), ("bob", 5)] {
        try AccountStore(db: db).add(name, now: 0)
        try db.execute(
          sql: "INSERT INTO enrolment (username, codeHash, expiresAt, failures) VALUES (?, x'00', 9, ?)",
          arguments: [name, failures])
        try db.execute(
          sql: "INSERT INTO approval (username, shown, codeHash, expiresAt, failures) VALUES (?, 't', x'00', 9, ?)",
          arguments: [name, failures])
      }
    }
    try Schema.migrator.migrate(older)
    for table in ["enrolment", "approval"] {
      #expect(try older.read { try String.fetchAll($0, sql: "SELECT username FROM \(table)") } == ["alice"])
    }
  }

  @Test func `stores neither challenge nor code in plain text`() async throws {
    let server = try TestServer(store: open())
    let code = try await server.enrol("alice")
    var context = RequestContext(username: "alice")
    context.authCode = code
    let answer = try await server.get(.registration, context)
    let request = try FakeAuthenticator().registrationRequest(from: answer)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path()) {
      let contents = try Data(contentsOf: folder.appending(path: name))
      #expect(contents.range(of: Data(code.utf8)) == nil, "\(name)")
      #expect(contents.range(of: Data(request.challenge.bytes)) == nil, "\(name)")
    }
  }

  @Test func `removes requests for a registration that nobody answered`() async throws {
    let server = try TestServer(store: open())
    for _ in 0..<6 {
      server.advance(seconds: IssuedRequest.lifetime)
      var context = RequestContext(username: "alice")
      context.authCode = try await server.enrol("alice")
      #expect(try await server.get(.registration, context).statusCode == .ok)
    }
    let count = try await server.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM openRegistration") }
    #expect(count == 1)
  }
}
