import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Which authenticators an account is offered and must use: either, both, or by its group.
@Suite(.onEachStore) struct AccountPolicyTests {
  private static func sets(_ sets: [[String]]) throws -> AcceptedSets {
    AcceptedSets(checked: try sets.map { try $0.map { try AAID($0) } })
  }

  private static let passcode = "5541#0001"
  private static let pattern = "5541#0002"
  private static let fingerprint = "5541#0003"
  private static let face = "5541#0004"

  /// The operators (alice, bob and ghost) must use passcode and pattern together; everybody else may use either.
  private func server() throws -> TestServer {
    try TestServer(
      policies: AccountPolicies(
        everybody: Self.sets([[Self.passcode], [Self.pattern]]),
        groups: [
          AccountGroup(
            name: "operators", accounts: ["alice", "bob", "ghost"],
            accepted: try Self.sets([[Self.passcode, Self.pattern]]))
        ]))
  }

  private func aaids(_ policy: Policy) -> [[String]] {
    policy.accepted.map { $0.flatMap { $0.aaid?.map(\.text) ?? [] } }
  }

  private func keyIDs(_ policy: Policy) -> [[KeyID]] { policy.accepted.map { $0.flatMap { $0.keyIDs ?? [] } } }

  /// A registration request that was made with a new code.
  private func registration(
    _ server: TestServer, _ username: String, deviceID: String? = nil
  ) async throws -> RegistrationRequest {
    var context = UAFMessages.RequestContext(username: username)
    context.codeProof = try await server.enrol(username)
    context.deviceID = deviceID
    return try await FakeAuthenticator().registrationRequest(from: server.get(.registration, context))
  }

  /// One response with the assertions of several authenticators.
  private func joined(_ responses: [UAFResponse]) throws -> UAFResponse {
    var registrations: [AuthenticatorRegistrationAssertion] = []
    var authentications: [AuthenticatorSignAssertion] = []
    for response in responses {
      switch response {
      case .registration(let response): registrations += response.assertions
      case .authentication(let response): authentications += response.assertions
      }
    }
    let first = try #require(responses.first)
    return registrations.isEmpty
      ? .authentication(
        AuthenticationResponse(header: first.header, fcParams: first.fcParams, assertions: authentications))
      : .registration(RegistrationResponse(header: first.header, fcParams: first.fcParams, assertions: registrations))
  }

  private func register(
    _ server: TestServer, _ username: String, deviceID: String? = nil, _ authenticators: [FakeAuthenticator]
  ) async throws -> ServiceRefusal? {
    let request = try await registration(server, username, deviceID: deviceID)
    return try await server.respond(joined(authenticators.map { try $0.register(request) })).0
  }

  private func both() throws -> [FakeAuthenticator] {
    [try FakeAuthenticator(aaid: Self.passcode), try FakeAuthenticator(aaid: Self.pattern)]
  }

  @Test func `everybody is offered either authenticator, and a group only both together`() async throws {
    let server = try server()
    #expect(aaids(try await registration(server, "carol").policy) == [[Self.passcode], [Self.pattern]])
    #expect(aaids(try await registration(server, "alice").policy) == [[Self.passcode, Self.pattern]])
  }

  @Test
  func `both authenticators register together in one response, and a login is accepted only with both in one response`()
    async throws
  {
    let server = try server()
    let authenticators = try both()
    #expect(try await register(server, "alice", authenticators) == nil)
    let request = try await server.authenticationRequest("alice")
    #expect(keyIDs(request.policy) == [authenticators.map(\.keyID)])
    let answer = try joined(authenticators.map { try $0.authenticate(request, counter: 1) })
    #expect(try await server.respond(answer).0 == nil)
    for alone in authenticators {
      let request = try await server.authenticationRequest("alice")
      #expect(try await server.respond(alone.authenticate(request, counter: 9)).0 == .notInPolicy)
    }
  }

  @Test func `the refusal of a response with two assertions has the reason of the assertion that failed`() async throws
  {
    let server = try server()
    let authenticators = try both()
    #expect(try await register(server, "alice", authenticators) == nil)
    let first = try await server.authenticationRequest("alice")
    let second = try await server.authenticationRequest("alice")
    let answers = try [first, second].map { request in
      try joined([
        authenticators[0].authenticate(request, counter: 1), authenticators[1].authenticate(request, counter: 1),
      ])
    }
    #expect(try await server.respond(answers[0]).0 == nil)
    // Of two simultaneous logins, the second is told to try again.
    #expect(try await server.respond(answers[1]).0 == .counterNotIncreased)
  }

