import ArgumentParser
import Foundation
import Logging
import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// The audit rows that the server writes about itself, and the places to which it writes its signed heads.
@Suite(.onEachStore) struct AuditKeeperTests {
  private let server: TestServer
  private let folder = try? TemporaryFolder()
  private let log = RecordedLog()
  private let refusals = RefusalCount()
  private let standing = AuditStanding()

  init() throws { server = try TestServer() }

  private func files() throws -> AuditHeadFiles {
    let folder = try #require(folder)
    let state = try ServerDirectory(path: folder.path("state"), create: true)
    return AuditHeadFiles(state: state, list: folder.path("heads"))
  }

  private func keeper(after last: AuditLink? = nil, store: (any ServerStore)? = nil) throws -> AuditKeeper {
    AuditKeeper(
      store: store ?? server.store, keys: server.environment.keys, published: try server.headKeys(), files: try files(),
      refusals: refusals,
      start: ServerEvents.start(version: "1", keys: "verdict a in-use", policy: [1], now: server.now), last: last,
      standing: standing, logger: Logger(label: "test") { [log] _ in log }, now: { [server] in server.now })
  }

  private func heads() throws -> [AuditHead] {
    let bytes = try Data(contentsOf: URL(filePath: try #require(folder).path("heads")))
    return try AuditHeadFiles.tokens(Array(bytes)).compactMap { try server.headKeys().head(of: $0) }
  }

  private func kinds() async throws -> [AuditKind] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 100) }.map(\.event.kind)
  }

  @Test func `the server signs the row of its start, and then only new rows, to store, folder, list and log`()
    async throws
  {
    let keeper = try keeper()
    await keeper.round()
    await keeper.round()
    #expect(try heads().map(\.link.number) == [1])
    refusals.add("limited", from: "")
    await keeper.round()
    #expect(try await kinds() == [.serverStart, .refusals])
    #expect(try heads().map(\.link.number) == [1, 2])
    #expect(try files().last(server.headKeys())?.link.number == 2)
    #expect(log.lines.filter { $0.hasPrefix("audit-head") }.count == 2)
    let verification = try server.verification(kept: heads())
    #expect(try await verification.run() == AuditSummary(rows: 2, last: 2, signed: 2))
  }

  @Test func `an audit row and a count that could not be written are written once in the next round`() async throws {
    let store = FailingStore(server.store)
    let keeper = try keeper(store: store)
    refusals.add("limited", from: "")
    store.fails(.writes)
    await keeper.round()
    #expect(log.lines == ["audit-not-written error=test-1 text=no space left"])
    store.fails(.nothing)
    await keeper.round()
    await keeper.round()
    #expect(try await kinds() == [.serverStart, .refusals])
  }

  @Test func `the server reports that signed rows are gone, and signs the rows that follow`() async throws {
    let keeper = try keeper()
    await keeper.round()
    try await server.store.write { records in
      try records.audit.append([AuditEntry(time: 1, kind: .login, actor: .person)])
    }
    await keeper.round()
    let last = try #require(try files().last(server.headKeys())?.link)
    try await server.database.execute("UPDATE audit SET hash = \(server.database.literal([7])) WHERE number = 2")
    await (try self.keeper(after: last)).round()
    #expect(log.lines.contains("audit-broken row=2"))
    #expect(try await kinds().suffix(2) == [.serverStart, .broken])
    #expect(try heads().map(\.link.number) == [1, 2, 4])
  }

  @Test(arguments: [4_611_686_018_427_387_904, 2])
  func `the server reports once that the last stored head is not validly signed, and signs the rows that follow`(
    number: Int64
  )
    async throws
  {
    let keeper = try keeper()
    await keeper.round()
    refusals.add("limited", from: "")
    await keeper.round()
    try await server.database.execute(
      number == 2
        ? "UPDATE auditHead SET token = 'x' WHERE number = 2" : "INSERT INTO auditHead VALUES (\(number), 'x')")
    for _ in 0..<3 {
      refusals.add("limited", from: "")
      await keeper.round()
    }
    #expect(log.lines.filter { $0.hasPrefix("audit-broken") } == ["audit-broken row=\(number)"])
    #expect(try await kinds() == [.serverStart, .refusals, .refusals, .broken, .refusals, .refusals])
    #expect(try heads().map(\.link.number) == [1, 2, 4, 5, 6])
    let row = try #require(
      try await server.store.read { try $0.audit.rows(AuditFilter(kind: .broken), limit: 1) }.first)
    #expect(row.event.detail == #"{"number":\#(number),"head":"x"}"#)
    // A second server process that starts later has nothing to report either.
    await (try self.keeper(after: heads().last?.link)).round()
    #expect(try await kinds().filter { $0 == .broken }.count == 1)
    let verification = try server.verification(kept: heads())
    let summary = try await verification.run()
    #expect(number == 2 ? summary.fault == .headNotSigned(2) : summary.fault == nil && summary.broken == 4)
  }

  @Test(arguments: [false, true])
  func `the server reports once that rows were cut off while their heads were left, whatever it had signed last`(
    knows: Bool
  )
    async throws
  {
    var last: AuditLink?
    for _ in 0..<4 {
      let keeper = try keeper(after: last)
      await keeper.round()
      last = try heads().last?.link
    }
    try await server.store.write { try $0.auditDeliveries.keep(AuditDelivery(sink: "syslog", delivered: 4)) }
    try await server.database.execute("DELETE FROM audit WHERE number > 1")
    if StoreEngine.current == .postgresql {
      try await server.database.execute(
        "UPDATE auditEnd SET (number, hash) = (SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1)")
    }
    let keeper = try keeper(after: knows ? last : nil)
    for _ in 0..<4 {
      refusals.add("limited", from: "")
      await keeper.round()
    }
    #expect(log.lines.filter { $0.hasPrefix("audit-broken") } == ["audit-broken row=4"])
    #expect(
      try await kinds() == [.serverStart, .serverStart, .refusals, .broken, .refusals, .refusals, .refusals])
    let verification = try server.verification()
    #expect(try await verification.run().fault == .rewritten(from: 3, through: 3))
    // The sink's position is moved back to the last row that matches a signed head: row 2 is unchanged.
    #expect(try await server.store.read { try $0.auditDeliveries.delivery(to: "syslog") }.delivered == 2)
  }

  @Test func `'audit prune' removes no rows if the folder's last head, or a row, shows that the audit was changed`()
    async throws
  {
    let keeper = try keeper()
    await keeper.round()
    refusals.add("limited", from: "")
    await keeper.round()
    let (keys, kept) = (try server.headKeys(), try heads())
    let prune = try AuditPruneCommand.parse(["--state", "s", "--older-than", "1"])
    #expect(try await prune.check(server.store, keys, last: kept) == 0)
    let later = AuditHead(link: AuditLink(number: 3, hash: AuditLink.start.hash), signedAt: 1, previous: 2)
    await #expect(throws: ExitCode.failure) { try await prune.check(server.store, keys, last: [later]) }
    try await server.store.write { try $0.audit.append([AuditEntry(time: 1, kind: .broken, actor: .server)]) }
    await #expect(throws: ExitCode.failure) { try await prune.check(server.store, keys, last: kept) }
    let accepting = try AuditPruneCommand.parse(["--state", "s", "--older-than", "1", "--accept-broken"])
    #expect(try await accepting.check(server.store, keys, last: kept) == 3)
    await #expect(throws: ExitCode.failure) { try await accepting.check(server.store, keys, last: [later, later]) }
  }

  @Test
  func `the server refuses a store whose last head was signed with a different key, until that public key is known`()
    async throws
  {
    let state = try files().state
    let own = try ServerKeys(state: state, now: { 0 })
    try await AuditKeyCheck.run(server.store, state)
    await (try keeper()).round()
    let refused = await #expect(throws: ServerError.self) { try await AuditKeyCheck.run(server.store, state) }
    #expect(
      refused?.description.contains("/audit.key: differs from the key that has signed this store's audit") == true)
    let both = (own.rings.auditKeys.entries + server.environment.keys.rings.auditKeys.entries).flatMap(
      \.key.publicKeyPEM)
    try StateFile.replace(path: state.auditPublicKeyPath, mode: 0o644, contents: both)
    try await AuditKeyCheck.run(server.store, state)
  }

  @Test func `an invalid head in the store does not keep the server from starting`() async throws {
    let state = try files().state
    _ = try ServerKeys(state: state, now: { 0 })
    try await server.database.execute("INSERT INTO auditHead VALUES (4611686018427387904, 'x')")
    try await AuditKeyCheck.run(server.store, state)
  }

  @Test
  func `the server reports a list of heads that cannot be written, and keeps the head in the store and the folder`()
    async throws
  {
    let files = AuditHeadFiles(state: try files().state, list: "/nonexistent/heads")
    let keeper = AuditKeeper(
      store: server.store, keys: server.environment.keys, published: try server.headKeys(), files: files,
      refusals: refusals,
      start: ServerEvents.stop(now: 1), last: nil, standing: standing,
      logger: Logger(label: "test") { [log] _ in log },
      now: { [server] in server.now })
    await keeper.round()
    #expect(log.lines.last?.contains("/nonexistent/heads: cannot be written: No such file or directory") == true)
    #expect(try files.last(server.headKeys())?.link.number == 1)
    #expect(try await server.store.read { try $0.audit.lastHead() }?.number == 1)
  }

  @Test func `the public keys that verify old heads stay after the signing key is replaced`() throws {
    let state = try files().state
    let old = try ServerKeys(state: state, now: { 0 }).rings.auditKeys.current(at: 0).publicKeyPEM
    for moment: Int64 in [1_000_000, 2_000_000, 3_000_000] {
      _ = try state.auditKeys.rotate(now: moment, from: moment + 1)
    }
    let keys = try ServerKeys(state: state, now: { 3_000_001 })
    #expect(!keys.rings.auditKeys.entries.map(\.key.publicKeyPEM).contains(old))
    let published = String(decoding: try Data(contentsOf: URL(filePath: state.auditPublicKeyPath)), as: UTF8.self)
    #expect(published.hasPrefix(String(decoding: old, as: UTF8.self)))
    #expect(published.components(separatedBy: "-----BEGIN").count >= 3)
    _ = try PublicKeyFile.auditHeadKeys(path: state.auditPublicKeyPath)
  }

  @Test func `the server refuses a file of public keys that contains anything else`() throws {
    let path = try files().state.auditPublicKeyPath
    try Data("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n".utf8).write(to: URL(filePath: path))
    #expect(throws: ServerError.self) { try PublicKeyFile.auditHeadKeys(path: path) }
    try Data().write(to: URL(filePath: path))
    #expect(throws: ServerError.self) { try PublicKeyFile.auditHeadKeys(path: path) }
  }
}
