import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

@Suite(.onEachStore) struct RegistrationTests {
  let server: TestServer
  let authenticator: FakeAuthenticator

  init() throws {
    server = try TestServer()
    authenticator = try FakeAuthenticator()
  }

  func request(_ username: String = "alice", code: [UInt8]? = nil) async throws -> RegistrationRequest {
    var context = RequestContext(username: username)
    if let code { context.codeProof = code } else { context.codeProof = try await server.enrol(username) }
    return try await authenticator.registrationRequest(from: server.get(.registration, context))
  }

  func keys(of username: String) async throws -> [StoredKey] {
    try await server.store.read { [appID = server.identity.appID] records in
      try records.credentials.keys(of: username, appID: appID)
    }
  }

  @Test func `the server stores a key that an enrolment code allowed`() async throws {
    let (refusal, token) = try await server.respond(authenticator.register(request()), username: "alice")
    #expect(refusal == nil)
    #expect(token?.type == "JWT")
    let keys = try await keys(of: "alice")
    #expect(keys.map(\.keyID) == [authenticator.keyID])
    #expect(keys.map(\.publicKey) == [authenticator.publicKey])
  }

  @Test(arguments: ["B9D5M-PJTB9-D5MPJ-TBH2P", "00000-00000-00000-00000"])
  func `a code of 20 characters, which an earlier version has issued, registers until it expires`(_ text: String)
    async throws
  {
    let code = try #require(EnrolmentCode(typed: text))
    let proof = try await server.enrol("alice", code: code)
    #expect(try await server.respond(authenticator.register(request(code: proof)), username: "alice").0 == nil)
    #expect(try await keys(of: "alice").map(\.keyID) == [authenticator.keyID])
    var context = RequestContext(username: "bob")
    context.codeProof = try await server.enrol("bob", lifetime: 60, code: code)
    server.advance(seconds: 61)
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }

