import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Roles by mappings of groups: who has them, when they end, and who decides about these people.
@Suite(.onEachStore) struct MappedRoleTests {
  private let server: TestServer
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
  private let idp: Caller

  /// Desk, which is group 1, has mina and jun.
  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    try await server.store.write { records in
      try records.accounts.add(["mina", "jun", "han"], now: 0)
      let desk = AccountProfile(groups: ["Desk"])
      try records.profiles.set(["mina": desk, "jun": desk], now: 0)
    }
    idp = try await server.token("idp", .provisioning)
  }

  private var environment: AdministrationEnvironment { .of(server) }
  private var mappings: GroupMappingAdministration { GroupMappingAdministration(environment) }
  private var people: PeopleAdministration { PeopleAdministration(environment) }
  private var access: AccessAdministration { AccessAdministration(environment) }

  private func map(_ group: Int64 = 1, _ role: Role = .helpdesk) async throws {
    try await mappings.map(group, to: MappingTarget(policyGroup: nil, role: role), lockingOut: 0, by: root)
  }

  private func roles() async throws -> [String] {
    try await access.administrators(by: root).map { "\($0.name) \($0.role) \($0.group.map { "\($0)" } ?? "hand")" }
  }

  private func rows() async throws -> [String] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 999) }.map(\.event)
      .filter { [.administratorChange, .administratorRemoval].contains($0.kind) }
      .map { "\($0.kind.rawValue) \($0.account) \($0.actor) \($0.detail)" }
  }

  private func id(_ name: String) async throws -> String {
    let found = try await PersonProvisioning(environment).people(.name(name), skipping: 0, limit: 1, by: idp)
    return try #require(found.records.first?.id)
  }

  private func setActive(_ name: String, _ isActive: Bool) async throws {
    _ = try await PersonProvisioning(environment).change(id(name), by: idp) {
      var draft = PersonDraft($0)
      draft.isActive = isActive
      return draft
    }
  }

  /// Has the provisioning program give group 1 these members.
  private func setMembers(_ names: [String]) async throws {
    var ids: Set<String> = []
    for name in names { ids.insert(try await id(name)) }
    _ = try await GroupProvisioning(environment).change("1", by: idp) { [ids] in
      GroupDraft(name: $0.name, members: ids)
    }
  }

  /// Opens a session of the console, and returns whether it exists.
  private func openSession(of name: String) async throws {
    try await server.store.write { [now = server.now] records in
      let session = ConsoleSession(
        tokenHash: Array(name.utf8), username: name, role: "helpdesk", startedAt: now, lastUsedAt: now)
      try records.consoleSessions.add(session, now: now)
    }
  }

  private func hasSession(_ name: String) async throws -> Bool {
    try await server.store.read { try $0.consoleSessions.session(tokenHash: Array(name.utf8)) } != nil
  }

  @Test func `members have the mapped role, and lose it with their sessions when they leave the group`() async throws {
    try await map()
    #expect(try await roles() == ["jun helpdesk 1", "mina helpdesk 1"])
    try await openSession(of: "mina")
    try await openSession(of: "jun")
    try await setMembers(["jun", "han"])
    #expect(try await roles() == ["han helpdesk 1", "jun helpdesk 1"])
    #expect(try await [hasSession("mina"), hasSession("jun")] == [false, true])
    let detail = #"{"role":"helpdesk","group":1}"#
    #expect(
      try await rows() == [
        "administrator-change jun command-line uid 0 \(detail)",
        "administrator-change mina command-line uid 0 \(detail)",
        "administrator-change han token idp \(detail)", "administrator-removal mina token idp \(detail)",
      ])
  }

  @Test func `a disabled account loses the role with its sessions, and has it again when it is enabled`() async throws {
    try await map()
    try await openSession(of: "mina")
    try await setActive("mina", false)
    #expect(try await roles() == ["jun helpdesk 1"])
    #expect(try await !hasSession("mina"))
    try await setActive("mina", true)
    #expect(try await roles() == ["jun helpdesk 1", "mina helpdesk 1"])
    try await AccountStateAdministration(environment).disable("jun", reason: "left", by: root)
    try await setActive("mina", false)
    #expect(try await roles() == [])
    try await setMembers(["jun", "mina", "han"])
    #expect(try await roles() == ["han helpdesk 1"])
  }

  @Test func `a role ends with the mapping, with the group, and with the account`() async throws {
    try await map()
    try await PersonProvisioning(environment).remove(id("mina"), by: idp) { _ in }
    #expect(try await roles() == ["jun helpdesk 1"])
    try await mappings.unmap(1, lockingOut: 0, by: root)
    #expect(try await roles() == [])
    try await map(1, .operator)
    #expect(try await roles() == ["jun operator 1"])
    try await GroupProvisioning(environment).remove("1", by: idp) { _ in }
    #expect(try await roles() == [])
    #expect(try await rows().last == #"administrator-removal jun token idp {"role":"operator","group":1}"#)
  }

  @Test(arguments: [Role.administrator, .provisioning])
  func `refuses a mapping to a role that nobody gets by a group`(role: Role) async throws {
    await #expect(throws: AdministrationRefusal.invalid(field: "role", .noMappedRole)) { try await map(1, role) }
    await #expect(throws: AdministrationRefusal.conflict(.nothingMapped)) {
      try await mappings.map(1, to: MappingTarget(policyGroup: nil), lockingOut: 0, by: root)
    }
    #expect(try await roles() == [] && MappingTarget.roles == [.auditor, .helpdesk, .operator])
  }

  @Test func `a role that was given by hand comes first, and the group's role follows when it is taken`() async throws {
    try await access.setAdministrator("mina", role: .administrator, by: root)
    try await map()
    #expect(try await roles() == ["jun helpdesk 1", "mina administrator hand"])
    try await access.setAdministrator("jun", role: .auditor, by: root)
    #expect(try await roles() == ["jun auditor hand", "mina administrator hand"])
    try await access.removeAdministrator("jun", by: root)
    #expect(try await roles() == ["jun helpdesk 1", "mina administrator hand"])
    try await setMembers(["mina"])
    #expect(try await roles() == ["mina administrator hand"])
  }

  @Test func `somebody with several mapped groups has the role that allows least, whatever the order`() async throws {
    try await people.add(["mina"], to: "Operators", by: root)
    try await people.add(["mina"], to: "Auditors", by: root)
    try await map(3, .auditor)
    try await map(2, .operator)
    try await map(1, .helpdesk)
    #expect(try await roles() == ["jun helpdesk 1", "mina auditor 3"])
    try await mappings.unmap(3, lockingOut: 0, by: root)
    #expect(try await roles() == ["jun helpdesk 1", "mina helpdesk 1"])
    try await setMembers(["jun"])
    #expect(try await roles() == ["jun helpdesk 1", "mina operator 2"])
  }

  @Test func `refuses to take a mapped role by hand, and says from which group it is`() async throws {
    try await map()
    await #expect(throws: AdministrationRefusal.conflict(.roleOfGroup("mina", group: "Desk"))) {
      try await access.removeAdministrator("mina", force: true, by: root)
    }
    #expect(try await roles().count == 2)
  }

  @Test func `provisioning manages people with a mapped role, and refuses those with one by hand`() async throws {
    try await map()
    try await access.setAdministrator("han", role: .auditor, by: root)
    try await setActive("mina", false)
    let refusal = AdministrationRefusal.privileged(account: "han")
    await #expect(throws: refusal) { try await setActive("han", false) }
    await #expect(throws: refusal) { try await setMembers(["jun", "han"]) }
    await #expect(throws: refusal) {
      try await PersonProvisioning(environment).remove(id("han"), by: idp) { _ in }
    }
    try await PersonProvisioning(environment).remove(id("mina"), by: idp) { _ in }
    #expect(try await roles() == ["han auditor hand", "jun helpdesk 1"])
  }

  @Test func `an operator changes nobody whose group is mapped to a role, not even while the account is disabled`()
    async throws
  {
    try await map()
    try await setActive("mina", false)
    let caller = try await server.token("t", .operator)
    let states = AccountStateAdministration(environment)
    for name in ["mina", "jun"] {
      let refusal = AdministrationRefusal.privileged(account: name)
      await #expect(throws: refusal) { try await states.enable(name, by: caller) }
      await #expect(throws: refusal) { try await people.change(name, ProfileChange(groups: []), by: caller) }
      await #expect(throws: refusal) { try await AccountAdministration(environment).delete(name, by: caller) }
    }
    let desk = try await server.token("d", .helpdesk)
    await #expect(throws: AdministrationRefusal.privileged(account: "jun")) {
      try await EnrolmentAdministration(environment).issue(for: "jun", lifetime: 900, by: desk)
    }
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccess)) {
      try await people.add(["han"], to: "Desk", by: caller)
    }
    #expect(try await roles() == ["jun helpdesk 1"])
  }

  @Test func `an open code that the helpdesk has issued is closed when its person gets the role`() async throws {
    let desk = try await server.token("d", .helpdesk)
    _ = try await EnrolmentAdministration(environment).issue(for: "jun", lifetime: 900, by: desk)
    try await map()
    let summary = try await server.store.read { [now = server.now] in try $0.accounts.summary(of: "jun", now: now) }
    #expect(summary?.hasOpenCode == false)
  }

  @Test func `people with a mapped role are no administrators, so the last administrator stays`() async throws {
    let alice = try await server.signedIn("alice", .administrator)
    try await server.database.addKeys([("alice", "5541#0001"), ("mina", "5541#0001")])
    try await server.store.write { records in
      for key in try ["alice", "mina"].flatMap({ try records.credentials.records(of: $0) }) {
        _ = try records.credentials.vouch(for: key.aaid, key.keyID, of: key.username, by: "test")
      }
    }
    try await map(1, .operator)
    await #expect(throws: AdministrationRefusal.conflict(.lastAdministrator("alice"))) {
      try await access.removeAdministrator("alice", by: alice)
    }
    #expect(try await roles().contains("alice administrator hand"))
  }

  @Test func `a directory disables somebody with a mapped role, and refuses somebody with one by hand`() async throws {
    try await map()
    let source = try #require(DirectorySource("office"))
    func disable(_ name: String) async throws {
      try await people.change(name, ProfileChange([.externalID: "ldap:office:\(name)"]), by: root)
      let step = DirectoryStep(
        action: .disable, username: name, externalID: "ldap:office:\(name)", change: try ProfileChange())
      try await DirectoryAdministration(environment).carryOut([step], of: source, by: root)
    }
    try await disable("mina")
    #expect(try await roles() == ["jun helpdesk 1"])
    try await access.setAdministrator("han", role: .auditor, by: root)
    await #expect(throws: AdministrationRefusal.conflict(.isAdministrator("han"))) { try await disable("han") }
  }

  @Test func `refuses a member with whom too many people would have a role by groups, and changes nothing`()
    async throws
  {
    try await map()
    try await server.store.write { records in
      for number in 3...MappedRoles.mostPeople {
        try records.administrators.set(
          StoredAdministrator(name: "p\(number)", role: "helpdesk", addedBy: "", addedAt: 0, group: 1))
      }
    }
    await #expect(throws: AdministrationRefusal.conflict(.tooManyMappedRoles(MappedRoles.mostPeople))) {
      try await setMembers(["mina", "jun", "han"])
    }
    try await setMembers(["mina", "han"])
    #expect(try await mappings.all(by: root).map(\.members) == [2])
  }

  @Test func `a mapping to both a policy and a role has one row with both`() async throws {
    _ = try await PolicyAdministration(environment).save(
      #"{"groups": {"two": {"accounts": ["x"], "accepted": [["passcode", "pattern"]]}}}"#, reason: "r", after: 0,
      lockingOut: 0, by: root)
    try await mappings.map(1, to: MappingTarget(policyGroup: "two", role: .auditor), lockingOut: 0, by: root)
    let row = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .groupMapping), limit: 9) }.map(\.event)
    #expect(row.map(\.detail) == [#"{"id":1,"group":"Desk","policy":"two","role":"auditor","members":2}"#])
    #expect(try await roles() == ["jun auditor 1", "mina auditor 1"])
    try await map(1, .helpdesk)
    #expect(try await server.store.read { try $0.groupMappings.policyMembers(among: nil) } == [:])
    #expect(try await roles() == ["jun helpdesk 1", "mina helpdesk 1"])
  }
}
