import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// A caller who loses a role, session or token while the request waits.
@Suite(.onEachStore) struct CallerStandingTests {
  /// What the caller loses.
  enum Loss: CaseIterable, Sendable {
    case tokenRevoked, tokenEnded, makerRemoved, makerDisabled, roleChanged, roleRemoved, sessionEnded, accountLocked

    var isOfToken: Bool {
      switch self {
      case .tokenRevoked, .tokenEnded, .makerRemoved, .makerDisabled: true
      case .roleChanged, .roleRemoved, .sessionEnded, .accountLocked: false
      }
    }

    func happen(in records: any StoreTransaction, now: Int64) throws {
      let block = AccountBlock(since: now, until: nil, reason: "left", actor: "test")
      switch self {
      case .tokenRevoked: _ = try records.accessTokens.revoke("t", now: now)
      case .tokenEnded: break
      case .makerRemoved: _ = try records.administrators.remove("mina")
      case .makerDisabled: _ = try records.accounts.setBlock(block, of: "mina")
      case .roleChanged:
        try records.administrators.set(StoredAdministrator(name: "mina", role: "auditor", addedBy: "", addedAt: now))
      case .roleRemoved: _ = try records.administrators.remove("mina")
      case .sessionEnded: try records.consoleSessions.removeAll(of: "mina")
      case .accountLocked:
        let lock = AccountBlock(since: now, until: now + 60, reason: "lost", actor: "test")
        _ = try records.accounts.setBlock(lock, of: "mina")
      }
    }
  }

  private let server: TestServer

  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    try await server.enrol("a", by: "token desk", reachesPrivileged: false)
  }

  private static let changes = PermissionTests.operations.filter { operation in
    operation.permission != .read && !["tokens", "administrators"].contains(operation.testDescription)
  }

  private func caller(losing loss: Loss) async throws -> Caller {
    let mina = try await server.signedIn("mina", .administrator)
    return loss.isOfToken ? try await server.token("t", .administrator, by: "administrator mina") : mina
  }

  @Test(arguments: Loss.allCases)
  func `a change that waits for the store is refused if its caller meanwhile loses the role, session or token`(
    loss: Loss
  ) async throws {
    let caller = try await caller(losing: loss)
    let store = WaitingStore(server.store) { [server] _, store in
      if loss == .tokenEnded { server.advance(seconds: Role.administrator.longestToken) }
      let now = server.now
      try await store.write { try loss.happen(in: $0, now: now) }
    }
    for operation in Self.changes {
      await #expect(throws: AdministrationRefusal.notAllowed(operation.permission), "\(operation.testDescription)") {
        try await operation.call(.of(server, store: store), caller)
      }
    }
    #expect(try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 1) }.isEmpty)
  }

  @Test(arguments: [AuditActor.person, .machine, .administrator("nobody"), .token("none")])
  func `a caller whom the store does not know as an administrator or token changes nothing`(actor: AuditActor)
    async throws
  {
    let caller = Caller(actor: actor, role: .administrator, address: "")
    for operation in Self.changes {
      await #expect(throws: AdministrationRefusal.notAllowed(operation.permission)) {
        try await operation.call(.of(server), caller)
      }
    }
  }

  @Test func `an administrator is refused without a session, or with somebody else's session`()
    async throws
  {
    let mina = try await server.signedIn("mina", .administrator)
    let other = try await server.signedIn("olga", .administrator)
    for session in [nil, other.session] {
      let caller = Caller(actor: mina.actor, role: .administrator, address: "", session: session)
      await #expect(throws: AdministrationRefusal.notAllowed(.manageAccounts)) {
        try await AccountAdministration(.of(server)).add("new", by: caller)
      }
    }
    try await AccountAdministration(.of(server)).add("new", by: mina)
  }
}
