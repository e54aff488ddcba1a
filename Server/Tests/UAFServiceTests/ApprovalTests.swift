import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Texts that wait for a person to confirm them, out of band.
@Suite(.onEachStore) struct ApprovalTests {
  private static let text = "Asked of alice by token bastion: Log in from 192.0.2.7"

  let server: TestServer
  let alice: FakeAuthenticator

  init() async throws {
    server = try TestServer()
    alice = try await server.registered("alice")
  }

  /// Makes a text wait for confirmation, as `uaf-server approve` does.
  private func open(_ username: String = "alice", lifetime: Int64 = 120) async throws -> (id: Int64, code: String) {
    let code = Base64URL.encode(try RandomBytes.make(20))
    let now = server.now
    let id = try await server.store.write { records in
      try records.approvals.open(Self.text, code: code, for: username, expiresAt: now + lifetime)
    }
    return (id, code)
  }

  private func outcome(_ id: Int64) async throws -> ApprovalOutcome {
    let now = server.now
    return try await server.store.read { records in try records.approvals.outcome(id: id, now: now) }
  }

  private func answer(
    code: String, username: String = "alice", _ change: (inout UAFMessages.RequestContext) -> Void = { _ in }
  ) async throws -> ReturnUAFRequest {
    var context = UAFMessages.RequestContext(username: username)
    context.authCode = code
    change(&context)
    return try await server.get(.authentication, context)
  }

  private func request(code: String) async throws -> AuthenticationRequest {
    try TestServer.authenticationRequest(in: try await answer(code: code))
  }

  @Test func `the holder of an approval code is asked to confirm the waiting text, and the signature is accepted once`()
    async throws
  {
    let (id, code) = try await open()
    #expect(try await outcome(id) == .open)
    let request = try await request(code: code)
    #expect(request.transaction.map(\.content) == [Array(Self.text.utf8)])
    let response = try alice.authenticate(request, counter: 1, confirming: Self.text)
    #expect(try await server.respond(response).0 == nil)
    #expect(try await outcome(id) == .confirmed)
    #expect(try await server.respond(response).0 == .unknownChallenge)
    #expect(try await answer(code: code).statusCode == .unauthorized)
    #expect(try await outcome(id) == .confirmed)
    let faults = try await server.store.read { records in
      var faults: [ConfirmedTextCheck.Fault?] = []
      try records.confirmedTexts.forEach(of: "alice") { faults.append(ConfirmedTextCheck.fault(in: $0)) }
      return faults
    }
    #expect(faults == [nil])
  }

  @Test func `neither a login nor a signature over a different text confirms a waiting text`() async throws {
    let (id, code) = try await open()
    let login = try await server.authenticationRequest("alice")
    #expect(login.transaction.isEmpty)
    #expect(try await server.respond(alice.authenticate(login, counter: 1)).0 == nil)
    var counter: UInt32 = 1
    for text in [nil, "Asked of alice by token bastion: Log in from 192.0.2.8"] {
      counter += 1
      let response = try await alice.authenticate(request(code: code), counter: counter, confirming: text)
      #expect(try await server.respond(response).0 == .wrongTransaction)
    }
    #expect(try await outcome(id) == .open)
    var context = UAFMessages.RequestContext(username: "alice")
    context.transaction = Self.text
    #expect(try await server.get(.authentication, context).statusCode == .unacceptableContent)
    #expect(try await outcome(id) == .open)
  }

  @Test
  func `refuses a wrong approval code, a different person's code, an enrolment code, and a code for an invalid name`()
    async throws
  {
    let (id, code) = try await open()
    _ = try await server.registered("bob")
    #expect(try await answer(code: "wrong").statusCode == .unauthorized)
    #expect(try await answer(code: code, username: "bob").statusCode == .unauthorized)
    #expect(try await answer(code: code, username: "nobody").statusCode == .unauthorized)
    let enrolment = Base64URL.encode(try await server.enrol("alice"))
    #expect(try await answer(code: enrolment).statusCode == .unauthorized)
    #expect(try await outcome(id) == .open)
    // The right code does not allow anything but this confirmation.
    var context = UAFMessages.RequestContext(username: "alice")
    context.authCode = code
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
    #expect(try await server.get(.deregistration, context).statusCode == .unauthorized)
  }

  @Test func `an approval code alone, without a signature of the person's key, confirms nothing`() async throws {
    let (id, code) = try await open()
    let thief = try FakeAuthenticator(keyID: alice.keyID)
    for turn in 1...9 {
      let response = try await thief.authenticate(request(code: code), counter: UInt32(turn), confirming: Self.text)
      #expect(try await server.respond(response).0 == .invalidSignature)
    }
    #expect(try await outcome(id) == .open)
    let response = try await alice.authenticate(request(code: code), counter: 1, confirming: Self.text)
    #expect(try await server.respond(response).0 == nil)
    #expect(try await outcome(id) == .confirmed)
  }