  @Test func `nothing is registered if a request asked for both authenticators and only one is in the response`()
    async throws
  {
    let server = try server()
    for alone in try both() {
      #expect(try await register(server, "alice", [alone]) == .notInPolicy)
    }
    let count = try await server.store.read { records in
      try records.credentials.keys(of: "alice", appID: server.identity.appID).count
    }
    #expect(count == 0)
  }

  @Test func `if a group needs two authenticators, its members are refused with the one that is enough for others`()
    async throws
  {
    let server = try server()
    let carol = try both()
    #expect(try await register(server, "carol", [carol[0]]) == nil)
    let request = try await server.authenticationRequest("carol")
    #expect(try await server.respond(carol[0].authenticate(request, counter: 1)).0 == nil)
    #expect(try await register(server, "bob", [carol[1]]) == .notInPolicy)
  }

  @Test func `a registration asks for the missing part of a set on this machine, and for the whole set on another one`()
    async throws
  {
    let server = try TestServer()
    _ = try await server.registered("alice", deviceID: "one")
    let strict = AcceptedSets(checked: [[try AAID(Self.passcode), try AAID(Self.pattern)]])
    let keys = try await server.store.read { records in
      try records.credentials.keys(of: "alice", appID: server.identity.appID)
    }
    #expect(keys.map(\.deviceID) == ["one"])
    #expect(strict.registration(besides: keys) == [[MatchCriteria(aaid: try AAID(Self.pattern))]])
    #expect(strict.registration(besides: []).map(\.count) == [2])
    let other = try await registration(server, "alice", deviceID: "two")
    #expect(aaids(other.policy) == [[Self.passcode], [Self.pattern], [Self.fingerprint], [Self.face]])
    #expect(other.policy.disallowed.flatMap { $0.keyIDs ?? [] } == keys.map(\.keyID))
  }

  @Test func `a registration asks for a whole set again if all of it is registered, and names no alternative twice`()
    throws
  {
    let (passcode, pattern) = (try AAID(Self.passcode), try AAID(Self.pattern))
    let keys = try [passcode, pattern].map { aaid in
      StoredKey(
        aaid: aaid, keyID: try KeyID(bytes: [UInt8](repeating: 1, count: 32)), publicKey: [], signatureAlgorithm: 1,
        signCounter: 0, isRevoked: false)
    }
    #expect(AcceptedSets(checked: [[passcode, pattern]]).registration(besides: keys).map(\.count) == [2])
    #expect(
      AcceptedSets(checked: [[passcode, pattern], [pattern]]).registration(besides: [keys[0]])
        == [[MatchCriteria(aaid: pattern)]])
  }

  @Test func `a request for a name without keys, or with too few, looks like one for a name with enough keys`()
    async throws
  {
    let server = try server()
    #expect(try await register(server, "alice", both()) == nil)
    let real = try await server.authenticationRequest("alice").policy
    let ghost = try await server.authenticationRequest("ghost").policy
    #expect(aaids(ghost) == aaids(real) && keyIDs(ghost).joined().map(\.bytes.count) == [32, 32])
    #expect(keyIDs(try await server.authenticationRequest("ghost").policy) == keyIDs(ghost))
    // bob has one of the two keys: his request has this key next to a made-up one.
    let lenient = try TestServer(database: server.database)
    let bob = try await lenient.registered("bob")
    let policy = try await server.authenticationRequest("bob").policy
    #expect(aaids(policy) == aaids(real) && keyIDs(policy)[0][0] == bob.keyID)
    #expect(keyIDs(policy)[0].count == 2)
  }

  @Test func `a signature for a decoy is refused with the same reason as a wrong signature for a real key`()
    async throws
  {
    let server = try server()
    let lenient = try TestServer(database: server.database)
    let bob = try await lenient.registered("bob")
    for name in ["ghost", "bob"] {
      let request = try await server.authenticationRequest(name)
      let named = try #require(keyIDs(request.policy).first?.last)
      let thief = try FakeAuthenticator(aaid: Self.pattern, keyID: named)
      #expect(try await server.respond(thief.authenticate(request, counter: 1)).0 == .invalidSignature)
    }
    let request = try await server.authenticationRequest("bob")
    let thief = try FakeAuthenticator(aaid: Self.pattern, keyID: #require(keyIDs(request.policy).first?.last))
    let answer = try joined([bob.authenticate(request, counter: 1), thief.authenticate(request, counter: 1)])
    #expect(try await server.respond(answer).0 == .invalidSignature)
  }
}
