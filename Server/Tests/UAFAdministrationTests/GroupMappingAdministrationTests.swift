import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Mappings of groups of people: who makes them, what they need, and who decides about the members.
@Suite(.onEachStore) struct GroupMappingAdministrationTests {
  private let server: TestServer
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
  private static let policy = """
    {"accepted": [["passcode"]], "groups": {
      "two": {"accounts": ["named"], "accepted": [["passcode", "pattern"]]},
      "privileged": {"accounts": ["boss"], "accepted": [["passcode"]]}}}
    """

  /// Staff has mina, who has a passcode alone, and jun, who has both.
  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    try await server.store.write { records in
      try records.settings.set(.publicURL, to: TestServer.publicURL)
      try records.accounts.add(["mina", "jun", "named"], now: 0)
      let groups = AccountProfile(groups: ["Staff"])
      try records.profiles.set(["mina": groups, "jun": groups], now: 0)
    }
    try await server.database.addKeys([("mina", "5541#0001"), ("jun", "5541#0001"), ("jun", "5541#0002")])
    _ = try await PolicyAdministration(environment).save(
      Self.policy, reason: "r", after: 0, lockingOut: 0, by: root)
  }

  private var environment: AdministrationEnvironment { .of(server) }
  private var mappings: GroupMappingAdministration { GroupMappingAdministration(environment) }
  private var people: PeopleAdministration { PeopleAdministration(environment) }
  private var groups: PersonGroupAdministration { PersonGroupAdministration(environment) }

  /// Maps Staff, which is group 1.
  private func map(_ policy: String = "two", lockingOut: Int = 1, by caller: Caller? = nil) async throws {
    try await mappings.map(1, to: MappingTarget(policyGroup: policy), lockingOut: lockingOut, by: caller ?? root)
  }

  private func policyOf(_ group: Int64) async throws -> String? {
    try await server.store.read { try $0.groupMappings.mapping(of: group)?.policyGroup }
  }

  private func rows() async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 99) }.map(\.event)
      .filter { [.groupMapping, .groupMappingRemoval].contains($0.kind) }
  }

  @Test func `the preview says how many people a group has, and who could no longer log in`() async throws {
    let preview = try await mappings.preview(1, to: MappingTarget(policyGroup: "two"), by: root)
    #expect(preview.members == 2 && preview.policy.changed == 2)
    #expect(preview.policy.lockedOut == 1 && preview.policy.names == ["mina"])
    #expect(try await policyOf(1) == nil)
  }

  @Test func `a mapping is made and removed with rows that name group, policy and who`() async throws {
    let administrator = try await server.signedIn("alice", .administrator)
    try await map(by: administrator.havingSigned)
    #expect(try await policyOf(1) == "two")
    #expect(try await mappings.preview(1, to: nil, by: root).policy.lockedOut == 0)
    try await mappings.unmap(1, lockingOut: 0, by: root)
    #expect(try await mappings.all(by: administrator) == [])
    let rows = try await rows()
    #expect(rows.map(\.kind) == [.groupMapping, .groupMappingRemoval])
    #expect(rows.map(\.actor) == [.administrator("alice"), root.actor].map(\.text))
    #expect(rows.allSatisfy { $0.detail == #"{"id":1,"group":"Staff","policy":"two","members":2}"# })
  }

  @Test func `refuses a mapping and its removal without a signature, even to an administrator's token`() async throws {
    let callers = [
      try await server.signedIn("alice", .administrator), try await server.token("t", .administrator),
    ]
    for caller in callers {
      await #expect(throws: AdministrationRefusal.signatureNeeded) { try await map(by: caller) }
    }
    try await map()
    for caller in callers {
      await #expect(throws: AdministrationRefusal.signatureNeeded) {
        try await mappings.unmap(1, lockingOut: 9, by: caller)
      }
    }
    #expect(try await policyOf(1) == "two")
  }

  @Test(arguments: [Role.auditor, .helpdesk, .operator, .provisioning])
  func `refuses a mapping by a role that must not give roles`(role: Role) async throws {
    let caller = try await server.token("t", role).havingSigned
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccess)) { try await map(by: caller) }
    #expect(try await policyOf(1) == nil)
  }

  @Test func `refuses a mapping to privileged, to a group that the policy lacks, and of a group that does not exist`()
    async throws
  {
    await #expect(throws: AdministrationRefusal.invalid(field: "policy", .notMappable)) { try await map("privileged") }
    await #expect(throws: AdministrationRefusal.invalid(field: "policy", .noPolicyGroup)) { try await map("gone") }
    await #expect(throws: AdministrationRefusal.unknown("group", name: "9")) {
      try await mappings.map(9, to: MappingTarget(policyGroup: "two"), lockingOut: 9, by: root)
    }
    await #expect(throws: AdministrationRefusal.conflict(.groupNotMapped("Staff"))) {
      try await mappings.unmap(1, lockingOut: 9, by: root)
    }
    #expect(try await mappings.policyGroups(by: root) == ["two"])
  }

  @Test func `refuses a mapping that locks out more than the caller allows, and one that was shown for another name`()
    async throws
  {
    let error = await #expect(throws: AdministrationRefusal.self) { try await map(lockingOut: 0) }
    guard case .conflict(.lockOut(let preview))? = error else { throw TestServer.Unexpected() }
    #expect(preview.names == ["mina"])
    await #expect(throws: AdministrationRefusal.conflict(.groupRenamed("Labs"))) {
      try await mappings.map(1, named: "Labs", to: MappingTarget(policyGroup: "two"), lockingOut: 1, by: root)
    }
    #expect(try await policyOf(1) == nil)
    #expect(try await rows().isEmpty)
  }

  @Test func `refuses a mapping while servers use a policy file`() async throws {
    try await server.store.write { try $0.settings.set(.policyFile, to: "yes") }
    await #expect(throws: AdministrationRefusal.conflict(.policyOfFile)) { try await map() }
  }

  @Test func `refuses a policy without a group to which people are mapped, until the mapping is removed`() async throws
  {
    try await map()
    let policies = PolicyAdministration(environment)
    await #expect(throws: AdministrationRefusal.conflict(.mappedPolicyGroup("two"))) {
      try await policies.save(#"{"accepted": [["passcode"]]}"#, reason: "r", after: 1, lockingOut: 9, by: root)
    }
    try await mappings.unmap(1, lockingOut: 0, by: root)
    _ = try await policies.save(#"{"accepted": [["passcode"]]}"#, reason: "r", after: 1, lockingOut: 9, by: root)
  }

  @Test func `the preview of a policy counts people with their mapped groups`() async throws {
    try await map()
    let draft = Self.policy.replacing(#"["passcode", "pattern"]"#, with: #"["pattern"]"#)
    let preview = try await PolicyAdministration(environment).preview(draft, by: root)
    // jun could log in with both, and can with the pattern alone; mina could not log in before.
    #expect(preview.changed == 2 && preview.lockedOut == 0 && preview.lockedOutAlready == 1)
  }

  @Test func `a mapped group keeps its name and its external ID, and gets an ID if it has none`() async throws {
    try await map()
    await #expect(throws: AdministrationRefusal.conflict(.groupIsMapped("Staff"))) {
      try await groups.rename(1, to: "Other", by: root)
    }
    let client = try await server.token("idp", .provisioning)
    let provisioning = GroupProvisioning(environment)
    func change(_ edit: @escaping @Sendable (inout GroupDraft) -> Void) async throws {
      _ = try await provisioning.change("1", by: client) {
        var draft = GroupDraft($0)
        edit(&draft)
        return draft
      }
    }
    await #expect(throws: AdministrationRefusal.conflict(.groupIsMapped("Staff"))) {
      try await change { $0.name = "x" }
    }
    try await change { $0.externalID = "00g1" }
    for other in ["00g2", ""] {
      await #expect(throws: AdministrationRefusal.conflict(.groupIsMapped("Staff"))) {
        try await change { $0.externalID = other }
      }
    }
    #expect(try await mappings.all(by: root).map(\.externalID) == ["00g1"])
  }

  @Test func `a group with the name of a removed mapped group is not mapped, and the removal has a row`() async throws {
    try await map()
    let client = try await server.token("idp", .provisioning)
    try await GroupProvisioning(environment).remove("1", by: client) { _ in }
    let members = Set(
      try await PersonProvisioning(environment).people(.name("mina"), skipping: 0, limit: 1, by: client).records.map(
        \.id))
    _ = try await GroupProvisioning(environment).add(GroupDraft(name: "Staff", members: members), by: client)
    #expect(try await mappings.all(by: root) == [])
    #expect(try await rows().map(\.kind) == [.groupMapping, .groupMappingRemoval])
    #expect(try await rows().last?.actor == "token idp")
  }

  @Test func `provisioning and administrators decide who is in a mapped group, and operators do not`() async throws {
    try await map()
    let desk = try await server.token("desk", .operator)
    let refusal = AdministrationRefusal.notAllowed(.manageAccess)
    await #expect(throws: refusal) { try await people.add(["named"], to: "STAFF", by: desk) }
    await #expect(throws: refusal) { try await people.change("mina", ProfileChange(groups: []), by: desk) }
    await #expect(throws: refusal) { try await groups.remove(1, by: desk) }
    try await people.change("mina", ProfileChange([.department: "x"], groups: ["staff", "Labs"]), by: desk)
    let client = try await server.token("idp", .provisioning)
    _ = try await GroupProvisioning(environment).change("1", by: client) { _ in GroupDraft(name: "Staff") }
    try await people.add(["named"], to: "Staff", by: server.token("a", .administrator))
    #expect(try await server.store.read { try $0.groupMappings.policyMembers(among: nil) } == ["two": ["named"]])
  }

  @Test func `a directory decides who is in a mapped group if an administrator lets it, and not for an operator`()
    async throws
  {
    try await map()
    let source = try #require(DirectorySource("office"))
    try await people.change("mina", ProfileChange([.externalID: "ldap:office:1"]), by: root)
    let step = DirectoryStep(
      action: .change, username: "mina", externalID: "ldap:office:1", change: try ProfileChange(groups: []))
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccess)) {
      try await DirectoryAdministration(environment).carryOut([step], of: source, by: server.token("t", .operator))
    }
    try await DirectoryAdministration(environment).carryOut([step], of: source, by: root)
    #expect(try await mappings.all(by: root).map(\.members) == [1])
  }

  @Test func `refuses a mapping and a membership after which no administrator could sign in`() async throws {
    let administrator = try await server.signedIn("alice", .administrator).havingSigned
    try await server.database.addKeys([("alice", "5541#0001")])
    try await server.store.write { records in
      for key in try records.credentials.records(of: "alice") {
        _ = try records.credentials.vouch(for: key.aaid, key.keyID, of: "alice", by: "test")
      }
    }
    try await people.add(["alice"], to: "Admins", by: root)
    await #expect(throws: AdministrationRefusal.lastAdministrator) {
      try await mappings.map(2, to: MappingTarget(policyGroup: "two"), lockingOut: 9, by: administrator)
    }
    try await people.change("alice", ProfileChange(groups: []), by: root)
    try await mappings.map(2, to: MappingTarget(policyGroup: "two"), lockingOut: 9, by: administrator)
    await #expect(throws: AdministrationRefusal.lastAdministrator) {
      try await people.add(["alice"], to: "Admins", by: administrator)
    }
    // At the server itself, it is allowed, as a policy is.
    try await people.add(["alice"], to: "Admins", by: root)
  }
}
