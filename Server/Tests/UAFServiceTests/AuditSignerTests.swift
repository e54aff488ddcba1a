import Testing
import UAFCrypto

@testable import ServerTesting
@testable import UAFService

/// When the end of the audit is signed, and when it is not.
@Suite(.onEachStore) struct AuditSignerTests {
  private let server: TestServer

  init() throws { server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2)) }

  @Test func `the server signs no row twice`() async throws {
    _ = try await server.signedAudit()
    #expect(try await server.signer.sign(after: nil) == nil)
  }

  @Test func `the server signs nothing if the row that it signed last was replaced or is gone`() async throws {
    let kept = try await server.signedAudit()
    #expect(try await server.signer.sign(after: kept[2].link) == nil)
    try await server.database.execute("UPDATE audit SET hash = \(server.database.literal([1])) WHERE number = 8")
    await #expect(throws: AuditSigner.Refusal.changed(8)) { try await server.signer.sign(after: kept[1].link) }
    try await server.database.execute("DELETE FROM audit WHERE number = 8")
    await #expect(throws: AuditSigner.Refusal.changed(8)) { try await server.signer.sign(after: kept[1].link) }
  }

  @Test
  func `the server signs nothing if the last stored head has a wrong key, belongs to a different row, or has no row`()
    async throws
  {
    let kept = try await server.signedAudit()
    let stored = try await server.store.read { try $0.audit.heads(after: 0, limit: 3) }
    for head in [StoredHead(number: 1 << 62, token: "x"), StoredHead(number: 13, token: stored[2].token)] {
      try await server.store.write { try $0.audit.keep(head) }
      await #expect(throws: AuditSigner.Refusal.headUnfit(head)) { try await server.signer.sign(after: kept[2].link) }
      try await server.database.execute("DELETE FROM auditHead WHERE number > 12")
    }
    try await server.database.execute("UPDATE audit SET hash = \(server.database.literal([1])) WHERE number = 12")
    await #expect(throws: AuditSigner.Refusal.headUnfit(stored[2])) { try await server.signer.sign(after: nil) }
  }

  @Test func `the first head that is signed after a refusal names the last validly signed row`() async throws {
    _ = try await server.signedAudit()
    try await server.database.execute("INSERT INTO auditHead VALUES (9, 'x'), (40, 'y')")
    try await server.database.execute("UPDATE auditHead SET token = 'z' WHERE number = 12")
    try await server.store.write { try $0.audit.append([AuditEntry(time: 1, kind: .broken, actor: .server)]) }
    let signed = try #require(try await server.signer.signAfterRefusal())
    #expect(try server.headKeys().head(of: signed.head.token)?.previous == 8)
    #expect(try await server.store.read { try $0.audit.lastHead() }?.number == 13)
  }

  @Test func `the server continues to sign if the retention rule removed the row that it signed last`() async throws {
    let kept = try await server.signedAudit()
    _ = try await server.signer.remove(before: 950, by: .server)
    #expect(try await server.signer.sign(after: kept[1].link)?.link.number == 13)
    let verification = try server.verification(kept: kept)
    #expect(try await verification.run().fault == nil)
  }
}
