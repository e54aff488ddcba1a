import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

@Suite(.onEachStore) struct DeregistrationTests {
  let server: TestServer

  init() throws {
    server = try TestServer()
  }

  func keyCount(_ username: String) async throws -> Int {
    try await server.store.read { [appID = server.identity.appID] records in
      try records.credentials.keys(of: username, appID: appID).count
    }
  }

  /// The token of a fresh login that was requested as a proof for a deregistration.
  ///
  /// - Parameter removal: the context of the deregistration that the proof allows.
  func proof(
    for removal: RequestContext, by authenticator: FakeAuthenticator, counter: UInt32
  ) async throws -> String {
    var context = removal
    (context.proof, context.proofFor) = (nil, .deregistration)
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let (refusal, token) = try await server.respond(authenticator.authenticate(request, counter: counter))
    #expect(refusal == nil)
    return try #require(token).value
  }

  func authenticators(_ answer: ReturnUAFRequest) throws -> [DeregisterAuthenticator] {
    guard case .deregistration(let request) = try UAFRequest(parsing: try #require(answer.uafRequest)) else {
      throw TestServer.Unexpected()
    }
    return request.authenticators
  }

  @Test func `a deregistration without a proof is refused, and deletes nothing`() async throws {
    _ = try await server.registered("alice")
    var context = RequestContext(username: "alice")
    context.deregisterAll = true
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    context.proof = "a.b.c"
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    context.proof = nil
    context.codeProof = [UInt8](repeating: 1, count: 32)
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    #expect(try await keyCount("alice") == 1)
  }

  @Test func `a deregistration with a fresh proof deletes keys, and the proof can be used once`() async throws {
    let alice = try await server.registered("alice")
    var context = RequestContext(username: "alice")
    context.deregisterAll = true
    context.proof = try await proof(for: context, by: alice, counter: 1)
    let answer = try await server.get(.deregistration, context)
    #expect(answer.statusCode == .ok)
    #expect(try authenticators(answer) == [.everything])
    #expect(try await keyCount("alice") == 0)
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
  }

