import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// What a disabled or locked account may still do, on both engines.
@Suite(.onEachStore) struct AccountBlockTests {
  private let server: TestServer
  private let alice: FakeAuthenticator

  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
    alice = try await server.registered("alice")
  }

  private func block(_ username: String = "alice", until: Int64? = nil) async throws {
    let block = AccountBlock(since: server.now, until: until, reason: "left", actor: "test")
    #expect(try await server.store.write { try $0.accounts.setBlock(block, of: username) })
  }

  private func enable() async throws {
    #expect(try await server.store.write { try $0.accounts.setBlock(nil, of: "alice") })
  }

  private func login(counter: UInt32) async throws -> ServiceRefusal? {
    try await server.respond(alice.authenticate(server.authenticationRequest("alice"), counter: counter)).0
  }

  private func registrationRequest(_ context: RequestContext) async throws -> ReturnUAFRequest {
    try await server.get(.registration, context)
  }

  /// A verified response that waits to be stored.
  private func verified(_ authenticator: FakeAuthenticator, _ username: String) async throws -> VerifiedResponse {
    let request = try await server.authenticationRequest(username)
    guard case .authentication(let response) = try authenticator.authenticate(request, counter: 1) else {
      throw TestServer.Unexpected()
    }
    return try await VerifiedResponse.made(of: response, to: request, by: username, at: server)
  }

  /// The token of a login that was requested as a proof for another operation.
  private func proof(for operation: UAFOperation) async throws -> String {
    var context = RequestContext(username: "alice")
    context.proofFor = operation
    if operation == .deregistration { context.deregisterAll = true }
    let body = GetUAFRequest(op: .authentication, context: context.jsonText)
    let request = try await TestServer.authenticationRequest(in: server.get(body))
    return try #require(try await server.respond(alice.authenticate(request, counter: 1)).1).value
  }

  @Test func `a login is refused while the account is disabled, and accepted after the account is enabled again`()
    async throws
  {
    try await block()
    #expect(try await login(counter: 1) == .accountDisabled)
    try await enable()
    #expect(try await login(counter: 1) == nil)
  }

  @Test func `a locked account is refused until its lock ends, and accepted from that second on`() async throws {
    try await block(until: server.now + 60)
    server.advance(seconds: 59)
    #expect(try await login(counter: 1) == .accountLocked)
    server.advance(seconds: 1)
    #expect(try await login(counter: 1) == nil)
  }

  @Test
  func `a response that was verified before the account was blocked is refused at its commit, and stores nothing`()
    async throws
  {
    let verified = try await verified(alice, "alice")
    try await block()
    #expect(try await server.store.refusal(of: verified) == .accountDisabled)
    let isUsed = try await server.store.read { try $0.usedChallenges.contains(verified.challenge) }
    #expect(!isUsed)
    try await enable()
    #expect(try await server.store.refusal(of: verified) == nil)
  }

  @Test func `in a batch of responses only that of the blocked account is refused`() async throws {
    let bob = try await server.registered("bob")
    try await block()
    let answers = try await (verified(alice, "alice"), verified(bob, "bob"))
    async let first = server.store.refusal(of: answers.0)
    async let second = server.store.refusal(of: answers.1)
    #expect(try await first == .accountDisabled)
    #expect(try await second == nil)
  }

  @Test func `a caller without a key is told the same about a blocked account as about any other`() async throws {
    let before = try await server.get(.authentication, RequestContext(username: "alice"))
    try await block()
    let after = try await server.get(.authentication, RequestContext(username: "alice"))
    #expect(after.statusCode == before.statusCode)
    let requests = try [before, after].map { try TestServer.authenticationRequest(in: $0) }
    #expect(requests[0].policy == requests[1].policy)
    let stranger = try FakeAuthenticator(keyID: alice.keyID)
    let refusal = try await server.respond(stranger.authenticate(requests[1], counter: 1)).0
    #expect(refusal == .invalidSignature)
  }

  @Test func `a blocked account confirms no text, and the code for the text stays valid`() async throws {
    let expires = server.now + 100
    let id = try await server.store.write { records in
      try records.approvals.open("Asked of alice by token till: Pay 5", code: "code", for: "alice", expiresAt: expires)
    }
    var context = RequestContext(username: "alice")
    context.authCode = "code"
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let response = try alice.authenticate(request, counter: 1, confirming: "Asked of alice by token till: Pay 5")
    try await block()
    #expect(try await server.respond(response).0 == .accountDisabled)
    let now = server.now
    #expect(try await server.store.read { try $0.approvals.outcome(id: id, now: now) } == .open)
    try await enable()
    #expect(try await server.respond(response).0 == nil)
  }

  @Test func `a blocked account begins no registration with a code or proof, and a wrong code is refused as ever`()
    async throws
  {
    var byProof = RequestContext(username: "alice")
    byProof.proof = try await proof(for: .registration)
    var byCode = RequestContext(username: "alice")
    byCode.codeProof = try await server.enrol("alice")
    var wrong = byCode
    wrong.codeProof = [UInt8](repeating: 1, count: 32)
    try await block()
    #expect(try await registrationRequest(byCode).statusCode == .forbidden)
    #expect(try await registrationRequest(byProof).statusCode == .forbidden)
    #expect(try await registrationRequest(wrong).statusCode == .unauthorized)
  }

  @Test func `a registration that began before the account was blocked is refused, and its code stays valid`()
    async throws
  {
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    let second = try FakeAuthenticator()
    let request = try await second.registrationRequest(from: registrationRequest(context))
    let response = try second.register(request)
    try await block()
    #expect(try await server.respond(response).0 == .accountDisabled)
    try await enable()
    #expect(try await server.respond(response).0 == nil)
  }

  @Test func `a blocked account deletes no key with a proof or a code, and the code is valid again afterwards`()
    async throws
  {
    var byProof = RequestContext(username: "alice")
    byProof.deregisterAll = true
    byProof.proof = try await proof(for: .deregistration)
    var byCode = RequestContext(username: "alice")
    byCode.deregisterAll = true
    try await server.enrol("alice")
    byCode.codeProof = try server.holder.removalProof(byCode)
    try await block()
    #expect(try await server.get(.deregistration, byProof).statusCode == .forbidden)
    #expect(try await server.get(.deregistration, byCode).statusCode == .forbidden)
    #expect(try await server.store.read { try $0.credentials.records(of: "alice") }.count == 1)
    try await enable()
    #expect(try await server.get(.deregistration, byCode).statusCode == .ok)
  }

  @Test func `the store keeps the block of an account with its reason, and lists it`() async throws {
    let block = AccountBlock(since: 3, until: 9, reason: "lost 한", actor: "command-line uid 0")
    try await server.store.write { _ = try $0.accounts.setBlock(block, of: "alice") }
    let second = try server.database.reopened()
    #expect(try await second.store.read { try $0.accounts.block(of: "alice") } == block)
    #expect(try await second.store.read { try $0.accounts.summaries(now: 1) }.map(\.block) == [block])
    try await enable()
    #expect(try await second.store.read { try $0.accounts.block(of: "alice") } == nil)
  }

  @Test func `a key that is stored at the same time as its account is blocked is blocked, too`() async throws {
    try await block(until: server.now + 60)
    server.advance(seconds: 60)
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    let second = try FakeAuthenticator()
    let request = try await second.registrationRequest(from: registrationRequest(context))
    #expect(try await server.respond(second.register(request)).0 == nil)
    let blocks = try await server.database.texts("SELECT DISTINCT blockedUntil FROM credential")
    #expect(blocks == [String(server.now)])
  }

  @Test func `a key that an earlier version stored without its account's block is refused after the next start`()
    async throws
  {
    let verified = try await verified(alice, "alice")
    try await block()
    try await server.database.execute("UPDATE credential SET blockedUntil = NULL")
    try await server.store.write { try $0.accounts.spreadBlocks() }
    #expect(try await server.store.refusal(of: verified) == .accountDisabled)
    try await enable()
    try await server.store.write { try $0.accounts.spreadBlocks() }
    #expect(try await server.database.texts("SELECT DISTINCT blockedUntil FROM credential") == [nil])
  }

  @Test func `a name without an account cannot be disabled or locked`() async throws {
    let block = AccountBlock(since: 1, until: nil, reason: "left", actor: "test")
    #expect(try await !server.store.write { try $0.accounts.setBlock(block, of: "nobody") })
    #expect(try await !server.store.read { try $0.accounts.exists("nobody") })
  }
}
