import Testing
import UAFMessages
import UAFService

@testable import ServerTesting
@testable import UAFAdministration

@Suite("Accounts' states", .onEachStore) struct AccountStateTests {
  private let server: TestServer
  private let administration: AccountStateAdministration
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "192.0.2.7")

  init() async throws {
    let server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    self.server = server
    administration = AccountStateAdministration(.of(server, host: "uaf1"))
    try await server.enrol("alice")
  }

  private func block() async throws -> AccountBlock? {
    try await server.store.read { try $0.accounts.block(of: "alice") }
  }

  private func rows() async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 10) }.map(\.event)
  }

  @Test("a change of an account's state is recorded with who, when and why, in the account and in the audit")
  func change() async throws {
    try await administration.disable("alice", reason: "left", by: root)
    let now = server.now
    let actor = "command-line uid 0"
    #expect(try await block() == AccountBlock(since: now, until: nil, reason: "left", actor: actor))
    try await administration.enable("alice", by: root)
    try await administration.lock("alice", seconds: 60, reason: "lost", by: root)
    #expect(try await block() == AccountBlock(since: now, until: now + 60, reason: "lost", actor: actor))
    #expect(
      try await rows() == [
        entry(.accountDisabled, #"{"reason":"left"}"#), entry(.enrolmentClosure, ""), entry(.accountEnabled, ""),
        entry(.accountLocked, #"{"reason":"lost","seconds":60}"#),
      ])
  }

  @Test("a disabled account keeps no open code, which could be used as soon as the account is enabled again")
  func openCode() async throws {
    try await administration.lock("alice", seconds: 60, reason: "lost", by: root)
    #expect(try await hasCode())
    try await administration.disable("alice", reason: "left", by: root)
    #expect(try await !hasCode())
    try await administration.enable("alice", by: root)
    try await administration.disable("alice", reason: "left", by: root)
    #expect(try await rows().count { $0.kind == .enrolmentClosure } == 1)
  }

  private func hasCode() async throws -> Bool {
    try await server.store.read { [now = server.now] in try $0.enrolments.find(for: "alice", now: now) != nil }
  }

  private func entry(_ kind: AuditKind, _ detail: String) -> AuditEntry {
    AuditEntry(
      time: server.now, kind: kind, account: "alice", actor: root.actor, address: "192.0.2.7",
      machine: "uaf1", detail: detail)
  }

  @Test("a role that may not manage accounts cannot change an account's state", arguments: [Role.auditor, .helpdesk])
  func notAllowed(role: Role) async throws {
    let caller = Caller(actor: .person, role: role, address: "")
    let refusal = AdministrationRefusal.notAllowed(.manageAccounts)
    await #expect(throws: refusal) { try await administration.disable("alice", reason: "left", by: caller) }
    await #expect(throws: refusal) { try await administration.lock("alice", seconds: 9, reason: "left", by: caller) }
    await #expect(throws: refusal) { try await administration.enable("alice", by: caller) }
    #expect(try await block() == nil)
    #expect(try await rows().isEmpty)
  }

  @Test("a lock is refused for an account that an administrator has disabled")
  func lockOfDisabled() async throws {
    try await administration.disable("alice", reason: "left", by: root)
    await #expect(throws: AdministrationRefusal.self) {
      try await administration.lock("alice", seconds: 1, reason: "lost", by: root)
    }
    #expect(try await block()?.until == nil)
    #expect(try await rows().map(\.kind) == [.accountDisabled, .enrolmentClosure])
  }

  @Test("enabling is refused for an account that is not blocked, or whose lock has ended")
  func enableOfActive() async throws {
    await #expect(throws: AdministrationRefusal.self) { try await administration.enable("alice", by: root) }
    try await administration.lock("alice", seconds: 1, reason: "lost", by: root)
    server.advance(seconds: 1)
    await #expect(throws: AdministrationRefusal.self) { try await administration.enable("alice", by: root) }
  }

  @Test("a refusal names the account that does not exist")
  func unknown() async throws {
    await #expect(throws: AdministrationRefusal.unknown("account", name: "bob")) {
      try await administration.disable("bob", reason: "left", by: root)
    }
  }

  @Test(
    "a reason is refused unless it is one line of visible text",
    arguments: ["", " ", "a\nb", "\u{1B}[2J", "a\u{202E}b"])
  func reason(text: String) async throws {
    await #expect(throws: AdministrationRefusal.self) {
      try await administration.disable("alice", reason: text, by: root)
    }
    #expect(try await block() == nil)
  }

  @Test("a lock is refused unless it ends within a year", arguments: [Int64.min, -1, 0, 31_536_001, .max])
  func times(seconds: Int64) async throws {
    await #expect(throws: AdministrationRefusal.self) {
      try await administration.lock("alice", seconds: seconds, reason: "lost", by: root)
    }
  }

  @Test("no login is stored after its account was disabled, even if both happen at the same time")
  func race() async throws {
    let names = (0..<24).map { "person\($0)" }
    var answers: [VerifiedResponse] = []
    for name in names {
      let authenticator = try await server.registered(name)
      let request = try await server.authenticationRequest(name)
      guard case .authentication(let response) = try authenticator.authenticate(request, counter: 1) else {
        throw TestServer.Unexpected()
      }
      answers.append(try await VerifiedResponse.made(of: response, to: request, by: name, at: server))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for answer in answers {
        group.addTask { _ = try await server.store.refusal(of: answer) }
        group.addTask { try await administration.disable(answer.username, reason: "left", by: root) }
      }
      try await group.waitForAll()
    }
    // The audit's rows are in the order of the commits.
    for name in names {
      let kinds = try await server.store.read { try $0.audit.rows(AuditFilter(account: name), limit: 10) }.map(
        \.event.kind)
      #expect(kinds.last == .accountDisabled && kinds.count <= 3)
    }
    for answer in answers where try await !server.store.read({ try $0.usedChallenges.contains(answer.challenge) }) {
      #expect(try await server.store.refusal(of: answer) == .accountDisabled)
    }
  }
}
