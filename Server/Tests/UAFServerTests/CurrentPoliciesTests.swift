import Invocation
import Logging
import NIOHTTP1
@testable import ServerTesting
import Testing
import UAFAdministration
import UAFMessages
import WebMessages

@testable import UAFServer
@testable import UAFService

/// Which policy a server uses: the one in its file, or the one saved last.
@Suite(.onEachStore) struct CurrentPoliciesTests {
  private let server: TestServer
  private let policies: CurrentPolicies
  private let follower: PolicyFollower
  private let both = #"{"accepted": [["passcode", "pattern"]]}"#

  init() throws {
    server = try TestServer()
    policies = CurrentPolicies(nil, models: server.environment.models)
    follower = PolicyFollower(
      store: server.store, policies: policies, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func save(_ text: String, number: Int64 = 1) async throws {
    let version = PolicyVersion(number: number, savedAt: 0, actor: "", reason: "", text: text)
    let isSaved = try await server.store.write { try $0.policyVersions.add(version) }
    #expect(isSaved)
  }

  private func accepted(_ policies: CurrentPolicies) throws -> [[String]] {
    try policies.value().accepted(for: "alice").sets.map { $0.map(\.text) }
  }

  @Test func `the server accepts any single authenticator until a policy is saved`() async throws {
    try await follower.prepare()
    #expect(try accepted(policies) == [["5541#0001"], ["5541#0002"], ["5541#0003"], ["5541#0004"]])
  }

  @Test func `the server loads the saved policy before it serves, and each later policy at its next check`()
    async throws
  {
    try await save(both)
    try await follower.prepare()
    #expect(try accepted(policies) == [["5541#0001", "5541#0002"]])
    try await save(#"{"accepted": [["pattern"]]}"#, number: 2)
    await follower.look()
    #expect(try accepted(policies) == [["5541#0002"]])
    #expect(policies.number == 2)
  }

  @Test func `the server does not start with a saved policy that it cannot use`() async throws {
    try await save(#"{"accepted": [["ABCD#0001"]]}"#)
    let error = await #expect(throws: ServerError.self) { try await follower.prepare() }
    #expect(error?.description.hasPrefix("the saved policy 1 cannot be used: accepted[0]: ") == true)
    #expect(error?.exit == .usage)
  }

  @Test func `the server has no policy after an unusable one was saved, until a usable one is saved`()
    async throws
  {
    try await save(both)
    try await follower.prepare()
    try await save(#"{"accepted": [["ABCD#0001"]]}"#, number: 2)
    await follower.look()
    #expect(throws: PolicyProblem.self) { try policies.value() }
    try await save(both, number: 3)
    await follower.look()
    #expect(try accepted(policies) == [["5541#0001", "5541#0002"]])
  }

  private let grouped = #"{"groups": {"two": {"accounts": ["x"], "accepted": [["passcode", "pattern"]]}}}"#

  private func put(_ name: String, into groups: [String], mapping policy: String? = nil) async throws {
    try await server.store.write { records in
      try records.accounts.add([name], now: 1)
      try records.profiles.set([name: AccountProfile(groups: groups)], now: 1)
      guard let policy, let id = try records.personGroups.group(named: groups[0])?.id else { return }
      try records.groupMappings.set(policy, role: nil, for: id, by: "", now: 1)
    }
  }

  @Test
  func `members of a mapped group have its policy when the server starts, and from the next check after they join`()
    async throws
  {
    try await save(grouped)
    try await put("alice", into: ["Staff"], mapping: "two")
    try await follower.prepare()
    #expect(try accepted(policies) == [["5541#0001", "5541#0002"]])
    #expect(try policies.value().group(of: "bob") == nil)
    try await put("bob", into: ["Staff"])
    try await put("alice", into: ["Labs"])
    await follower.look()
    #expect(try policies.value().group(of: "bob") == "two" && policies.value().group(of: "alice") == nil)
    _ = try await server.store.write { try $0.accounts.remove("bob") }
    await follower.look()
    #expect(try policies.value().group(of: "bob") == nil)
  }

  @Test func `a policy and its mapping come into force together`() async throws {
    try await follower.prepare()
    try await save(grouped)
    try await put("alice", into: ["Staff"], mapping: "two")
    await follower.look()
    #expect(try policies.value().group(of: "alice") == "two")
  }

  @Test func `the server does not start with a mapping to a group that its policy does not have`() async throws {
    try await save(both)
    try await put("alice", into: ["Staff"], mapping: "two")
    let error = await #expect(throws: ServerError.self) { try await follower.prepare() }
    #expect(error?.description.contains(#"mapped to its group "two", which it does not have"#) == true)
    let file = CurrentPolicies(
      AccountPolicies(everybody: AcceptedSets(each: server.environment.models)), models: server.environment.models)
    await #expect(throws: ServerError.self) {
      try await PolicyFollower(store: server.store, policies: file, logger: follower.logger).prepare()
    }
  }

  @Test func `the server has no policy while a mapping names a group that the policy does not have`() async throws {
    try await save(both)
    try await follower.prepare()
    try await put("alice", into: ["Staff"], mapping: "two")
    await follower.look()
    #expect(throws: PolicyProblem.self) { try policies.value() }
    try await save(grouped, number: 2)
    await follower.look()
    #expect(try policies.value().group(of: "alice") == "two")
  }

  @Test func `the server refuses requests and is not ready while it has no policy`() async throws {
    policies.fail(server)
    let environment = ServiceEnvironment(
      store: server.store, keys: server.environment.keys, models: server.environment.models,
      policies: policies.value, identity: server.environment.identity, now: server.environment.now,
      random: server.environment.random)
    let watch = StoreWatch(server.store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { 0 })
    await watch.look()
    let ready = HealthRoutes(watch: watch, policies: policies.value).isReady
    #expect(ready.status == .serviceUnavailable)
    #expect(ready.body == Array("policy\n".utf8))
    await #expect(throws: PolicyProblem.self) {
      try await RequestService(environment: environment).request(
        RequestService.Asked(
          GetUAFRequest(op: .authentication, context: RequestContext(username: "alice").jsonText)))
    }
  }

  @Test func `the server uses its policy file, whatever policy was saved`() async throws {
    try await save(both)
    let models = server.environment.models
    let file = try PolicyParser(models: models).policies(Array(#"{"accepted": [["pattern"]]}"#.utf8))
    let ofFile = CurrentPolicies(file, models: models)
    try await PolicyFollower(store: server.store, policies: ofFile, logger: follower.logger).prepare()
    #expect(try accepted(ofFile) == [["5541#0002"]])
    #expect(try await server.store.read { try $0.settings.value(of: .policyFile) } == "yes")
  }
}

extension CurrentPolicies {
  /// Loads a policy that cannot be used.
  fileprivate func fail(_ server: TestServer) {
    let version = PolicyVersion(number: 1, savedAt: 0, actor: "", reason: "", text: "{")
    #expect(throws: PolicyProblem.self) { try replace(by: version) }
  }
}
