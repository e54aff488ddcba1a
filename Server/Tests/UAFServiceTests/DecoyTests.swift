import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// The requests for unknown names: nobody can tell from them who is registered.
@Suite(.onEachStore) struct DecoyTests {
  private static let passcode = "5541#0001"
  private static let pattern = "5541#0002"

  /// Puts an account with keys into the store, as if they had been registered.
  private func add(_ username: String, _ keys: [String], length: Int = 32, to server: TestServer) async throws {
    try await server.store.write { try $0.accounts.add(username, now: 0) }
    try await server.database.addKeys(keys.map { (username, $0) }, length: length)
  }

  private func refresh(_ server: TestServer) async throws {
    try await server.environment.shapes.refresh(server.store, appID: server.identity.appID)
  }

  /// For each set that a request accepts, the models of its keys with the lengths of their KeyIDs.
  private func shape(_ policy: Policy) -> [[String]] {
    policy.accepted.map { set in
      set.flatMap { criteria in
        (criteria.keyIDs ?? []).map { "\(criteria.aaid?.first?.text ?? "-") \($0.bytes.count)" }
      }
    }
  }

  private func keyIDs(_ policy: Policy) -> [KeyID] {
    policy.accepted.joined().compactMap(\.keyIDs).flatMap { $0 }
  }

  private func policy(_ server: TestServer, _ username: String) async throws -> Policy {
    try await server.authenticationRequest(username).policy
  }

  /// A store whose accounts have three shapes of keys: one key, keys of two models, and two keys of one model.
  private func mixed() async throws -> TestServer {
    let server = try TestServer()
    for number in 0..<60 { try await add("one\(number)", [Self.passcode], to: server) }
    for number in 0..<30 { try await add("two\(number)", [Self.passcode, Self.pattern], to: server) }
    for number in 0..<10 { try await add("more\(number)", [Self.passcode, Self.passcode], to: server) }
    try await refresh(server)
    return server
  }

  @Test
  func `made-up keys of unknown names have each combination of models and lengths about as often as real accounts`()
    async throws
  {
    let server = try await mixed()
    var counts: [[[String]]: Int] = [:]
    for number in 0..<1000 { counts[shape(try await policy(server, "nobody\(number)")), default: 0] += 1 }
    for (name, share) in [("one0", 600), ("two0", 300), ("more0", 100)] {
      let own = shape(try await policy(server, name))
      let count = counts.removeValue(forKey: own) ?? 0
      #expect(abs(count - share) < 90, "\(own): \(count)")
    }
    #expect(counts.isEmpty)
  }

  @Test func `a name has the same decoys each time, at each server with the same store`() async throws {
    let server = try await mixed()
    let keeper = try await KeyShapeKeeper(from: server.store)
    #expect(keeper.shapes != nil)
    #expect(keeper.shapes == server.environment.shapes.shapes)
    for number in 0..<50 {
      let first = try await policy(server, "nobody\(number)")
      #expect(try await policy(server, "nobody\(number)") == first)
    }
  }

  @Test func `a decoy of a name stays the same when the name gets a further decoy`() async throws {
    let server = try TestServer()
    let before = try await policy(server, "nobody")
    try await add("alice", [Self.passcode, Self.pattern, Self.pattern], to: server)
    try await refresh(server)
    let after = try await policy(server, "nobody")
    let first = before.accepted.first?.first?.keyIDs ?? []
    #expect(first.count == 1)
    #expect(keyIDs(after).contains(first))
    #expect(shape(after) == [["\(Self.passcode) 32"], ["\(Self.pattern) 32", "\(Self.pattern) 32"]])
  }

  @Test func `decoys have KeyIDs as long as those of the registered authenticators`() async throws {
    let server = try TestServer()
    try await add("alice", [Self.passcode], length: 100, to: server)
    try await refresh(server)
    #expect(shape(try await policy(server, "nobody")) == [["\(Self.passcode) 100"]])
  }