  @Test func `refuses a thousand wrong approval codes, and then accepts the right one`() async throws {
    let (id, code) = try await open()
    for number in 0..<1000 {
      #expect(try await answer(code: "wrong\(number)").statusCode == .unauthorized)
    }
    #expect(try await outcome(id) == .open)
    let response = try await alice.authenticate(request(code: code), counter: 1, confirming: Self.text)
    #expect(try await server.respond(response).0 == nil)
  }

  @Test func `refuses an approval code and a response to its request after the text has expired`() async throws {
    let (id, code) = try await open(lifetime: 60)
    let request = try await request(code: code)
    server.advance(seconds: 60)
    #expect(try await outcome(id) == .closed)
    let response = try alice.authenticate(request, counter: 1, confirming: Self.text)
    #expect(try await server.respond(response).0 == .approvalCodeUsed)
    #expect(try await answer(code: code).statusCode == .unauthorized)
  }

  @Test func `accepts a response only to the last request that was made with an approval code`() async throws {
    let (id, code) = try await open()
    let first = try await request(code: code)
    let second = try await request(code: code)
    let early = try alice.authenticate(first, counter: 1, confirming: Self.text)
    #expect(try await server.respond(early).0 == .approvalCodeUsed)
    let late = try alice.authenticate(second, counter: 2, confirming: Self.text)
    #expect(try await server.respond(late).0 == nil)
    #expect(try await outcome(id) == .confirmed)
  }

  @Test func `a newer text closes the account's waiting text, and a text that was confirmed stays confirmed`()
    async throws
  {
    let (first, code) = try await open()
    let (second, newer) = try await open()
    #expect(try await outcome(first) == .closed)
    #expect(try await answer(code: code).statusCode == .unauthorized)
    let response = try await alice.authenticate(request(code: newer), counter: 1, confirming: Self.text)
    #expect(try await server.respond(response).0 == nil)
    let (third, _) = try await open()
    #expect(try await outcome(second) == .confirmed)
    try await server.store.write { records in try records.approvals.close(for: "alice") }
    #expect(try await outcome(third) == .closed)
  }

  @Test func `an approval code is not a proof for any other operation, and confirms no text that the client sends`()
    async throws
  {
    let (id, code) = try await open()
    #expect(try await answer(code: code) { $0.proofFor = .deregistration }.statusCode == .badRequest)
    #expect(try await answer(code: code) { $0.deregisterAll = true }.statusCode == .badRequest)
    #expect(try await answer(code: code) { $0.transaction = "pay 1" }.statusCode == .badRequest)
    #expect(try await outcome(id) == .open)
  }

  // MARK: Denied

  private func deny(_ code: String, _ username: String = "alice") async throws -> ReturnUAFRequest {
    try await answer(code: code, username: username) { $0.denies = true }
  }

  @Test func `a denial of a waiting text is final: neither the code nor an earlier request confirms the text`()
    async throws
  {
    let (id, code) = try await open()
    let request = try await request(code: code)
    let answer = try await deny(code)
    #expect(answer.statusCode == .ok && answer.uafRequest == nil)
    #expect(try await outcome(id) == .denied)
    let response = try alice.authenticate(request, counter: 1, confirming: Self.text)
    #expect(try await server.respond(response).0 == .approvalCodeUsed)
    #expect(try await self.answer(code: code).statusCode == .unauthorized)
    #expect(try await deny(code).statusCode == .unauthorized)
    #expect(try await outcome(id) == .denied)
    // A client that waits for the denied text is told so even while the next text is open.
    _ = try await open()
    #expect(try await outcome(id) == .denied)
  }

  @Test func `refuses to deny a text with a wrong code, a different person's code, no code, or an expired code`()
    async throws
  {
    let (id, code) = try await open(lifetime: 60)
    _ = try await server.registered("bob")
    #expect(try await deny("wrong").statusCode == .unauthorized)
    #expect(try await deny(code, "bob").statusCode == .unauthorized)
    var context = UAFMessages.RequestContext(username: "alice")
    context.denies = true
    #expect(try await server.get(.authentication, context).statusCode == .badRequest)
    #expect(try await outcome(id) == .open)
    server.advance(seconds: 60)
    #expect(try await deny(code).statusCode == .unauthorized)
    #expect(try await outcome(id) == .closed)
  }

  @Test func `a confirmed text cannot be denied`() async throws {
    let (id, code) = try await open()
    let response = try await alice.authenticate(request(code: code), counter: 1, confirming: Self.text)
    #expect(try await server.respond(response).0 == nil)
    #expect(try await deny(code).statusCode == .unauthorized)
    #expect(try await outcome(id) == .confirmed)
  }
}