  @Test func `a proof whose key was derived from a new code as it would be from an earlier one is refused`()
    async throws
  {
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 0x5A, count: 10)))
    try await server.enrol("alice", code: code)
    let fast = try EnteredCodeKey.derive(
      from: code.keyMaterial, for: EnrolmentCode.keyInfo(username: "alice"), isStretched: false, length: 32)
    var context = RequestContext(username: "alice")
    context.codeProof = try HMACSHA256.authenticate(
      EnrolmentCode.registrationStatement(username: "alice"), key: fast)
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }

  /// The names of an account's machines, ordered by their keys, the oldest first.
  private func deviceNames(of username: String) async throws -> [String?] {
    try await server.database.texts("SELECT deviceName FROM credential WHERE username = '\(username)' ORDER BY id")
  }

  @Test(
    arguments: [
      (["laptop", "laptop"], ["m", "m"], ["laptop", "laptop"]),
      (["laptop", "tower"], ["m", "m"], ["laptop", "laptop"]),
      (["laptop", nil], ["m", "m"], ["laptop", "laptop"]),
      ([nil, "tower", "desk"], ["m", "m", "m"], [nil, "tower", "tower"]),
      (["e\u{301}", "\u{e9}"], ["m", "m"], ["e\u{301}", "e\u{301}"]),
      (["laptop", "tower"], ["m", "n"], ["laptop", "tower"]),
      (["laptop", "tower"], [nil, nil], ["laptop", "tower"]),
    ] as [([String?], [String?], [String?])])
  func `the server keeps the first name of an account's machine, and no later name replaces it`(
    names: [String?], machines: [String?], stored: [String?]
  ) async throws {
    for (name, machine) in zip(names, machines) {
      _ = try await server.registered("alice", deviceID: machine, deviceName: name)
    }
    let kept = try await deviceNames(of: "alice")
    #expect(kept.map { $0.map { Array($0.utf8) } } == stored.map { $0.map { Array($0.utf8) } })
  }

  @Test func `the server keeps no name from a different account's machine`() async throws {
    _ = try await server.registered("alice", deviceID: "m", deviceName: "laptop")
    _ = try await server.registered("bob", deviceID: "m", deviceName: "tower")
    #expect(try await deviceNames(of: "bob") == ["tower"])
  }

  @Test func `the server stores how the authenticator draws pictures, if the authenticator says so`() async throws {
    let display = #"{"width":320,"height":480,"bitDepth":16,"colorType":2,"compression":0,"filter":0,"interlace":0}"#
    for (username, list) in [("alice", "[\(display)]"), ("bob", nil)] {
      let authenticator = try FakeAuthenticator()
      let answer = try await authenticator.register(request(username)).text
      let scheme = #""assertionScheme":"UAFV1TLV""#
      let more = list.map { ",\"tcDisplayPNGCharacteristics\":\($0)" } ?? ""
      let response = try UAFResponse(parsing: answer.replacing(scheme, with: scheme + more))
      #expect(try await server.respond(response).0 == nil)
      let stored = try await server.database.texts("SELECT displays FROM credential WHERE username = '\(username)'")
      #expect(stored == [list])
    }
  }

  @Test func `refuses a registration without a code or proof, or with a wrong code, for known and unknown names alike`()
    async throws
  {
    try await server.enrol("alice")
    for name in ["alice", "nobody"] {
      var context = RequestContext(username: name)
      #expect(try await server.get(.registration, context).statusCode == .unauthorized)
      context.codeProof = [UInt8](repeating: 1, count: 32)
      #expect(try await server.get(.registration, context).statusCode == .unauthorized)
    }
  }

  @Test func `refuses a thousand wrong enrolment codes, and then accepts the right one`() async throws {
    let code = try await server.enrol("alice")
    var context = RequestContext(username: "alice")
    for number in 0..<1000 {
      context.codeProof = [UInt8](repeating: UInt8(number % 256), count: 32)
      #expect(try await server.get(.registration, context).statusCode == .unauthorized)
    }
    context.codeProof = code
    #expect(try await server.get(.registration, context).statusCode == .ok)
  }

  @Test
  func `refuses a registration with a wrong signature nine times, and then accepts the right one with the same code`()
    async throws
  {
    let code = try await server.enrol("alice")
    let other = try FakeAuthenticator()
    for _ in 0..<9 {
      let request = try await request(code: code)
      let (refusal, _) = try await server.respond(authenticator.register(request, signedBy: other))
      #expect(refusal == .invalidAttestationSignature)
    }
    let (refusal, _) = try await server.respond(authenticator.register(request(code: code)))
    #expect(refusal == nil)
  }

  @Test func `refuses an enrolment code that was used`() async throws {
    let code = try await server.enrol("alice")
    let (refusal, _) = try await server.respond(authenticator.register(request(code: code)))
    #expect(refusal == nil)
    var context = RequestContext(username: "alice")
    context.codeProof = code
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }

  @Test func `refuses an expired enrolment code, a different person's code, and a code that a newer one closed`()
    async throws
  {
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice", lifetime: 900)
    server.advance(seconds: 900)
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
    context.codeProof = try await server.enrol("bob")
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
    context.codeProof = try await server.enrol("alice")
    try await server.enrol("alice")
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }

  @Test func `an enrolment code registers only once, however many requests were made with it`() async throws {
    let code = try await server.enrol("alice")
    let first = try await request(code: code)
    let second = try await request(code: code)
    let (early, _) = try await server.respond(authenticator.register(first))
    #expect(early == .enrolmentCodeUsed)
    let (late, _) = try await server.respond(authenticator.register(second))
    #expect(late == nil)
    #expect(try await keys(of: "alice").count == 1)
  }

  @Test func `refuses the same registration response a second time`() async throws {
    let response = try await authenticator.register(request())
    #expect(try await server.respond(response).0 == nil)
    #expect(try await server.respond(response).0 == .unknownChallenge)
  }

  @Test func `refuses a registration after its request has expired, and the same challenge from then on`() async throws
  {
    let response = try await authenticator.register(request())
    server.advance(seconds: IssuedRequest.lifetime)
    #expect(try await server.respond(response).0 == .expiredChallenge)
    #expect(try await keys(of: "alice").isEmpty)
  }

  @Test func `refuses a key that is already registered, for any account`() async throws {
    #expect(try await server.respond(authenticator.register(request("alice"))).0 == nil)
    #expect(try await server.respond(authenticator.register(request("bob"))).0 == .keyAlreadyRegistered)
    #expect(try await keys(of: "bob").isEmpty)
  }

  @Test func `the request for a registration tells the client which keys the account has, except revoked ones`()
    async throws
  {
    let known = try await server.registered("alice")
    #expect(try await request().policy.disallowed == [MatchCriteria(aaid: known.aaid, keyIDs: [known.keyID])])
    let now = server.now
    _ = try await server.store.write { records in try records.credentials.revokeAll(of: "alice", now: now) }
    #expect(try await request().policy.disallowed.isEmpty)
  }

  @Test func `refuses a registration under a different account's name`() async throws {
    let response = try await authenticator.register(request("alice"))
    #expect(try await server.respond(response, username: "bob").0 == .otherUser)
    #expect(try await keys(of: "bob").isEmpty)
  }

  @Test(arguments: ["", "a b", "a\u{1b}[31m", "é", "a\n", String(repeating: "a", count: 129)])
  func `refuses a registration for an invalid user name`(name: String) async throws {
    #expect(try await server.get(.registration, RequestContext(username: name)).statusCode == .badRequest)
    #expect(try await server.get(.authentication, RequestContext(username: name)).statusCode == .badRequest)
  }

  @Test func `refuses the registration of a further key with the token of an ordinary login`() async throws {
    let known = try await server.registered("alice")
    let login = try await server.respond(
      known.authenticate(server.authenticationRequest("alice"), counter: 1))
    var context = RequestContext(username: "alice")
    context.proof = login.1?.value
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }

  @Test func `a proof for the purpose registers a further key, once`() async throws {
    let known = try await server.registered("alice")
    let context = try await proof("alice", by: known, counter: 1)
    let answer = try await server.get(.registration, context)
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try further.register(further.registrationRequest(from: answer))
    #expect(try await allowed(response, by: known, counter: 2) == nil)
    #expect(try await keys(of: "alice").count == 2)
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }

  // MARK: Keys that are revoked during a registration

  /// A proof for a further key of an account.
  private func proof(_ username: String, by key: FakeAuthenticator, counter: UInt32) async throws -> RequestContext {
    let body = GetUAFRequest(op: .authentication, context: #"{"username":"\#(username)","proofFor":"Reg"}"#)
    let request = try await TestServer.authenticationRequest(in: server.get(body))
    let token = try await server.respond(key.authenticate(request, counter: counter)).1
    var context = RequestContext(username: username)
    context.proof = try #require(token).value
    return context
  }

  /// Sends a registration that a registered key has allowed.
  private func allowed(
    _ response: UAFResponse, of username: String = "alice", by key: FakeAuthenticator, counter: UInt32,
    signing change: (RegistrationResponse) throws -> RegistrationResponse = { $0 },
    _ edit: (inout RequestContext) throws -> Void = { _ in }
  ) async throws -> ServiceRefusal? {
    try await server.respond(response, username: username) { context in
      context.authorization = try server.holder.authorization(
        of: response, for: username, by: key, counter: counter, signing: change)
      try edit(&context)
    }.0
  }

  /// - Parameter lag: by how many seconds the clock of the instance that revokes is behind.
  private func revoke(_ keys: KeySelection, lag: Int64 = 0) async throws {
    let revocation = Revocation(time: server.now - lag, by: "test", reason: "stolen")
    _ = try await server.store.write { try $0.credentials.revoke(keys, revocation) }
  }

  @Test func `a proof is not accepted for a registration after a key of the account was revoked`() async throws {
    let known = try await server.registered("alice")
    _ = try await server.registered("alice")
    let context = try await proof("alice", by: known, counter: 1)
    server.advance(seconds: 1)
    try await revoke(.all(of: "alice"))
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }

  @Test func `a registration that began with a proof is refused after the account's keys were revoked`() async throws {
    let known = try await server.registered("alice")
    let answer = try await server.get(.registration, proof("alice", by: known, counter: 1))
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try further.register(further.registrationRequest(from: answer))
    server.advance(seconds: 1)
    try await revoke(.all(of: "alice"))
    #expect(try await allowed(response, by: known, counter: 2) == .revokedKey)
    #expect(try await keys(of: "alice").count == 1)
  }

  @Test func `a registration that began with a proof is refused after the account was deleted`() async throws {
    let known = try await server.registered("alice")
    let context = try await proof("alice", by: known, counter: 1)
    _ = try await server.store.write { try $0.accounts.remove("alice") }
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
    #expect(try await !server.store.read { try $0.accounts.exists("alice") })
  }

  @Test func `a proof is accepted for a registration if it was made after an older key was revoked`() async throws {
    let lost = try await server.registered("alice")
    let known = try await server.registered("alice")
    try await revoke(.one(lost.aaid, lost.keyID, of: "alice"))
    server.advance(seconds: 1)
    let answer = try await server.get(.registration, proof("alice", by: known, counter: 1))
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try further.register(further.registrationRequest(from: answer))
    #expect(try await allowed(response, by: known, counter: 2) == nil)
  }

  @Test
  func `a proof and its registration are accepted if they were made after the revocation, even within the same second`()
    async throws
  {
    let lost = try await server.registered("alice")
    let known = try await server.registered("alice")
    try await revoke(.one(lost.aaid, lost.keyID, of: "alice"))
    let answer = try await server.get(.registration, proof("alice", by: known, counter: 1))
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try further.register(further.registrationRequest(from: answer))
    #expect(try await allowed(response, by: known, counter: 2) == nil)
  }

  @Test(arguments: [0, 5])
  func `a proof is refused after another key was revoked, even in the same second or by a slow clock`(
    lag: Int64
  ) async throws {
    let lost = try await server.registered("alice")
    let known = try await server.registered("alice")
    let context = try await proof("alice", by: known, counter: 1)
    try await revoke(.one(lost.aaid, lost.keyID, of: "alice"), lag: lag)
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
  }

  @Test(arguments: [0, 5])
  func `a registration is refused after another key was revoked, even in the same second or by a slow clock`(
    lag: Int64
  ) async throws {
    let lost = try await server.registered("alice")
    let known = try await server.registered("alice")
    let answer = try await server.get(.registration, proof("alice", by: known, counter: 1))
    let further = try FakeAuthenticator(aaid: "5541#0002")
    let response = try further.register(further.registrationRequest(from: answer))
    try await revoke(.one(lost.aaid, lost.keyID, of: "alice"), lag: lag)
    #expect(try await allowed(response, by: known, counter: 2) == .wrongProof)
    #expect(try await keys(of: "alice").count == 2)
  }
}
