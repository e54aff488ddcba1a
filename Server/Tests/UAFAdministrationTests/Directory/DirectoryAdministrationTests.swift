import Testing

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Carrying out the steps of a directory's plan.
@Suite(.onEachStore) struct DirectoryAdministrationTests {
  private let server: TestServer
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
  private let corp: DirectorySource

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    corp = try #require(DirectorySource("corp"))
  }

  private var directory: DirectoryAdministration { DirectoryAdministration(.of(server)) }

  private func step(
    _ action: DirectoryStep.Action, _ name: String, id: String? = nil, _ texts: [ProfileField: String] = [:],
    groups: [String]? = nil
  ) throws -> DirectoryStep {
    DirectoryStep(
      action: action, username: name, externalID: id ?? "ldap:corp:\(name)",
      change: try ProfileChange(texts, groups: groups))
  }

  private func carryOut(_ steps: DirectoryStep..., by caller: Caller? = nil) async throws {
    try await directory.carryOut(steps, of: corp, by: caller ?? root)
  }

  private func block(_ name: String) async throws -> AccountBlock? {
    try await server.store.read { try $0.accounts.block(of: name) }
  }

  private func names() async throws -> [String] {
    try await server.store.read { [server] in try $0.accounts.page(AccountQuery(limit: 99), now: server.now) }
      .map(\.username)
  }

  private func rows() async throws -> [String] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 99) }
      .map { "\($0.event.kind.rawValue) \($0.event.account) \($0.event.actor) \($0.event.detail)" }
  }

  @Test func `the rows about accounts name the directory, and one row says on whose behalf`() async throws {
    try await carryOut(step(.add, "mina", [.displayName: "김미나"], groups: ["연구소"]))
    let profile = try await server.store.read { try $0.profiles.profiles(of: ["mina"]) }["mina"]
    #expect(profile == AccountProfile(displayName: "김미나", externalID: "ldap:corp:mina", groups: ["연구소"]))
    #expect(
      try await rows() == [
        "account-creation mina directory corp ",
        #"account-change mina directory corp {"fields":["displayName","externalID","groups"],"groupsAdded":["연구소"]}"#,
        #"directory-sync  command-line uid 0 {"source":"corp","add":1,"change":0,"enable":0,"disable":0}"#,
      ])
  }

  @Test func `somebody who is gone is disabled without sessions and codes, and is enabled when they come back`()
    async throws
  {
    try await carryOut(step(.add, "mina"))
    try await server.store.write { try $0.enrolments.open([1], for: "mina", expiresAt: .max) }
    try await carryOut(step(.disable, "mina"))
    let block = try await block("mina")
    #expect(block?.actor == "directory corp" && block?.until == nil && block?.reason == "not in the directory")
    let isOpen = try await server.store.read { [server] in
      try $0.enrolments.find(for: "mina", now: server.now) != nil
    }
    #expect(!isOpen)
    #expect(try await rows().contains("enrolment-closure mina directory corp "))
    try await carryOut(step(.enable, "mina"))
    #expect(try await self.block("mina") == nil)
  }

  @Test func `refuses to enable an account that somebody else has disabled`() async throws {
    try await carryOut(step(.add, "mina"), step(.disable, "mina"))
    try await AccountStateAdministration(.of(server)).disable("mina", reason: "stolen", by: root)
    await #expect(throws: AdministrationRefusal.conflict(.directoryOutdated("mina"))) {
      try await carryOut(step(.enable, "mina"))
    }
    #expect(try await block("mina")?.reason == "stolen")
  }

  @Test func `a lock of an administrator stands again when somebody who was gone comes back`() async throws {
    try await carryOut(step(.add, "mina"))
    try await AccountStateAdministration(.of(server)).lock("mina", seconds: 3600, reason: "lost", by: root)
    let lock = try await block("mina")
    try await carryOut(step(.disable, "mina"))
    #expect(try await block("mina")?.actor == "directory corp")
    try await carryOut(step(.enable, "mina"))
    #expect(try await block("mina") == lock)
    #expect(try await rows().contains(#"account-enabled mina directory corp {"lockedUntil":\#(lock?.until ?? 0)}"#))
  }

  @Test(arguments: [DirectoryStep.Action.change, .enable, .disable])
  func `refuses a step for somebody with a role, even for root`(action: DirectoryStep.Action) async throws {
    try await carryOut(step(.add, "boss"))
    if action == .enable { try await carryOut(step(.disable, "boss")) }
    try await server.store.write {
      try $0.administrators.set(StoredAdministrator(name: "boss", role: "auditor", addedBy: "test", addedAt: 1))
    }
    let before = try await block("boss")
    await #expect(throws: AdministrationRefusal.conflict(.isAdministrator("boss"))) {
      try await carryOut(step(action, "boss", action == .change ? [.displayName: "Boss"] : [:]))
    }
    #expect(try await block("boss") == before)
  }

  @Test func `refuses to add an account for a role that is there without one`() async throws {
    // As an import of a file may leave it.
    try await server.store.write {
      try $0.administrators.set(StoredAdministrator(name: "boss", role: "administrator", addedBy: "test", addedAt: 1))
    }
    await #expect(throws: AdministrationRefusal.conflict(.isAdministrator("boss"))) {
      try await carryOut(step(.add, "boss"))
    }
    #expect(try await !server.store.read { try $0.accounts.exists("boss") })
  }

  @Test func `refuses a step for a privileged account, unless the caller may change such accounts`() async throws {
    let environment = AdministrationEnvironment.of(server, group: { $0 == "vip" ? AccountGroup.privileged : nil })
    let directory = DirectoryAdministration(environment)
    try await directory.carryOut([step(.add, "vip")], of: corp, by: root)
    let operatorToken = try await server.token("sync", .operator)
    await #expect(throws: AdministrationRefusal.privileged(account: "vip")) {
      try await directory.carryOut([step(.disable, "vip")], of: corp, by: operatorToken)
    }
    #expect(try await block("vip") == nil)
    try await directory.carryOut([step(.disable, "vip")], of: corp, by: root)
    #expect(try await block("vip") != nil)
  }

  @Test(arguments: [DirectoryStep.Action.change, .enable, .disable])
  func `refuses a step for an account that was not made for that entry`(action: DirectoryStep.Action) async throws {
    try await server.store.write { [server] in try $0.accounts.add("hand", now: server.now) }
    await #expect(throws: AdministrationRefusal.conflict(.directoryOutdated("hand"))) {
      try await carryOut(step(action, "hand"))
    }
    #expect(try await rows() == [])
  }

  @Test func `refuses to add an account that exists, and carries out none of the steps`() async throws {
    try await server.store.write { [server] in try $0.accounts.add("hand", now: server.now) }
    await #expect(throws: AdministrationRefusal.conflict(.directoryOutdated("hand"))) {
      try await carryOut(step(.add, "mina"), step(.add, "hand"))
    }
    #expect(try await names() == ["hand"])
    #expect(try await rows() == [])
  }

  @Test(arguments: [
    "mina", "ldap:corp:", "ldap:corp2:mina", "ldap:corp:미나", "ldap:corp:a b",
    "ldap:corp:" + String(repeating: "a", count: 119),
  ])
  func `refuses an external ID that is not one of the directory`(id: String) async throws {
    await #expect(throws: AdministrationRefusal.invalid(field: "externalID", .notOfDirectory("corp"))) {
      try await carryOut(step(.add, "mina", id: id))
    }
    #expect(try await names() == [])
  }

  @Test func `refuses a step that takes the external ID of somebody else`() async throws {
    try await carryOut(step(.add, "mina"))
    await #expect(throws: AdministrationRefusal.conflict(.externalIDTaken("ldap:corp:mina", by: "mina"))) {
      try await carryOut(step(.add, "jun", id: "ldap:corp:mina"))
    }
  }

  @Test(arguments: [Role.auditor, .helpdesk])
  func `refuses a caller who may not change accounts`(role: Role) async throws {
    let caller = try await server.token("t", role)
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccounts)) {
      try await carryOut(step(.add, "mina"), by: caller)
    }
  }

  @Test func `a token's run is in the audit under the token's name`() async throws {
    let caller = try await server.token("sync", .operator)
    try await carryOut(step(.add, "mina"), by: caller)
    #expect(try await rows().last?.hasPrefix("directory-sync  token sync ") == true)
  }

  @Test func `refuses no steps, and more than fit into one transaction`() async throws {
    let many = try (0...DirectoryAdministration.together).map { try step(.add, "p\($0)") }
    for steps in [[], many] {
      await #expect(throws: AdministrationRefusal.invalid(field: "steps", .outOfRange(1...200, nil))) {
        try await directory.carryOut(steps, of: corp, by: root)
      }
    }
    try await directory.carryOut(Array(many.dropLast()), of: corp, by: root)
    #expect(try await names().count == 99)
  }

  @Test func `the directory as an actor survives the audit's form`() {
    #expect(AuditActor(text: corp.actor.text) == .directory("corp"))
    #expect(AuditActor(text: "directory a b") == nil)
  }
}
