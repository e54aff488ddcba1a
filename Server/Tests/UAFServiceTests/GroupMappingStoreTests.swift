import Testing

@testable import ServerTesting
@testable import UAFService

/// The mappings of groups of people, on each store.
@Suite(.onEachStore) struct GroupMappingStoreTests {
  private let server: TestServer

  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    try await set(["mina": ["Staff", "Labs"], "jun": ["Staff"], "han": []])
  }

  private func set(_ groups: [String: [String]]) async throws {
    try await server.store.write { records in
      try records.accounts.add(groups.keys.sorted(), now: 1)
      try records.profiles.set(groups.mapValues { AccountProfile(groups: $0) }, now: 1)
    }
  }

  private func id(_ name: String) async throws -> Int64 {
    try #require(try await server.store.read { try $0.personGroups.group(named: name)?.id })
  }

  private func map(_ name: String, _ policy: String) async throws {
    let id = try await id(name)
    try await server.store.write {
      try $0.groupMappings.set(policy, role: nil, for: id, by: "command-line uid 0", now: 7)
    }
  }

  private func members(among names: [String]? = nil) async throws -> [String: Set<String>] {
    try await server.store.read { try $0.groupMappings.policyMembers(among: names) }
  }

  private func number() async throws -> Int64 { try await server.store.read { try $0.groupMappings.changeNumber() } }

  @Test func `a mapping has the group's name, external ID and members, and is replaced by the next one`() async throws {
    let staff = try await id("staff")
    try await server.store.write { try $0.personGroups.setExternalID("00g1", of: staff) }
    try await map("Staff", "strict")
    try await map("Staff", "office")
    let all = try await server.store.read { try $0.groupMappings.all() }
    #expect(
      all == [
        GroupMapping(
          groupID: staff, group: "Staff", externalID: "00g1", members: 2, policyGroup: "office",
          madeBy: "command-line uid 0", madeAt: 7)
      ])
    #expect(try await server.store.read { try $0.groupMappings.mapping(of: staff) } == all.first)
    #expect(try await server.store.read { try $0.groupMappings.mappings(ofGroupsNamed: ["STAFF", "Labs"]) } == all)
    #expect(try await server.store.read { try $0.personGroups.group(externalID: "00g1")?.id } == staff)
  }

  @Test func `the members of a policy are those of all groups that are mapped to it`() async throws {
    try await set(["alone": ["Guests"], "mina": ["Staff", "Labs"]])
    for (group, policy) in [("Staff", "strict"), ("Labs", "two"), ("Guests", "two")] { try await map(group, policy) }
    #expect(try await members() == ["strict": ["mina", "jun"], "two": ["mina", "alone"]])
    #expect(try await members(among: ["jun", "nobody"]) == ["strict": ["jun"], "two": []])
  }

  @Test func `the store knows the roles of people by the groups that are mapped to one`() async throws {
    let (staff, labs) = (try await id("Staff"), try await id("Labs"))
    try await map("Staff", "strict")
    #expect(try await server.store.read { try $0.groupMappings.roles(of: ["mina", "jun"]) } == [:])
    try await server.store.write { records in
      try records.groupMappings.set(nil, role: "auditor", for: staff, by: "", now: 1)
      try records.groupMappings.set("strict", role: "operator", for: labs, by: "", now: 1)
    }
    let roles = try await server.store.read { try $0.groupMappings.roles(of: ["mina", "jun", "han"]) }
    let auditor = MappedRole(role: "auditor", group: staff)
    #expect(roles == ["jun": [auditor], "mina": [auditor, MappedRole(role: "operator", group: labs)]])
    #expect(try await server.store.read { try $0.groupMappings.peopleWithRoles() } == ["mina", "jun"])
    #expect(try await members() == ["strict": ["mina"]])
  }

  @Test func `the store keeps by which group somebody has a role, until it is given by hand`() async throws {
    for group in [7, nil] as [Int64?] {
      let mina = StoredAdministrator(name: "mina", role: "auditor", addedBy: "a", addedAt: 1, group: group)
      try await server.store.write { try $0.administrators.set(mina) }
      #expect(try await server.store.read { try $0.administrators.all() } == [mina])
      #expect(try await server.store.read { try $0.administrators.administrator("mina") } == mina)
    }
  }

  @Test func `the number changes with each mapping and each member of a mapped group, and with nothing else`()
    async throws
  {
    let labs = try await id("Labs")
    var last = try await number()
    func changes(_ isExpected: Bool, _ what: Comment) async throws {
      let now = try await number()
      #expect((now != last) == isExpected, what)
      last = now
    }
    try await map("Labs", "strict")
    try await changes(true, "mapped")
    try await set(["han": ["Staff"]])
    try await changes(false, "a group that is not mapped")
    try await set(["han": ["Staff", "LABS"]])
    try await changes(true, "joined")
    try await set(["han": ["Staff", "Labs"]])
    try await changes(false, "nothing")
    try await set(["han": []])
    try await changes(true, "left")
    try await server.store.write { try $0.personGroups.rename(labs, to: "Laboratory") }
    try await changes(false, "renamed")
    _ = try await server.store.write { try $0.accounts.remove("jun") }
    try await changes(false, "the account of no member removed")
    _ = try await server.store.write { try $0.accounts.remove("mina") }
    try await changes(true, "the account of a member removed")
    #expect(try await members() == ["strict": []])
    #expect(try await server.store.write { try $0.groupMappings.remove(labs) })
    try await changes(true, "unmapped")
    #expect(try await !server.store.write { try $0.groupMappings.remove(labs) })
    try await changes(false, "not mapped")
  }

  @Test func `a removed group ends its mapping, and a new group of its name is not mapped`() async throws {
    try await map("Labs", "strict")
    let (labs, last) = (try await id("Labs"), try await number())
    try await server.store.write { try $0.personGroups.remove(labs) }
    #expect(try await number() != last)
    #expect(try await server.store.read { try $0.groupMappings.all() } == [])
    try await set(["mina": ["Labs"]])
    #expect(try await id("Labs") != labs)
    #expect(try await members() == [:])
  }

  @Test func `the store refuses the same external ID for two groups, and a mapping of no group`() async throws {
    let (staff, labs) = (try await id("Staff"), try await id("Labs"))
    try await server.store.write { try $0.personGroups.setExternalID("00g1", of: staff) }
    let same = await #expect(throws: (any Error).self) {
      try await server.store.write { try $0.personGroups.setExternalID("00g1", of: labs) }
    }
    #expect(same is any StoreFailure)
    let none = await #expect(throws: (any Error).self) {
      try await server.store.write { try $0.groupMappings.set("strict", role: nil, for: 99, by: "", now: 1) }
    }
    #expect(none is any StoreFailure)
  }
}