  @Test func `refuses a forged response for a decoy with the same status as one for a real key`() async throws {
    let server = try TestServer()
    try await add("alice", [Self.passcode, Self.passcode], to: server)
    try await refresh(server)
    for name in ["alice", "nobody"] {
      let keyIDs = self.keyIDs(try await policy(server, name))
      #expect(keyIDs.count == 2)
      for keyID in keyIDs where name == "nobody" {
        let thief = try FakeAuthenticator(keyID: keyID)
        let response = try await thief.authenticate(server.authenticationRequest(name), counter: 1)
        #expect(try await server.respond(response).0 == .invalidSignature)
      }
    }
  }

  @Test func `small changes among many accounts change no decoys, and a new shape of keys does`() async throws {
    let server = try await mixed()
    let before = server.environment.shapes.shapes
    for number in 0..<9 { try await add("late\(number)", [Self.passcode, Self.pattern], to: server) }
    try await refresh(server)
    #expect(server.environment.shapes.shapes == before)
    for number in 0..<60 { try await add("later\(number)", [Self.passcode, Self.pattern], to: server) }
    try await refresh(server)
    let changed = server.environment.shapes.shapes
    #expect(changed != before)
    try await add("rare", [Self.pattern], to: server)
    try await refresh(server)
    #expect(server.environment.shapes.shapes != changed)
  }

  @Test func `the request for an account with too few keys looks like one for an account with enough`() async throws {
    let both = AcceptedSets(checked: [[try AAID(Self.passcode), try AAID(Self.pattern)]])
    let server = try TestServer(policies: AccountPolicies(everybody: both))
    try await add("alice", [Self.passcode, Self.pattern, Self.pattern], to: server)
    try await add("bob", [Self.passcode], to: server)
    try await refresh(server)
    let shapes = try await [policy(server, "alice"), policy(server, "bob"), policy(server, "nobody")].map(shape)
    #expect(Set(shapes).count == 1)
    // bob's own key is one of those that his request names.
    let own = try await server.store.read { records in
      try records.credentials.keys(of: "bob", appID: server.identity.appID).map(\.keyID)
    }
    #expect(keyIDs(try await policy(server, "bob")).contains(own))
  }

  @Test
  func `a request for an account with many keys of one model, but none of a required other, looks like any other`()
    async throws
  {
    let both = AcceptedSets(checked: [[try AAID(Self.passcode), try AAID(Self.pattern)]])
    let server = try TestServer(policies: AccountPolicies(everybody: both))
    try await add("alice", [Self.passcode, Self.pattern], to: server)
    try await add("bob", [Self.passcode, Self.passcode, Self.passcode], to: server)
    try await refresh(server)
    let shapes = try await [policy(server, "alice"), policy(server, "bob"), policy(server, "nobody")].map(shape)
    #expect(Set(shapes).count == 1)
  }

  @Test func `for the shapes of decoys a part of a large store is read, which contains every shape that is not rare`()
    async throws
  {
    let server = try TestServer()
    try await server.database.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
      INSERT INTO account (username, createdAt) SELECT 'a' || i, 0 FROM n
      """)
    try await server.database.addKeys((1...6000).map { ("a\($0)", Self.passcode) })
    try await server.database.addKeys((1...6000).filter { $0 * 7919 % 100 < 30 }.map { ("a\($0)", Self.pattern) })
    try await refresh(server)
    let entries = server.environment.shapes.shapes?.entries ?? []
    let total = entries.reduce(0) { $0 + $1.count }
    #expect(entries.count == 2)
    #expect((1000...2048).contains(total))
    #expect(abs(Double(entries.last?.count ?? 0) / Double(total) - 0.3) < 0.05)
  }

  @Test func `shapes of decoys are drawn according to their frequency, and only those that match the condition`() {
    let (one, two) = (KeyShape([("a", 32)]), KeyShape([("a", 32), ("b", 32)]))
    let shapes = KeyShapes([two, one, one, one])
    let places = (0..<4).map { UInt64($0) << 62 }
    #expect(places.map { shapes.shape(at: $0) { _ in true } } == [one, one, one, two])
    #expect(places.map { shapes.shape(at: $0) { $0 == two } } == [two, two, two, two])
    #expect(shapes.shape(at: .max) { _ in true } == two)
    #expect(shapes.shape(at: 0) { _ in false } == nil)
    #expect(KeyShapes([]).shape(at: .max) { _ in true } == nil)
  }
}
