import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Everything that the server reads, even from its own store, has limits.
@Suite(.onEachStore) struct BoundsTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  @Test(arguments: [
    ("signCounter", -1 as Int64), ("signCounter", 1 << 32), ("signatureAlgorithm", -1), ("signatureAlgorithm", 1 << 16),
  ])
  func `a stored number that is out of range fails the requests of its account, and not the server`(
    column: String, number: Int64
  ) async throws {
    _ = try await server.registered("alice")
    _ = try await server.registered("bob")
    try await server.database.execute("UPDATE credential SET \(column) = \(number) WHERE username = 'alice'")
    await #expect(throws: (any Error).self) {
      _ = try await server.get(.authentication, RequestContext(username: "alice"))
    }
    #expect(try await server.get(.authentication, RequestContext(username: "bob")).statusCode == .ok)
  }

  @Test(arguments: [("signCounter", -1 as Int64), ("signCounter", 1 << 32), ("authenticatorVersion", 1 << 16)])
  func `a key with a number out of range fails its account's list of keys, and not that of another account`(
    column: String, number: Int64
  ) async throws {
    _ = try await server.registered("alice")
    _ = try await server.registered("bob")
    try await server.database.execute("UPDATE credential SET \(column) = \(number) WHERE username = 'alice'")
    // Both lists are read in one transaction, so that the same SQL statement is used again after it has failed.
    let listed = try await server.store.read { records in
      #expect(throws: (any Error).self) { _ = try records.credentials.records(of: "alice") }
      return try records.credentials.records(of: "bob").count
    }
    #expect(listed == 1)
  }

  @Test func `a confirmed text whose stored algorithm number is out of range is listed as unreadable`() async throws {
    let zero = server.database.literal([0])
    try await server.database.execute(
      """
      INSERT INTO confirmation (username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm)
      VALUES ('alice', 1, 'sudo id', '', \(zero), \(zero), 65536)
      """)
    let faults = try await server.store.read { records in
      var faults: [ConfirmedTextCheck.Fault?] = []
      try records.confirmedTexts.forEach(of: nil) { faults.append(ConfirmedTextCheck.fault(in: $0)) }
      return faults
    }
    #expect(faults == [.unreadable])
  }

  @Test func `a response has at most sixteen assertions`() async throws {
    let alice = try await server.registered("alice")
    for (count, refusal) in [(17, ServiceRefusal.malformedMessage as ServiceRefusal?), (16, nil)] {
      let answer = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1)
      guard case .authentication(let response) = answer else { throw TestServer.Unexpected() }
      let assertion = try #require(response.assertions.first)
      let repeated = AuthenticationResponse(
        header: response.header, fcParams: response.fcParams,
        assertions: Array(repeating: assertion, count: count))
      #expect(try await server.respond(.authentication(repeated)).0 == refusal)
    }
  }

  @Test func `the oldest open registration requests are dropped if there are more than the limit`() async throws {
    let challenges = try (0..<5).map { _ in try RandomBytes.make(32) }
    let open = try await server.store.write { [appID = server.identity.appID] records in
      let store = records.openRegistrations
      for hash in challenges {
        let issued = IssuedRequest(
          operation: .registration, username: "alice", challengeHash: hash, appID: appID, serverData: "d",
          policy: Policy(accepted: []), transaction: nil, device: Device(), expiresAt: 10)
        try store.add(issued, enrolmentID: nil, now: 1, maximumOpen: 3)
      }
      return try challenges.map { try store.take(hash: $0) }
    }
    #expect(open == [false, false, true, true, true])
  }

  /// Confirms a text with final challenge parameters that contain a certificate of this many characters.
  private func confirm(certificate count: Int, by alice: FakeAuthenticator, counter: UInt32) async throws
    -> ServiceRefusal?
  {
    var context = RequestContext(username: "alice")
    context.transaction = "alice@desk: sudo id"
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let text = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    var connection = FakeAuthenticator.Connection()
    connection.binding = ChannelBinding(cidPubkey: String(repeating: "A", count: count))
    let answer = try alice.authenticate(request, counter: counter, connection: connection, confirming: text)
    return try await server.respond(answer).0
  }

  @Test func `keeps final challenge parameters of 16 KiB with a confirmed text, and refuses longer ones`() async throws
  {
    let alice = try await server.registered("alice")
    #expect(try await confirm(certificate: 12_000, by: alice, counter: 1) == nil)
    #expect(try await confirm(certificate: 12_288, by: alice, counter: 2) == .malformedFinalChallenge)
    let lengths = try await server.database.integers("SELECT LENGTH(fcParams) FROM confirmation")
    #expect(lengths.count == 1)
    #expect(lengths.allSatisfy { $0 > 16_000 && $0 <= 16_384 })
  }

  /// Gives an account this many keys, as a person with a modified client could register them.
  private func add(_ count: Int, keyIDBytes: Int = 32, to username: String) async throws {
    let keys = (0..<count).map { _ in (username, "5541#0001") }
    try await server.database.addKeys(keys, length: keyIDBytes)
  }

  /// The outcome of a registration whose request was issued before `count` other keys were added.
  private func register(after count: Int, keyIDBytes: Int = 32, revoking: Bool = false) async throws -> ServiceRefusal?
  {
    let authenticator = try FakeAuthenticator()
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    let request = try await authenticator.registrationRequest(from: server.get(.registration, context))
    try await add(count, keyIDBytes: keyIDBytes, to: "alice")
    if revoking {
      _ = try await server.store.write { try $0.credentials.revokeAll(of: "alice", now: 2) }
    }
    return try await server.respond(authenticator.register(request)).0
  }

  @Test(arguments: [
    (255, 32, nil as ServiceRefusal?), (256, 32, .tooManyKeys), (31, 2048, nil), (32, 2048, .tooManyKeys),
  ])
  func `an account has at most 256 keys, and 64 KiB of KeyIDs`(
    others: Int, keyIDBytes: Int, refusal: ServiceRefusal?
  ) async throws {
    #expect(try await register(after: others, keyIDBytes: keyIDBytes) == refusal)
    let keys = try await server.database.integers("SELECT COUNT(*) FROM credential")
    #expect(keys.first == (refusal == nil ? others + 1 : others))
  }

  @Test func `revoked keys do not count towards the limit of an account's keys`() async throws {
    #expect(try await register(after: 256, revoking: true) == nil)
  }

  @Test
  func `a registration for a full account is refused before the person chooses a secret, and its code stays valid`()
    async throws
  {
    try await server.enrol("alice")
    try await add(256, to: "alice")
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    for _ in 0..<9 { #expect(try await server.get(.registration, context).statusCode == .unacceptableAuthenticator) }
    _ = try await server.store.write { try $0.credentials.revokeAll(of: "alice", now: 2) }
    #expect(try await server.get(.registration, context).statusCode == .ok)
  }

  @Test(arguments: [(256, 32), (32, 2048)])
  func `a registration request for a full account is short enough for uaf-fetch`(count: Int, keyIDBytes: Int)
    async throws
  {
    try await server.enrol("alice")
    try await add(count, keyIDBytes: keyIDBytes, to: "alice")
    let answer = try await server.get(.authentication, RequestContext(username: "alice"))
    #expect(answer.jsonBytes.count < 262_144)
  }
}
