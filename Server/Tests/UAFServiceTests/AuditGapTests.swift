import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// An audit that nobody could sign for a time.
@Suite(.onEachStore) struct AuditGapTests {
  private let server: TestServer

  init() throws { server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2)) }

  private func append(_ kind: AuditKind = .login, at time: Int64? = nil) async throws {
    try await server.store.write { [now = server.now] in
      try $0.audit.append([AuditEntry(time: time ?? now, kind: kind, account: "mina", actor: .person)])
    }
  }

  private func gaps() async throws -> [AuditGap] {
    let verification = try server.verification()
    let summary = try await verification.run()
    #expect(summary.fault == nil)
    return summary.gaps
  }

  private func end() async throws -> AuditLink { try await server.store.read { try $0.audit.last() } }

  // MARK: Signing

  @Test func `a head that the database silently drops does not count as a signed head`() async throws {
    try await append()
    try await server.database.dropHeads()
    await #expect(throws: AuditSigner.NotKept.head(1)) { try await server.signer.sign(after: nil) }
    await #expect(throws: AuditSigner.NotKept.head(1)) { try await server.signer.signAfterRefusal() }
    try await server.database.keepHeads()
    #expect(try await server.signer.sign(after: nil)?.link.number == 1)
  }

  @Test func `a head that the database removes at the commit does not count as a signed head`() async throws {
    guard StoreEngine.current == .postgresql else { return }
    try await append()
    for statement in [
      "CREATE FUNCTION removed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM auditHead; RETURN NULL; END'",
      """
      CREATE CONSTRAINT TRIGGER removing AFTER INSERT ON auditHead DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION removed()
      """,
    ] { try await server.database.execute(statement) }
    await #expect(throws: AuditSigner.NotKept.head(1)) { try await server.signer.sign(after: nil) }
  }

  @Test func `the server signs nothing if the head that it signed last is gone`() async throws {
    let kept = try await server.signedAudit()
    try await server.database.execute("DELETE FROM auditHead WHERE number = 12")
    await #expect(throws: AuditSigner.Refusal.headGone(12)) { try await server.signer.sign(after: kept[2].link) }
    #expect(try await server.signer.sign(after: kept[1].link)?.link.number == 12)
  }

  @Test func `the server signs no end of the audit whose row the database has dropped`() async throws {
    guard StoreEngine.current == .postgresql else { return }
    try await append()
    try await append()
    try await server.database.execute("DELETE FROM audit WHERE number = 2")
    await #expect(throws: AuditSigner.Refusal.changed(2)) { try await server.signer.sign(after: nil) }
  }

  // MARK: The check

  @Test func `verification names rows that were unsigned for too long, even if a head covers them now`() async throws {
    try await append()
    _ = try await server.signer.sign(after: nil)
    let time = server.now + 5
    for _ in 0..<2 { try await append(at: time) }
    server.advance(seconds: 5 + AuditGap.bound + 1)
    _ = try await server.signer.sign(after: nil)
    let found = try await gaps()
    #expect(found == [AuditGap(after: 1, through: 3, from: time, until: server.now)])
    #expect(
      found.first?.description
        == "rows 2 to 3 were unsigned for 301 s: anybody who could change the store in that "
        + "time could rewrite these rows"
    )
  }

  @Test func `verification names rows at the end that have been unsigned for too long`() async throws {
    try await append()
    _ = try await server.signer.sign(after: nil)
    try await append()
    server.advance(seconds: AuditGap.bound)
    #expect(try await gaps().isEmpty)
    server.advance(seconds: 1)
    #expect(try await gaps().map(\.through) == [2])
  }

  @Test func `a time without new audit rows is not a gap, however long it is`() async throws {
    try await append()
    _ = try await server.signer.sign(after: nil)
    server.advance(seconds: 100_000)
    try await append()
    _ = try await server.signer.sign(after: nil)
    #expect(try await gaps().isEmpty)
  }

  @Test func `verification reports the gap that a signed row names, whatever times the rows before it have now`()
    async throws
  {
    try await append()
    _ = try await server.signer.sign(after: nil)
    let from = server.now
    server.advance(seconds: 900)
    let gap = AuditGap(after: 1, through: 1, from: from, until: server.now)
    try await server.store.write { [now = server.now] in try $0.audit.append([gap.row(of: "uaf1", now: now)]) }
    _ = try await server.signer.sign(after: nil)
    #expect(try await gaps() == [gap])
    #expect(gap.description.hasPrefix("after row 1 nothing was signed for 900 s"))
  }

  // MARK: The time of a gap

  @Test
  func `the gap that is reported is the longest time without a head, even if a different instance has signed since`()
    async throws
  {
    try await append()
    let first = try #require(try await server.signer.sign(after: nil)).link
    let moment = SignedMoment(link: first, time: server.now)
    #expect(try await server.signer.gap(since: moment) == nil)
    server.advance(seconds: 200)
    try await append()
    _ = try await server.signer.sign(after: nil)
    let second = server.now
    server.advance(seconds: 200)
    #expect(try await server.signer.gap(since: moment) == nil)
    server.advance(seconds: 200)
    try await append()
    _ = try await server.signer.sign(after: nil)
    #expect(
      try await server.signer.gap(since: moment) == AuditGap(after: 2, through: 3, from: second, until: server.now))
  }

  @Test
  func `after a kill the time without a head continues from the last process, and after a normal stop it starts again`()
    async throws
  {
    try await append()
    let link = try #require(try await server.signer.sign(after: nil)).link
    let moment = SignedMoment(link: link, time: server.now - 50)
    server.advance(seconds: 1000)
    let now = SignedMoment(link: link, time: server.now)
    #expect(try await server.signer.beginning(after: moment) == moment)
    let stopped = SignedMoment(link: link, time: moment.time, isStopped: true)
    for kept in [stopped, nil] { #expect(try await server.signer.beginning(after: kept) == now) }
    try await append(at: server.now - 400)
    for kept in [stopped, nil] {
      let begun = try await server.signer.beginning(after: kept)
      #expect(begun == SignedMoment(link: link, time: server.now - 400))
    }
    #expect(try await server.signer.beginning(after: moment) == moment)
    // Meanwhile a different instance has signed.
    _ = try await server.signer.sign(after: nil)
    #expect(try await server.signer.beginning(after: moment).time == server.now)
  }

  @Test func `the time of the last head is read back as it was written, and nothing else is accepted`() {
    let moment = SignedMoment(link: AuditLink(number: 7, hash: AuditLink.start.hash), time: 9, isStopped: true)
    #expect(SignedMoment(moment.json.bytes) == moment)
    for text in ["", "{}", #"{"number":1,"hash":"AA","time":1,"stopped":false}"#] {
      #expect(SignedMoment(Array(text.utf8)) == nil)
    }
  }

  @Test func `a clock that is set back does not stop the time of a gap from growing`() {
    let standing = AuditStanding()
    #expect(!standing.isOverdue(at: 1_000_000))
    standing.note(SignedMoment(link: .start, time: 10_000))
    #expect(standing.unsignedSeconds(at: 10_300) == 300 && !standing.isOverdue(at: 10_300))
    #expect(standing.isOverdue(at: 10_301))
    #expect(standing.unsignedSeconds(at: 5000) == 0)
    #expect(standing.isOverdue(at: 5301))
  }
}
