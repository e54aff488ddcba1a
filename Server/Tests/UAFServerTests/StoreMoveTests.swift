import ArgumentParser
import Foundation
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import PostgreSQLStore
@testable import SQLiteStore
@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// What an export contains, and what a store that was imported from it accepts.
@Suite(.onEachStore) struct StoreMoveTests {
  private let folder = try? TemporaryFolder()
  private let server: TestServer

  init() throws {
    server = try TestServer()
  }

  private var otherEngine: StoreEngine { StoreEngine.current == .sqlite ? .postgresql : .sqlite }

  private func path(_ name: String) throws -> String { try #require(folder).path(name) }

  /// Exports a store, and returns the path.
  private func exported(_ store: any ServerStore, _ name: String = "export") async throws -> String {
    let path = try path(name)
    _ = try await ExportFile.make(path) { file in
      try await StoreExport(store: store, kind: "test", now: 500).write(to: file)
    }
    return path
  }

  @discardableResult private func imported(
    _ path: String, into store: any ServerStore, closing: () async throws -> Void = {}
  ) async throws -> Int64 {
    let file = try #require(FileHandle(forReadingAtPath: path))
    let header = try StoreImport.check(file.fileDescriptor, path: path)
    let entry = AuditEntry(time: 600, kind: .storeImport, actor: .server)
    let moving = StoreImport(store: store, descriptor: file.fileDescriptor, path: path, mark: "this one")
    return try await moving.run(header, entry: entry, now: 600, closing: closing)
  }

  private func lines(_ path: String) throws -> [String] {
    try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// The lines of an export with the store's rows, without the audit rows of imports.
  private func rows(_ path: String) throws -> [String] {
    try lines(path).dropFirst().dropLast().filter { !$0.contains(#""kind":"import""#) }
  }

  private static let sealedKey = Array("the key of a code that is open".utf8)

  /// Fills the store with something of each type, and more accounts than a page has.
  private func fill() async throws {
    _ = try await server.registered("alice", deviceID: "d0")
    var context = RequestContext(username: "alice")
    (context.deviceID, context.deregisterAll) = ("d0", true)
    try await server.enrol("alice")
    context.codeProof = try server.holder.removalProof(context)
    #expect(try await server.get(.deregistration, context).statusCode == .ok)
    _ = try await server.registered("alice", deviceID: "d1", deviceName: "한글 \"x\"\n")
    let now = server.now
    try await server.store.write { records in
      try records.passkeys.add(
        PasskeyRecord(
          username: "alice", relyingPartyID: "server.test", id: [1, 2, 3], userHandle: [4],
          publicKey: COSEKey(es256: P256.generate().publicKey),
          signCounter: 5, aaguid: .zero, isAttested: false, isBackupEligible: true, isBackedUp: true,
          transports: ["hybrid", "internal"], registeredAt: now, origin: KeyOrigin(issuedBy: "root", vouchedBy: "root"))
      )
      for number in 1...1001 { try records.accounts.add("person\(number)", now: now) }
      let profile = AccountProfile(
        displayName: "김 \"앨리스\"", mail: "a@example.org", department: "연구소", externalID: "E-1", groups: ["Labs", "가"])
      try records.profiles.set(["alice": profile, "person7": AccountProfile(groups: ["가"])], now: now)
      try records.administrators.set(
        StoredAdministrator(name: "alice", role: "administrator", addedBy: "root", addedAt: now))
      try records.settings.set(.publicURL, to: "https://server.test")
      try records.auditDeliveries.keep(AuditDelivery(sink: "s", delivered: 1, holder: "me", heldUntil: 9))
      try records.enrolments.open(Self.sealedKey, for: "person1", expiresAt: now + 900)
      _ = try records.approvals.open("a text that waits", code: "another", for: "alice", expiresAt: now + 900)
    }
    try await server.joinCode(machines: 3)
    try await server.store.write { records in
      _ = try records.machinePolicies.add(
        SavedMachinePolicy(
          number: 7, group: "lab", lifetime: 86_400, savedAt: now, actor: "root", reason: "longer",
          text: "[passcode]\nmin_length = 12\n"))
      for (number, id) in ["d1", "d2"].enumerated() {
        let machine = JoinedMachine(
          codeNumber: 1, id: id, name: "desk", model: nil, system: nil, group: "lab", joinedAt: now)
        try records.joinedMachines.keep(machine, machineID: Array(repeating: UInt8(number), count: 16))
      }
      var report = MachineReport(module: "1.0", nextMark: Array(repeating: 1, count: 16))
      report.policy = 3
      report.locks = [ReportedLock(account: "person1", type: "passcode", origin: .local, until: 9)]
      let contact = MachineContact(
        at: now, module: "1.0", policy: 3, locks: ReportedLocks(report.locks), copySeenAt: 7, mark: report.nextMark,
        offlineNumber: 5)
      try records.joinedMachines.note(contact, report, machineID: Array(repeating: 0, count: 16))
      _ = try records.joinedMachines.markLeft(machineID: Array(repeating: 1, count: 16), now: now)
    }
    _ = try await server.signedAudit()
  }

  @Test func `a store that was moved to the other engine and back has the same rows`() async throws {
    try await fill()
    let first = try await exported(server.store, "first")
    let away = try otherEngine.makeDatabase()
    try await imported(first, into: away.store)
    let second = try await exported(away.store, "second")
    let back = try StoreEngine.current.makeDatabase()
    try await imported(second, into: back.store)
    let third = try await exported(back.store, "third")
    let expected = try rows(first).filter { !$0.contains("a text that waits") }
    #expect(expected.count > 1010)
    #expect(try rows(second) == expected)
    #expect(try rows(third) == expected)
    // The index of the search is made again.
    let sought = try #require(SearchText("앨리"))
    let found = try await away.store.read {
      try $0.profiles.search(sought, AccountQuery(limit: 5), after: nil, lookingAt: 9, now: 1)
    }
    #expect(found.accounts.map(\.username) == ["alice"])
  }

  @Test func `a key that was registered before an import logs in after it, only with a higher counter`() async throws {
    let authenticator = try await server.registered("alice")
    let used = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 7)
    #expect(try await server.respond(used).0 == nil)
    let moved = try TestServer(database: otherEngine.makeDatabase())
    try await imported(exported(server.store), into: moved.store)
    #expect(try await moved.respond(used).0 != nil)
    let old = try await authenticator.authenticate(moved.authenticationRequest("alice"), counter: 7)
    #expect(try await moved.respond(old).0 != nil)
    let new = try await authenticator.authenticate(moved.authenticationRequest("alice"), counter: 8)
    #expect(try await moved.respond(new).0 == nil)
    _ = try await moved.registered("bea")
  }

  @Test func `the audit is intact after an import, and continues with a row that records the import`() async throws {
    _ = try await server.signedAudit()
    let moved = try TestServer(database: otherEngine.makeDatabase())
    try await imported(exported(server.store), into: moved.store)
    try await moved.store.write { try $0.audit.append([AuditEntry(time: 700, kind: .login, actor: .server)]) }
    let summary = try await moved.verification().run()
    #expect(summary.fault == nil && summary.rows == 14 && summary.signed == 12)
    let added = try await moved.store.read { try $0.audit.rows(AuditFilter(after: 12), limit: 9) }
    #expect(added.map(\.event.kind) == [.storeImport, .login])
  }

  @Test func `an export contains no open codes`() async throws {
    try await fill()
    let path = try await exported(server.store)
    let text = try lines(path).joined()
    #expect(!text.contains(Base64URL.encode(Self.sealedKey)))
    #expect(!text.contains(Base64URL.encode(try OneTimeCode.hash("another"))))
    let moved = try otherEngine.makeDatabase()
    try await imported(path, into: moved.store)
    let now = server.now
    let found = try await moved.store.read { records in
      (
        try records.enrolments.find(for: "person1", now: now) == nil,
        try records.approvals.check(code: "another", for: "alice", now: now) == nil,
        try records.joinCodes.page(before: nil, limit: 9).allSatisfy(\.isClosed),
        try records.joinedMachines.page(after: "", limit: 9).map(\.departedAt),
        try records.settings.value(of: .restoredAt)
      )
    }
    #expect(found.0 && found.1 && found.2 && found.3 == [nil, now] && found.4 == "600")
    let contact = try await moved.store.read { try $0.joinedMachines.machine("d1")?.contact }
    #expect(contact?.policy == 3 && contact?.locks.named.count == 1 && contact?.copySeenAt == 7)
    #expect(contact?.mark == Array(repeating: 1, count: 16) && contact?.offlineNumber == 5)
  }

  @Test func `a machine that joined before an import is known after it, and its next report continues the sequence`()
    async throws
  {
    let secret = try #require(try await server.joined(server.joinCode(), "d1", name: "desk"))
    _ = try await server.checkIn(secret, TestServer.report(next: 1))
    let keys = try TestServerKeys.make(machineSecrets: server.environment.keys.rings.machineSecrets, now: { 600 })
    let moved = try TestServer(database: otherEngine.makeDatabase(), keys: keys)
    try await imported(exported(server.store), into: moved.store)
    #expect(try moved.known(secret) != nil)
    #expect(try await moved.checkIn(secret, TestServer.report(mark: 1, next: 2))?.statusCode == .ok)
    let contact = try await moved.store.read { try $0.joinedMachines.machine("d1")?.contact }
    #expect(contact?.copySeenAt == nil && contact?.mark == Array(repeating: 2, count: 16))
    let stranger = try TestServer(database: StoreEngine.current.makeDatabase())
    try await imported(exported(server.store, "again"), into: stranger.store)
    #expect(try stranger.known(secret) == nil, "without the secrets for machines the server does not know the machine")
  }

  @Test func `an announced authority is moved, and which machines know it is left to their next reports`() async throws
  {
    let authority = AnnouncedAuthority(
      fingerprint: String(repeating: "a", count: 64), certificate: [0x30, 0, 0xFF], announcedBy: "root", announcedAt: 7,
      usedFrom: 600)
    try await server.store.write { records in
      try records.machineTrusts.announce(authority)
      try records.machineTrusts.note(KnownTrust(verdictKeys: [], authorities: [authority.fingerprint]), of: "d1")
    }
    let moved = try TestServer(database: otherEngine.makeDatabase())
    try await imported(exported(server.store), into: moved.store)
    #expect(try await moved.store.read { try $0.machineTrusts.authorities() } == [authority])
    #expect(try await moved.store.read { try $0.machineTrusts.known(by: "d1") } == nil)
  }

  @Test func `an export contains only rows from the time when it began, even if others are written meanwhile`()
    async throws
  {
    try await fill()
    let path = try path("export")
    let (store, database) = (server.store, server.database)
    let account = try #require(MovedTable.all.first { $0.type == "account" })
    let written = try await ExportFile.make(path) { file in
      try await store.read { records in
        // The writes come after the first page of accounts was read: both rows would be on the second page.
        let contents = ContentsWithWriter(contents: records.contents, after: account) {
          try database.executeBeside("INSERT INTO account (username, createdAt) VALUES ('zoe', 1)")
          try database.executeBeside("UPDATE account SET createdAt = 99 WHERE username = 'person1001'")
        }
        return try StoreExport(store: store, kind: "test", now: 1).write(contents, to: file)
      }
    }
    let text = try lines(path).joined()
    #expect(try lines(path).count == Int(written.rows) + 2)
    #expect(!text.contains("zoe") && text.contains("person1001") && !text.contains("\"createdAt\":99"))
    #expect(try await store.read { try $0.accounts.exists("zoe") })
  }

  @Test func `an export has every table and column of the store, or they are listed as left out`() async throws {
    let found = try await server.database.columns()
    var named: [String: Set<String>] = [:]
    for table in MovedTable.all {
      named[table.name] = Set(table.columns.map(\.name) + table.fixed.map(\.column))
    }
    // The request that reserved a text: nobody answers that request any longer.
    named["approval"]?.insert("reservedBy")
    // The hashes of codes that were open, and numbers that would be different with the new server's secret.
    named["joinCode"]?.insert("codeHash")
    named["joinedMachine"]?.formUnion(["machineID", "reportMark", "offlineNumber"])
    // In SQLite an account's number is its row, and the end of the audit's chain is the last row.
    if StoreEngine.current == .sqlite { named["account"]?.remove("number") }
    let left = Set(MovedTable.left.map { $0.lowercased() } + ["auditend"])
    let rest = found.filter { !left.contains($0.key.lowercased()) }
    #expect(Self.lowercased(rest) == Self.lowercased(named))
  }

  private static func lowercased(_ columns: [String: Set<String>]) -> [String: Set<String>] {
    Dictionary(uniqueKeysWithValues: columns.map { ($0.lowercased(), Set($1.map { $0.lowercased() })) })
  }

  @Test func `an import into a store that is not empty is refused, and the store stays as it is`() async throws {
    try await fill()
    let path = try await exported(server.store)
    let other = try TestServer(database: otherEngine.makeDatabase())
    try await other.enrol("mina")
    let before = try await exported(other.store, "before")
    await #expect(throws: ExportFault.storeNotEmpty) { try await self.imported(path, into: other.store) }
    let after = try await exported(other.store, "after")
    #expect(try rows(after) == rows(before))
    _ = try other.database.reopened()
  }

  @Test
  func `an import that was killed leaves a store that cannot be opened, and the next one starts from the beginning`()
    async throws
  {
    try await fill()
    let path = try await exported(server.store)
    let target = try otherEngine.makeDatabase()
    try await target.store.write { records in
      try records.settings.set(.unfinishedImport, to: "1")
      try records.accounts.add("half", now: 1)
      try records.audit.append([AuditEntry(time: 1, kind: .login, actor: .server)])
    }
    #expect(throws: (any Error).self) { try target.reopened() }
    try await imported(path, into: target.store)
    _ = try target.reopened()
    let after = try await exported(target.store, "after")
    #expect(try !lines(after).joined().contains("half"))
  }

  @Test func `of two simultaneous imports the first fails, and the store belongs to the second`() async throws {
    try await fill()
    let (path, target) = (try await exported(server.store), try otherEngine.makeDatabase())
    let file = try #require(FileHandle(forReadingAtPath: path))
    let header = try StoreImport.check(file.fileDescriptor, path: path)
    let entry = AuditEntry(time: 601, kind: .storeImport, actor: .server)
    let second = StoreImport(store: target.store, descriptor: file.fileDescriptor, path: path, mark: "the other one")
    await #expect(throws: ExportFault.otherImport) {
      try await self.imported(path, into: target.store) {
        _ = try await second.run(header, entry: entry, now: 601) {}
      }
    }
    let after = try await exported(target.store, "after")
    #expect(try rows(after).count == rows(path).count - 1)
    #expect(try lines(after).filter { $0.contains("\"kind\":\"import\"") }.count == 1)
    _ = try target.reopened()
  }

  @Test func `an import stops if somebody else writes to its store, and the store stays closed`() async throws {
    try await fill()
    let (path, target) = (try await exported(server.store), try otherEngine.makeDatabase())
    await #expect(throws: ExportFault.storeWritten(type: "administrator")) {
      try await self.imported(path, into: target.store) {
        try await target.store.write { records in
          try records.administrators.set(
            StoredAdministrator(name: "zoe", role: "auditor", addedBy: "root", addedAt: 1))
        }
      }
    }
    #expect(throws: (any Error).self) { try target.reopened() }
  }

  @Test func `an import that the store refuses leaves the store unfinished, and names the lines at fault`() async throws
  {
    try await fill()
    // Two accounts with the same name, in lines that are each well-formed.
    let whole = try await exported(server.store)
    let changed = try rehashed(lines(whole).map { $0.replacing("person2\"", with: "person1\"") })
    let target = try otherEngine.makeDatabase()
    let fault = await #expect(throws: ExportFault.self) { try await self.imported(changed, into: target.store) }
    #expect(fault?.description.contains("the store refuses one of the lines ") == true)
    #expect(throws: (any Error).self) { try target.reopened() }
  }

  /// Joins the lines of an export, the last one with the hash of those before it.
  private func rehashed(_ lines: [String]) throws -> String {
    let text = lines.dropLast().map { $0 + "\n" }.joined()
    let hash = Base64URL.encode(try SHA256.hash(Array(text.utf8)))
    let last = try #require(lines.last).replacing(/"sha256":"[^"]*"/, with: "\"sha256\":\"\(hash)\"")
    let path = try path("changed")
    try Data((text + last + "\n").utf8).write(to: URL(filePath: path))
    return path
  }
}
