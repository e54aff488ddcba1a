import Testing

@testable import ServerTesting
@testable import UAFService

/// Profiles and groups of people, on each store.
@Suite(.onEachStore) struct ProfileStoreTests {
  private let server: TestServer

  init() throws { server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2)) }

  private func set(_ profiles: [String: AccountProfile]) async throws {
    try await server.store.write { records in
      try records.accounts.add(profiles.keys.sorted(), now: 1)
      try records.profiles.set(profiles, now: 1)
    }
  }

  private func profile(_ name: String) async throws -> AccountProfile? {
    try await server.store.read { try $0.accounts.summary(of: name, now: 1) }?.profile
  }

  @Test func `the store keeps each field of a profile, and gives them with the account`() async throws {
    let profile = AccountProfile(
      displayName: "김미나", mail: "mina@example.org", department: "연구소", externalID: "E-1", groups: ["가", "나"])
    try await set(["mina": profile, "jun": AccountProfile()])
    #expect(try await self.profile("mina") == profile)
    #expect(try await self.profile("jun") == AccountProfile())
    let page = try await server.store.read { try $0.accounts.page(AccountQuery(limit: 9), now: 1) }
    #expect(page.map(\.profile) == [AccountProfile(), profile])
    let found = try await server.store.read { try $0.profiles.profiles(of: ["mina", "nobody"]) }
    #expect(found == ["mina": profile])
  }

  @Test func `two accounts exchange their external IDs in one transaction`() async throws {
    try await set(["a": AccountProfile(externalID: "1"), "b": AccountProfile(externalID: "2")])
    try await set(["a": AccountProfile(externalID: "2"), "b": AccountProfile(externalID: "1")])
    #expect(
      try await server.store.read { try $0.profiles.owners(ofExternalIDs: ["1", "2", "3"]) } == ["1": "b", "2": "a"])
  }

  @Test func `the store refuses the same external ID for two accounts`() async throws {
    try await set(["a": AccountProfile(externalID: "1")])
    let error = await #expect(throws: (any Error).self) { try await set(["b": AccountProfile(externalID: "1")]) }
    #expect(error is any StoreFailure)
    #expect(try await profile("b") == nil)
  }

  @Test func `groups are made when somebody is in them, have one spelling, and stay when they are empty`() async throws
  {
    try await set(["a": AccountProfile(groups: ["Labs", "연구소"]), "b": AccountProfile(groups: ["LABS"])])
    let groups = try await server.store.read { try $0.personGroups.page(after: "", limit: 9) }
    #expect(groups.map(\.name) == ["Labs", "연구소"] && groups.map(\.members) == [2, 1])
    #expect(try await profile("b")?.groups == ["Labs"])
    try await set(["a": AccountProfile(groups: ["연구소"])])
    try await server.store.write { _ = try $0.accounts.remove("b") }
    let later = try await server.store.read { try $0.personGroups.page(after: "", limit: 9) }
    #expect(later.map(\.id) == groups.map(\.id) && later.map(\.members) == [0, 1])
    #expect(try await server.store.read { try $0.personGroups.page(after: "labs", limit: 9) }.map(\.name) == ["연구소"])
  }

  @Test func `the members of a group are listed in the order of their names, page by page`() async throws {
    try await set(["c": AccountProfile(groups: ["g"]), "a": AccountProfile(groups: ["g", "h"]), "b": AccountProfile()])
    try await set(["d": AccountProfile(groups: ["g"])])
    let group = try await server.store.read { try $0.personGroups.group(named: "G") }
    var query = AccountQuery(limit: 2)
    query.memberOf = try #require(group).id
    let first = try await server.store.read { [query] in try $0.accounts.page(query, now: 1) }
    query.after = "c"
    let second = try await server.store.read { [query] in try $0.accounts.page(query, now: 1) }
    #expect(first.map(\.username) == ["a", "c"] && second.map(\.username) == ["d"])
    #expect(first.first?.profile.groups == ["g", "h"])
    query.idleSince = 5
    let name = try await server.store.read { [query] in try $0.accounts.name(at: 1, of: query, now: 1) }
    #expect(name == "d")
  }

  @Test func `a group that is renamed keeps its members, and one that is removed leaves its members' accounts`()
    async throws
  {
    try await set(["a": AccountProfile(displayName: "A", groups: ["g", "h"])])
    try await server.store.write { records in
      let ids = try ["g", "h"].compactMap { try records.personGroups.group(named: $0)?.id }
      try records.personGroups.rename(ids[0], to: "새 그룹")
      try records.personGroups.remove(ids[1])
    }
    #expect(try await profile("a") == AccountProfile(displayName: "A", groups: ["새 그룹"]))
    #expect(try await server.store.read { try $0.personGroups.count() } == 1)
  }
}
