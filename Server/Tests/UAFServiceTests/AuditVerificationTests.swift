import SecretMemory
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// An audit that somebody edits by hand, and one that the retention rule shortens.
@Suite(.onEachStore) struct AuditVerificationTests {
  private static let columns =
    "number, time, kind, outcome, account, actor, address, machine, authenticators, detail, hash"
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
  }

  private func audit() async throws -> [AuditHead] { try await server.signedAudit() }

  private func summary(_ kept: [AuditHead] = []) async throws -> AuditSummary {
    let verification = try server.verification(kept: kept)
    return try await verification.run()
  }

  private func fault(_ kept: [AuditHead] = []) async throws -> AuditFault? { try await summary(kept).fault }

  private func execute(_ statements: String...) async throws {
    for statement in statements { try await server.database.execute(statement) }
  }

  /// Gives rows new numbers without colliding with existing rows.
  private func renumber(from number: Int, by step: Int) async throws {
    try await execute(
      "UPDATE audit SET number = number + 1000 WHERE number >= \(number)",
      "UPDATE audit SET number = number - 1000 + \(step) WHERE number >= 1000")
  }

  /// Recomputes the hashes from a row on, as somebody could who knows how they are made.
  private func rehash(from number: Int64) async throws {
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(after: number - 2), limit: 100) }
    var link = number == 1 ? AuditLink.start : rows[0].link
    for row in rows where row.number >= number {
      link = try link.next(row.event.body)
      try await execute(
        "UPDATE audit SET hash = \(server.database.literal(link.hash)) WHERE number = \(row.number)")
    }
  }

  @Test func `verification finds no fault in an unedited audit, with or without heads kept elsewhere`() async throws {
    let kept = try await audit()
    #expect(try await summary(kept) == AuditSummary(rows: 12, last: 12, signed: 12))
    #expect(try await summary() == AuditSummary(rows: 12, last: 12, signed: 12))
  }

  @Test(arguments: [
    "account = 'mallory'", "time = 1", "outcome = 'refused'", "kind = 'logout'", "address = '10.0.0.1'",
    "actor = 'root'",
    "machine = 'm'", "authenticators = 'a'", "detail = 'd'",
  ])
  func `verification names the row that was changed, whichever column was changed`(change: String) async throws {
    _ = try await audit()
    try await execute("UPDATE audit SET \(change) WHERE number = 6")
    #expect(try await fault() == .changed(6))
  }

  @Test func `verification names the row to which something was appended after U+0000`() async throws {
    // PostgreSQL cannot store such a text.
    guard StoreEngine.current == .sqlite else { return }
    _ = try await audit()
    try await execute("UPDATE audit SET account = account || char(0) || 'x' WHERE number = 6")
    #expect(try await fault() == .changed(6))
  }

  @Test func `verification names rows that were swapped`() async throws {
    _ = try await audit()
    try await execute(
      "UPDATE audit SET number = 1000 WHERE number = 6", "UPDATE audit SET number = 6 WHERE number = 7",
      "UPDATE audit SET number = 7 WHERE number = 1000")
    #expect(try await fault() == .exchanged(6))
  }

  @Test func `verification reports that the first row was removed`() async throws {
    _ = try await audit()
    try await execute("DELETE FROM audit WHERE number = 1")
    #expect(try await fault() == .removed(from: 1, through: 1))
  }

  @Test func `verification names removed rows in the middle`() async throws {
    _ = try await audit()
    try await execute("DELETE FROM audit WHERE number IN (6, 7)")
    #expect(try await fault() == .removed(from: 6, through: 7))
  }

  @Test func `verification names a removed row even if the later rows were renumbered`() async throws {
    _ = try await audit()
    try await execute("DELETE FROM audit WHERE number = 6")
    try await renumber(from: 7, by: -1)
    #expect(try await fault() == .removed(from: 6, through: 6))
  }

  @Test func `verification names the last rows if they were cut off and the store still has their head`() async throws {
    _ = try await audit()
    try await execute("DELETE FROM audit WHERE number > 10")
    #expect(try await fault() == .cutOff(from: 11, through: 12))
  }

  @Test func `with a head kept elsewhere, verification names the last rows if they were cut off with their head`()
    async throws
  {
    let kept = try await audit()
    try await execute("DELETE FROM audit WHERE number > 8", "DELETE FROM auditHead WHERE number > 8")
    #expect(try await fault() == nil)
    #expect(try await fault(kept) == .cutOff(from: 9, through: 12))
  }

  @Test(arguments: [false, true])
  func `verification names an inserted row, whether its hash fits or not`(fits: Bool) async throws {
    _ = try await audit()
    try await renumber(from: 6, by: 1)
    let zero = server.database.literal([UInt8](repeating: 0, count: 32))
    try await execute(
      "INSERT INTO audit (\(Self.columns)) VALUES (6, 550, 'login', 'ok', 'mallory', 'person', '', '', '', '', \(zero))"
    )
    if fits {
      let rows = try await server.store.read { try $0.audit.rows(AuditFilter(after: 4), limit: 2) }
      let hash = try rows[0].link.next(rows[1].event.body).hash
      try await execute("UPDATE audit SET hash = \(server.database.literal(hash)) WHERE number = 6")
    }
    #expect(try await fault() == .inserted(6))
  }

  @Test func `verification names rows that were hashed again, because a signed head no longer matches them`()
    async throws
  {
    _ = try await audit()
    try await execute("UPDATE audit SET account = 'mallory' WHERE number = 6")
    try await rehash(from: 6)
    #expect(try await fault() == .rewritten(from: 5, through: 8))
  }

  @Test
  func `with a head kept elsewhere, verification names the last rows if they were hashed again and their head removed`()
    async throws
  {
    let kept = try await audit()
    try await execute(
      "UPDATE audit SET account = 'mallory' WHERE number = 12", "DELETE FROM auditHead WHERE number = 12")
    try await rehash(from: 12)
    #expect(try await fault(kept) == .rewritten(from: 9, through: 12))
  }

  @Test func `verification reports a removed head`() async throws {
    _ = try await audit()
    try await execute("DELETE FROM auditHead WHERE number = 8")
    #expect(try await fault() == .headRemoved(8))
  }

  @Test func `verification reports that all heads were removed`() async throws {
    _ = try await audit()
    try await execute("DELETE FROM auditHead")
    #expect(try await fault() == .noHeads)
  }

  @Test
  func `verification names a head that was signed with a different key, and one that was signed for a different row`()
    async throws
  {
    let kept = try await audit()
    let pair = try P256.generate()
    let other = try AuditHeadKeys.sign(kept[1], with: TokenKey(pair.privateKey, for: .auditHead))
    try await server.store.write { try $0.audit.keep(other) }
    #expect(try await fault() == .headNotSigned(8))
    try await execute("UPDATE auditHead SET token = (SELECT token FROM auditHead WHERE number = 4) WHERE number = 8")
    #expect(try await fault() == .headNotSigned(8))
  }

  @Test func `verification does not accept a verdict as a head, although the same key has signed it`() async throws {
    let head = AuditHead(link: AuditLink(number: 1, hash: AuditLink.start.hash), signedAt: 1, previous: 0)
    let pair = try P256.generate()
    let key = try TokenKey(pair.privateKey, for: .verdict)
    let keys = try AuditHeadKeys(publicKeys: [P256.subjectPublicKeyInfo(publicKey: pair.publicKey)])
    #expect(try keys.head(of: AuditHeadKeys.sign(head, with: key).token) == nil)
    #expect(
      try keys.head(of: AuditHeadKeys.sign(head, with: TokenKey(pair.privateKey, for: .auditHead)).token) == head)
  }

  @Test func `verification reports that the whole audit was emptied, from its heads or from a head kept elsewhere`()
    async throws
  {
    let kept = try await audit()
    try await execute("DELETE FROM audit")
    #expect(try await fault() == .cutOff(from: 1, through: 4))
    try await execute("DELETE FROM auditHead")
    #expect(try await fault(kept) == .cutOff(from: 1, through: 4))
  }

  @Test func `verification finds no fault in an empty store`() async throws {
    #expect(try await summary() == AuditSummary())
  }

  @Test func `verification reports that the server once found signed rows changed, even if the rest is valid`()
    async throws
  {
    _ = try await audit()
    let row = AuditEntry(time: server.now, kind: .broken, actor: .server)
    try await server.store.write { try $0.audit.append([row, row]) }
    #expect(try await summary() == AuditSummary(rows: 14, last: 14, signed: 12, broken: 13))
  }

  // MARK: The rule

  @Test func `rows that the retention rule removed leave a signed head and a row, and verification finds no fault`()
    async throws
  {
    let kept = try await audit()
    let removed = try #require(try await server.signer.remove(before: 650, by: .commandLine(uid: 0, login: 1000)))
    #expect(removed.rows == 6 && removed.through == 6)
    _ = try await server.signer.sign(after: kept[2].link)
    #expect(try await summary(kept) == AuditSummary(rows: 7, last: 13, signed: 13, removed: 6))
    let row = try #require(try await server.store.read { try $0.audit.rows(AuditFilter(after: 12), limit: 1) }.first)
    #expect(row.event.kind == .removal && row.event.actor == "command-line uid 0 login 1000")
    #expect(row.event.detail == #"{"through":6,"rows":6,"before":650}"#)
    // Removes rows a second time: all but the last one.
    #expect(try #require(try await server.signer.remove(before: .max, by: .server)).through == 12)
    _ = try await server.signer.sign(after: nil)
    #expect(try await summary(kept) == AuditSummary(rows: 2, last: 14, signed: 14, removed: 12))
    #expect(try await server.signer.remove(before: 0, by: .server) == nil)
  }

  @Test func `rows are removed in portions, and verification finds no fault after each`() async throws {
    let kept = try await audit()
    let removed = try #require(try await server.signer.remove(before: 950, by: .server, accepting: 3, portion: 4))
    #expect(removed.rows == 9 && removed.through == 9)
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .removal), limit: 9) }
    #expect(
      rows.map(\.event.detail) == [
        #"{"through":4,"rows":4,"before":950,"accepted":3}"#, #"{"through":8,"rows":4,"before":950,"accepted":3}"#,
        #"{"through":9,"rows":1,"before":950,"accepted":3}"#,
      ])
    #expect(try await server.signer.sign(after: kept[2].link)?.link.number == 15)
    #expect(try await summary(kept) == AuditSummary(rows: 6, last: 15, signed: 15, removed: 9))
  }

  @Test
  func `during verification, rows that the retention rule removes are no fault, and rows removed by hand are one`()
    async throws
  {
    _ = try await audit()
    let signer = try server.signer
    let pruned = MeanwhileStore(server.store) { _ = try await signer.remove(before: 650, by: .server) }
    #expect(
      try await AuditVerification(of: pruned, keys: server.headKeys(), now: server.now).run()
        == AuditSummary(rows: 7, last: 13, signed: 12, removed: 6))
    let edited = MeanwhileStore(server.store) { [database = server.database] in
      try await database.execute("DELETE FROM audit WHERE number = 7")
    }
    #expect(
      try await AuditVerification(of: edited, keys: server.headKeys(), now: server.now).run().fault
        == .removed(from: 7, through: 7))
  }

  @Test
  func `verification finds that a row was removed by hand, even next to the rows that the retention rule removed`()
    async throws
  {
    _ = try await audit()
    _ = try await server.signer.remove(before: 650, by: .server)
    _ = try await server.signer.sign(after: nil)
    try await execute("DELETE FROM audit WHERE number = 7")
    #expect(try await fault() == .removed(from: 7, through: 7))
  }

  @Test func `verification finds rows that were removed by hand, even if the last of them has an ordinary head`()
    async throws
  {
    _ = try await audit()
    try await execute("DELETE FROM audit WHERE number <= 4")
    #expect(try await fault() == .removed(from: 1, through: 4))
  }

  @Test func `verification reports a signed removal of rows that has no row of its own`() async throws {
    let kept = try await audit()
    let head = AuditHead(link: kept[0].link, signedAt: 1, previous: 0, isRemoval: true)
    let signed = try AuditHeadKeys.sign(head, with: server.environment.keys.auditKey)
    try await server.store.write { records in
      _ = try records.audit.remove(through: 4)
      try records.audit.keep(signed)
    }
    #expect(try await fault() == .removalNotRecorded(4))
  }
}
