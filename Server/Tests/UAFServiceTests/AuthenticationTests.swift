import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

@Suite(.onEachStore) struct AuthenticationTests {
  let server: TestServer

  init() throws {
    server = try TestServer()
  }

  @Test func `accepts a signature with a registered key, and returns a token that says so`() async throws {
    let authenticator = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    #expect(request.policy.accepted == [[MatchCriteria(aaid: authenticator.aaid, keyIDs: [authenticator.keyID])]])
    let (refusal, token) = try await server.respond(authenticator.authenticate(request, counter: 1))
    #expect(refusal == nil)
    let claims = VerdictToken(keys: server.environment.keys).claims(of: try #require(token).value)
    #expect(claims?.subject == "alice")
    #expect(claims?.operation == .authentication)
    #expect(claims?.use == [] && claims?.purpose == ChallengePurpose.login.word)
    #expect(try claims?.challengeHash == Base64URL.encode(SHA256.hash(request.challenge.bytes)))
    #expect(claims?.issuedAt == server.now)
    #expect(claims?.expiresAt == server.now + 60)
    #expect(claims?.keyIDs == [authenticator.keyID.text] && claims?.textHash == nil && claims?.deviceID == nil)
  }

  @Test func `of fifty copies of a response that are sent at the same time, one is accepted`() async throws {
    let authenticator = try await server.registered("alice")
    let response = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 1)
    let refusals = try await withThrowingTaskGroup(of: ServiceRefusal?.self) { [server] group in
      for _ in 0..<50 { group.addTask { try await server.respond(response).0 } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refusals.filter { $0 == nil }.count == 1)
    #expect(refusals.filter { $0 == .unknownChallenge }.count == 49)
  }

  @Test func `of two responses with the same counter to two requests, one is accepted`() async throws {
    let authenticator = try await server.registered("alice")
    let first = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 7)
    let second = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 7)
    #expect(try await server.respond(first).0 == nil)
    #expect(try await server.respond(second).0 == .counterNotIncreased)
  }

  @Test(arguments: [0, 1, 6, 7] as [UInt32])
  func `refuses a counter that is not higher than the stored one`(counter: UInt32) async throws {
    let authenticator = try await server.registered("alice")
    #expect(
      try await server.respond(authenticator.authenticate(server.authenticationRequest("alice"), counter: 7)).0 == nil)
    let response = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: counter)
    #expect(try await server.respond(response).0 == .counterNotIncreased)
  }

  @Test func `refuses a response whose request has expired`() async throws {
    let authenticator = try await server.registered("alice")
    let response = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 1)
    server.advance(seconds: IssuedRequest.lifetime)
    #expect(try await server.respond(response).0 == .expiredChallenge)
  }

  @Test func `accepts a response in the last second of its request`() async throws {
    let authenticator = try await server.registered("alice")
    let response = try await authenticator.authenticate(server.authenticationRequest("alice"), counter: 1)
    server.advance(seconds: IssuedRequest.lifetime - 1)
    #expect(try await server.respond(response).0 == nil)
  }

  @Test func `refuses the response of one person's key to a different person's request`() async throws {
    let alice = try await server.registered("alice")
    _ = try await server.registered("bob")
    let response = try await alice.authenticate(server.authenticationRequest("bob"), counter: 1)
    #expect(try await server.respond(response).0 == .unknownKeyID)
  }

  @Test func `refuses a response under a name that differs from its request's name`() async throws {
    let alice = try await server.registered("alice")
    let response = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1)
    #expect(try await server.respond(response, username: "bob").0 == .otherUser)
  }

  @Test func `refuses a response for a different operation than its request's`() async throws {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    let header = OperationHeader(
      upv: request.header.upv, op: .registration, appID: request.header.appID, serverData: request.header.serverData)
    let asRegistration = RegistrationRequest(
      header: header, challenge: request.challenge, username: "alice", policy: request.policy)
    #expect(try await server.respond(alice.register(asRegistration)).0 == .otherOperation)
  }

  @Test func `refuses a challenge that the server did not issue, and session data of a different server`() async throws
  {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    var connection = FakeAuthenticator.Connection()
    connection.challenge = try ServerChallenge(bytes: RandomBytes.make(32))
    #expect(
      try await server.respond(alice.authenticate(request, counter: 1, connection: connection)).0
        == .invalidServerData)
    connection.challenge = try await server.authenticationRequest("alice").challenge
    #expect(
      try await server.respond(alice.authenticate(request, counter: 1, connection: connection)).0
        == .invalidServerData)
  }

  @Test func `refuses the session data if any byte is changed`() async throws {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    let text = try #require(request.header.serverData)
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      let header = OperationHeader(upv: .uaf11, op: .authentication, appID: request.header.appID, serverData: changed)
      let forged = AuthenticationRequest(header: header, challenge: request.challenge, policy: request.policy)
      #expect(try await server.respond(alice.authenticate(forged, counter: 1)).0 == .invalidServerData)
    }
    #expect(try await server.respond(alice.authenticate(request, counter: 1)).0 == nil)
  }

  @Test func `refuses a FacetID that is not listed, and a wrong AppID`() async throws {
    let alice = try await server.registered("alice")
    var connection = FakeAuthenticator.Connection()
    connection.facetID = "linux:pam-module:pam_uaf2"
    let untrusted = try await alice.authenticate(
      server.authenticationRequest("alice"), counter: 1, connection: connection)
    #expect(try await server.respond(untrusted).0 == .untrustedFacet)
    connection = FakeAuthenticator.Connection()
    connection.appID = "https://server.test/uaf/facets"
    let other = try await alice.authenticate(
      server.authenticationRequest("alice"), counter: 1, connection: connection)
    #expect(try await server.respond(other).0 == .otherAppID)
  }

  @Test func `refuses a response that names a foreign certificate, and accepts one that names the server's`()
    async throws
  {
    let alice = try await server.registered("alice")
    let certificate = server.certificate
    let hash = try X509.serverEndPoint(der: certificate)
    let wrong = [
      ChannelBinding(serverEndPoint: Base64URL.encode([UInt8](repeating: 7, count: 32))),
      ChannelBinding(tlsServerCertificate: Base64URL.encode(certificate.reversed())),
      ChannelBinding(serverEndPoint: Base64URL.encode(hash), tlsServerCertificate: Base64URL.encode([1])),
    ]
    for binding in wrong {
      let response = try await alice.authenticate(
        server.authenticationRequest("alice"), counter: 1, connection: .init(binding: binding))
      let refusal = try await server.respond(response).0
      #expect(refusal == .channelBindingMismatch)
      #expect(refusal?.statusCode == .channelBindingRefused)
    }
    let right = ChannelBinding(
      serverEndPoint: Base64URL.encode(hash), tlsServerCertificate: Base64URL.encode(certificate))
    let response = try await alice.authenticate(
      server.authenticationRequest("alice"), counter: 1, connection: .init(binding: right))
    #expect(try await server.respond(response).0 == nil)
  }

  @Test func `the holder of a revoked key is told that it is revoked, and a stranger that the signature is wrong`()
    async throws
  {
    let alice = try await server.registered("alice")
    let now = server.now
    _ = try await server.store.write { records in try records.credentials.revokeAll(of: "alice", now: now) }
    let own = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1)
    let refusal = try await server.respond(own).0
    #expect(refusal == .revokedKey)
    #expect(refusal?.statusCode == .revokedAuthenticator)
    let stranger = try FakeAuthenticator(keyID: alice.keyID)
    let forged = try await stranger.authenticate(server.authenticationRequest("alice"), counter: 1)
    #expect(try await server.respond(forged).0 == .invalidSignature)
  }

  @Test func `a response whose key was removed after the request is refused with an unknown key`() async throws {
    let alice = try await server.registered("alice")
    let response = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1)
    _ = try await server.store.write { [appID = server.identity.appID] records in
      try records.credentials.removeAll(of: "alice", appID: appID, deviceID: nil, aaid: nil, keyIDs: [])
    }
    #expect(try await server.respond(response).0 == .unknownKeyID)
  }

  @Test func `a request for an unknown name looks like one for a known name whose key the client does not have`()
    async throws
  {
    let alice = try await server.registered("alice")
    try await server.enrol("enrolled")
    for name in ["alice", "nobody", "enrolled"] {
      let request = try await server.authenticationRequest(name)
      let criteria = try #require(request.policy.accepted.first?.first)
      #expect(request.policy.accepted.count == 1)
      #expect(criteria.aaid == [alice.aaid])
      let keyID = try #require(criteria.keyIDs?.first)
      #expect(criteria.keyIDs?.count == 1)
      #expect(keyID.bytes.count == 32)
      let forger = try FakeAuthenticator(keyID: keyID)
      #expect(try await server.respond(forger.authenticate(request, counter: 9)).0 == .invalidSignature)
      let again = try await server.authenticationRequest(name)
      #expect(again.policy == request.policy)
      #expect(again.header.jsonText.utf8.count == request.header.jsonText.utf8.count)
      #expect(again.challenge != request.challenge)
    }
  }

  @Test func `requests for different unknown names have different made-up keys`() async throws {
    let one = try await server.authenticationRequest("nobody")
    let other = try await server.authenticationRequest("nobody2")
    #expect(one.policy != other.policy)
  }

  @Test func `accepts the confirmation of a text, and neither a different text nor a login without the text`()
    async throws
  {
    let alice = try await server.registered("alice")
    var context = RequestContext(username: "alice")
    context.transaction = "alice@desk: sudo id"
    for (text, expected) in [
      ("alice@desk: sudo id", nil), ("alice@desk: sudo su", .wrongTransaction), (nil, .wrongTransaction),
    ]
      as [(String?, ServiceRefusal?)]
    {
      let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
      #expect(request.transaction.map(\.content) == [Array("alice@desk: sudo id".utf8)])
      #expect(try await server.respond(alice.authenticate(request, counter: 1, confirming: text)).0 == expected)
    }
    let plain = try await server.authenticationRequest("alice")
    #expect(
      try await server.respond(alice.authenticate(plain, counter: 2, confirming: "alice@desk: sudo id")).0
        == .wrongTransaction)
  }

  @Test func `refuses to issue a request with a text that nobody could read`() async throws {
    var context = RequestContext(username: "alice")
    context.transaction = "alice@desk: " + String(repeating: "–", count: 257)
    #expect(try await server.get(.authentication, context).statusCode == .unacceptableContent)
  }
}
