import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// What ends sessions, and what prevents them.
@Suite(.onEachStore) struct SessionEndTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private var states: AccountStateAdministration {
    AccountStateAdministration(server.administration)
  }

  private var access: AccessAdministration { AccessAdministration(server.administration) }

  private func isSignedIn(_ browser: ConsoleBrowser) async -> Bool { await browser.get("/console/about").status == .ok }

  private func sessions() async throws -> Int {
    try await server.database.integers("SELECT count(*) FROM consoleSession").first ?? -1
  }

  @Test func `disabling or locking an account ends its console sessions for good, and nobody else's`()
    async throws
  {
    let (alice, _) = try await server.signedIn("alice", .administrator)
    let (bob, _) = try await server.signedIn("bob", .auditor)
    let (carol, _) = try await server.signedIn("carol", .auditor)
    try await states.disable("alice", reason: "left", by: TestServer.root)
    try await states.lock("bob", seconds: 60, reason: "lost", by: TestServer.root)
    try await states.enable("alice", by: TestServer.root)
    try await states.enable("bob", by: TestServer.root)
    #expect(await !isSignedIn(alice))
    #expect(await !isSignedIn(bob))
    #expect(await isSignedIn(carol))
  }

  @Test func `a blocked account has no console session, whoever blocked it`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let block = AccountBlock(since: server.now, until: nil, reason: "left", actor: "test")
    #expect(try await server.store.write { try $0.accounts.setBlock(block, of: "alice") })
    #expect(await !isSignedIn(browser))
    #expect(try await sessions() == 0)
  }

  @Test func `a sign-in that was confirmed before the account was disabled cannot be completed afterwards`()
    async throws
  {
    let (browser, _) = try await server.confirmed("alice", .administrator)
    try await states.disable("alice", reason: "left", by: TestServer.root)
    #expect(await browser.post("/console/sign-in/continue", "").status == .forbidden)
    #expect(!browser.hasSession)
    let outcomes = try await server.store.read {
      try $0.audit.rows(AuditFilter(), limit: 100).filter { $0.event.kind == .consoleSignIn }.map(\.event.outcome)
    }
    #expect(outcomes == ["blocked"])
  }

  @Test func `a sign-in is refused if the key that confirmed it has been revoked since`() async throws {
    let (browser, _) = try await server.confirmed("alice", .administrator)
    let keys = KeyAdministration(server.administration)
    #expect(try await keys.revoke(.machine("machine of alice"), by: TestServer.root) == 1)
    server.advance(seconds: 60)
    #expect(await browser.post("/console/sign-in/continue", "").status == .forbidden)
    #expect(!browser.hasSession)
  }

  @Test(
    arguments: [.all(of: "alice"), .machine("machine of alice"), .onMachine("machine of alice", of: "alice")]
      as [KeySelection])
  func `a revocation of an account's keys ends its console sessions, even if the clock was set back`(
    keys: KeySelection
  ) async throws {
    let (alice, _) = try await server.signedIn("alice", .administrator)
    let (bob, _) = try await server.signedIn("bob", .auditor)
    server.advance(seconds: -5)
    #expect(try await KeyAdministration(server.administration).revoke(keys, by: TestServer.root) == 1)
    #expect(await !isSignedIn(alice))
    #expect(await isSignedIn(bob))
  }

  @Test func `a console session stays ended if the account's role is removed and given again`() async throws {
    let (alice, _) = try await server.signedIn("alice", .auditor)
    let (bob, _) = try await server.signedIn("bob", .auditor)
    try await access.removeAdministrator("alice", by: TestServer.root)
    try await access.setAdministrator("bob", role: .administrator, by: TestServer.root)
    for name in ["alice", "bob"] { try await server.make(name, .auditor) }
    #expect(await !isSignedIn(alice))
    #expect(await !isSignedIn(bob))
  }

  @Test func `a console session continues at an instance whose clock is behind`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    server.advance(seconds: -2)
    #expect(await isSignedIn(browser))
  }

  @Test func `using a console session keeps its waiting step, and never moves its last use back in time`() async throws
  {
    let step = ConsoleSession.WaitingStep(id: [1], text: "text", action: "[]", code: "code")
    let found = try await server.store.write { records -> [ConsoleSession?] in
      let session = ConsoleSession(
        tokenHash: [7], username: "alice", role: "auditor", startedAt: 100, lastUsedAt: 100)
      try records.consoleSessions.add(session, now: 100)
      try records.consoleSessions.setStep(step, tokenHash: [7])
      try records.consoleSessions.use(tokenHash: [7], at: 140)
      try records.consoleSessions.use(tokenHash: [7], at: 130)
      let waiting = try records.consoleSessions.session(tokenHash: [7])
      try records.consoleSessions.setStep(nil, tokenHash: [7])
      return [waiting, try records.consoleSessions.session(tokenHash: [7])]
    }
    #expect(found.map { $0?.lastUsedAt } == [140, 140])
    #expect(found.map { $0?.step } == [step, nil])
  }
}