  @Test
  func `a deregistration returns a token that names its request, and that this server does not accept as a proof`()
    async throws
  {
    let alice = try await server.registered("alice")
    _ = try await server.registered("alice", deviceID: "other")
    var context = RequestContext(username: "alice")
    context.deregisterAll = true
    context.proof = try await proof(for: context, by: alice, counter: 1)
    let answer = try await server.get(.deregistration, context)
    let token = try #require(answer.additionalTokens.first)
    #expect(answer.additionalTokens.count == 1 && token.type == Token.jwt)
    let claims = try #require(VerdictToken(keys: server.environment.keys).claims(of: token.value))
    #expect(claims.subject == "alice" && claims.operation == .deregistration && claims.use.isEmpty)
    #expect(claims.purpose == ChallengePurpose.removal.word && claims.keyIDs == [alice.keyID.text])
    let order = try SHA256.hash(Array(try #require(answer.uafRequest).utf8))
    #expect(claims.challengeHash == Base64URL.encode(order))
    context.proof = token.value
    context.deviceID = "other"
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    context.deviceID = nil
    context.proof = nil
    #expect(try await server.get(.deregistration, context).additionalTokens.isEmpty)
    #expect(try await keyCount("alice") == 1)
  }

  @Test func `a deregistration with the token of an ordinary login is refused`() async throws {
    let alice = try await server.registered("alice")
    let login = try await server.respond(alice.authenticate(server.authenticationRequest("alice"), counter: 1))
    var context = RequestContext(username: "alice")
    context.deregisterAll = true
    context.proof = login.1?.value
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    #expect(try await keyCount("alice") == 1)
  }

  @Test func `a deregistration with a proof that is a different person's or a minute old is refused`() async throws {
    let alice = try await server.registered("alice")
    let bob = try await server.registered("bob")
    var context = RequestContext(username: "alice")
    context.deregisterAll = true
    var bobs = context
    bobs.username = "bob"
    context.proof = try await proof(for: bobs, by: bob, counter: 1)
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    context.proof = try await proof(for: context, by: alice, counter: 1)
    server.advance(seconds: VerdictToken.lifetime)
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    #expect(try await keyCount("alice") == 1)
  }

  @Test
  func `after a restore, a proof from before it is refused, as it may have been used, and a later one is accepted`()
    async throws
  {
    let alice = try await server.registered("alice")
    var context = RequestContext(username: "alice")
    context.deregisterAll = true
    context.proof = try await proof(for: context, by: alice, counter: 1)
    try await server.store.write { [now = server.now] in try $0.settings.set(.restoredAt, to: String(now)) }
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    #expect(try await keyCount("alice") == 1)
    server.advance(seconds: 1)
    context.proof = try await proof(for: context, by: alice, counter: 2)
    #expect(try await server.get(.deregistration, context).statusCode == .ok)
  }

  @Test func `a deregistration deletes only the keys of that person on that machine`() async throws {
    let first = try await server.registered("alice", deviceID: "one")
    _ = try await server.registered("alice", deviceID: "two")
    _ = try await server.registered("bob", deviceID: "one")
    var context = RequestContext(username: "alice")
    context.deviceID = "one"
    context.deregisterAll = true
    context.proof = try await proof(for: context, by: first, counter: 1)
    #expect(try await server.get(.deregistration, context).statusCode == .ok)
    #expect(try await keyCount("alice") == 1)
    #expect(try await keyCount("bob") == 1)
  }

  @Test func `a deregistration that names keys deletes only these, and leaves others with the same machine id`()
    async throws
  {
    let first = try await server.registered("alice", deviceID: "one")
    let copied = try await server.registered("alice", deviceID: "one")
    let elsewhere = try await server.registered("alice", deviceID: "two")
    var context = RequestContext(username: "alice")
    context.deviceID = "one"
    context.deregisterAll = true
    context.deregisterKeyIDs = [first.keyID, elsewhere.keyID]
    context.proof = try await proof(for: context, by: first, counter: 1)
    #expect(try await server.get(.deregistration, context).statusCode == .ok)
    let request = try await server.authenticationRequest("alice")
    #expect(request.policy.accepted == [[MatchCriteria(aaid: copied.aaid, keyIDs: [copied.keyID, elsewhere.keyID])]])
  }

  @Test func `a deregistration that names no machine deletes no machine's keys`() async throws {
    let alice = try await server.registered("alice", deviceID: "one")
    var context = RequestContext(username: "alice")
    context.deregisterAll = true
    context.proof = try await proof(for: context, by: alice, counter: 1)
    #expect(try await server.get(.deregistration, context).statusCode == .unknownKeyID)
    #expect(try await keyCount("alice") == 1)
  }

  @Test func `a deregistration of one model deletes the model's keys and names them`() async throws {
    let passcode = try await server.registered("alice", model: "5541#0001")
    let pattern = try await server.registered("alice", model: "5541#0002")
    var context = RequestContext(username: "alice")
    context.deregisterAAID = pattern.aaid
    context.proof = try await proof(for: context, by: passcode, counter: 1)
    let answer = try await server.get(.deregistration, context)
    #expect(try authenticators(answer) == [.allKeys(pattern.aaid)])
    let text = try #require(answer.uafRequest)
    #expect(text.contains(pattern.keyID.text))
    #expect(!text.contains(passcode.keyID.text))
    #expect(try await keyCount("alice") == 1)
  }

  @Test func `keys are deleted with an enrolment code, and the person can still register with that code afterwards`()
    async throws
  {
    _ = try await server.registered("alice")
    var context = RequestContext(username: "alice")
    let registration = try await server.enrol("alice")
    // The proof that an account has the code for a registration is not a proof for a removal.
    context.codeProof = registration
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    context.codeProof = try server.holder.removalProof(context)
    #expect(try await server.get(.deregistration, context).statusCode == .ok)
    #expect(try await keyCount("alice") == 0)
    context.codeProof = registration
    #expect(try await server.get(.registration, context).statusCode == .ok)
  }

  @Test func `a proof removes only the keys that the signature named`() async throws {
    let first = try await server.registered("alice", deviceID: "one")
    let second = try await server.registered("alice", deviceID: "one", model: "5541#0002")
    var signed = RequestContext(username: "alice")
    signed.deviceID = "one"
    signed.deregisterAAID = second.aaid
    signed.deregisterKeyIDs = [second.keyID]
    let token = try await proof(for: signed, by: first, counter: 1)
    let others: [(inout RequestContext) -> Void] = [
      { $0.deregisterKeyIDs = [first.keyID] }, { $0.deregisterKeyIDs = [] },
      { $0.deregisterKeyIDs.append(first.keyID) },
      { $0.deregisterAAID = first.aaid }, { $0.deregisterAAID = nil }, { $0.deviceID = "two" }, { $0.deviceID = nil },
    ]
    for change in others {
      var other = signed
      change(&other)
      other.proof = token
      #expect(try await server.get(.deregistration, other).statusCode == .unauthorized)
    }
    #expect(try await keyCount("alice") == 2)
    signed.proof = token
    #expect(try await server.get(.deregistration, signed).statusCode == .ok)
    #expect(try await keyCount("alice") == 1)
  }

  @Test func `a proof that was requested for new keys removes no key`() async throws {
    let alice = try await server.registered("alice")
    var asked = RequestContext(username: "alice")
    asked.proofFor = .registration
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, asked))
    var context = RequestContext(username: "alice")
    context.deregisterAll = true
    context.proof = try await server.respond(alice.authenticate(request, counter: 1)).1?.value
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
    #expect(try await keyCount("alice") == 1)
  }
}
