import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Requests for an authentication.
///
/// The server stores nothing about them until one is answered successfully.
@Suite(.onEachStore) struct StatelessRequestTests {
  let server: TestServer

  init() throws {
    server = try TestServer()
  }

  /// How many rows the store has in all tables together.
  private func rows() async throws -> Int {
    var sum = 0
    for table in ["account", "credential", "openRegistration", "usedChallenge", "confirmation", "usedProof", "setting"]
    {
      sum += try await server.database.integers("SELECT count(*) FROM \(table)").reduce(0, +)
    }
    return sum
  }

  private func request(confirming text: String) async throws -> AuthenticationRequest {
    var context = RequestContext(username: "alice")
    context.transaction = text
    return try TestServer.authenticationRequest(in: await server.get(.authentication, context))
  }

  /// The outcome of a response that comes with its text, or without.
  private func answer(_ response: UAFResponse, sendingAgain text: String?) async throws -> ServiceRefusal? {
    try await server.respond(response, username: "alice", sendingAgain: text).0
  }

  @Test func `a thousand requests for an authentication change nothing in the store`() async throws {
    _ = try await server.registered("alice")
    let before = try await (rows(), server.database.changes())
    for number in 0..<500 {
      _ = try await server.authenticationRequest("alice")
      _ = try await server.authenticationRequest("nobody\(number)")
    }
    #expect(try await (rows(), server.database.changes()) == before)
  }

  @Test func `a refused response stores nothing, and its request can still be answered`() async throws {
    let alice = try await server.registered("alice")
    let before = try await rows()
    let request = try await server.authenticationRequest("alice")
    let forged = try alice.authenticate(request, counter: 1, signedBy: FakeAuthenticator())
    #expect(try await server.respond(forged).0 == .invalidSignature)
    #expect(try await rows() == before)
    let response = try alice.authenticate(request, counter: 1)
    #expect(try await server.respond(response).0 == nil)
    #expect(try await server.respond(response).0 == .unknownChallenge)
  }

  @Test func `refuses a second response to an answered request, even with a higher counter`() async throws {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    #expect(try await server.respond(alice.authenticate(request, counter: 1)).0 == nil)
    #expect(try await server.respond(alice.authenticate(request, counter: 2)).0 == .unknownChallenge)
  }

  @Test func `used challenges are removed after their requests have expired, and their responses are still refused`()
    async throws
  {
    let alice = try await server.registered("alice")
    let response = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1)
    #expect(try await server.respond(response).0 == nil)
    // PostgreSQL uses its own clock, and looks for rows that are as old as this one only once an hour.
    server.advance(seconds: 3600)
    try await server.database.execute("UPDATE usedChallenge SET expiresAt = 1")
    // The row is removed at the latest by the second response in a later second: the first may get its outcome earlier.
    for counter in [UInt32(2), 3] {
      server.advance(seconds: 1)
      #expect(
        try await server.respond(alice.authenticate(server.authenticationRequest("alice"), counter: counter)).0 == nil)
    }
    let kept = try await server.database.integers("SELECT count(*) FROM usedChallenge")
    #expect(kept == [2])
    #expect(try await server.respond(response).0 == .expiredChallenge)
  }

  @Test func `the server accepts a text of 2,048 bytes that the client sends with the response, and keeps all of it`()
    async throws
  {
    let alice = try await server.registered("alice")
    let text = "alice@d: " + String(repeating: "x", count: 2039)
    let request = try await request(confirming: text)
    #expect((request.header.serverData?.count ?? 0) < 1536)
    let signed = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    let response = try alice.authenticate(request, counter: 1, confirming: signed)
    #expect(try await answer(response, sendingAgain: text) == nil)
    let shown = try await server.database.texts("SELECT shown FROM confirmation")
    #expect(shown == [text])
  }

  @Test func `refuses a long text that is not sent again with the response, or that is replaced by a different text`()
    async throws
  {
    let alice = try await server.registered("alice")
    let text = "alice@d: " + String(repeating: "x", count: 952)
    let request = try await request(confirming: text)
    let signed = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    let response = try alice.authenticate(request, counter: 1, confirming: signed)
    for other in [nil, String(text.dropLast()), String(text.dropLast()) + "y"] {
      #expect(try await answer(response, sendingAgain: other) == .wrongTransaction)
    }
    #expect(try await answer(response, sendingAgain: text) == nil)
  }

  @Test func `the server takes a text of 960 bytes from its session data, whatever is sent with the response`()
    async throws
  {
    let alice = try await server.registered("alice")
    let text = "alice@d: " + String(repeating: "x", count: 951)
    let request = try await request(confirming: text)
    let signed = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    let response = try alice.authenticate(request, counter: 1, confirming: signed)
    #expect(try await answer(response, sendingAgain: "another") == nil)
    let shown = try await server.database.texts("SELECT shown FROM confirmation")
    #expect(shown == [text])
  }

  @Test func `refuses a made-up key like a real one, even if the shapes of decoys have changed since the request`()
    async throws
  {
    try await server.store.write { try $0.accounts.add("bob", now: 0) }
    try await server.database.addKeys([("bob", "5541#0001"), ("bob", "5541#0001")])
    try await server.environment.shapes.refresh(server.store, appID: server.identity.appID)
    let request = try await server.authenticationRequest("nobody")
    let keyIDs = request.policy.accepted.joined().flatMap { $0.keyIDs ?? [] }
    #expect(keyIDs.count == 2)
    try await server.database.execute("DELETE FROM credential WHERE id IN (SELECT max(id) FROM credential)")
    try await server.environment.shapes.refresh(server.store, appID: server.identity.appID)
    #expect(try await server.authenticationRequest("nobody").policy != request.policy)
    for keyID in keyIDs {
      let forged = try FakeAuthenticator(keyID: keyID).authenticate(request, counter: 1)
      #expect(try await server.respond(forged).0 == .invalidSignature)
    }
    let unknown = try FakeAuthenticator().authenticate(request, counter: 1)
    #expect(try await server.respond(unknown).0 == .unknownKeyID)
  }

  @Test func `refuses a proof that was requested for a different operation`() async throws {
    let alice = try await server.registered("alice")
    var context = RequestContext(username: "alice")
    context.proofFor = .deregistration
    let request = try TestServer.authenticationRequest(in: await server.get(.authentication, context))
    let token = try await server.respond(alice.authenticate(request, counter: 1)).1
    let claims = VerdictToken(keys: server.environment.keys).claims(of: try #require(token).value)
    #expect(claims?.use == [.deregistration])
    context = RequestContext(username: "alice")
    context.proof = try #require(token).value
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }
}
