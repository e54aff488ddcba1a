import GRDB
import Testing
import UAFCrypto
import UAFMessages

@testable import UAFServer

/// What the server takes from outside, its own store included, has limits.
struct BoundsTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  @Test(arguments: [
    ("signCounter", -1 as Int64), ("signCounter", 1 << 32), ("signatureAlgorithm", -1), ("signatureAlgorithm", 1 << 16),
  ])
  func `a number in the store that is out of range fails the one request, and not the server`(
    column: String, number: Int64
  ) async throws {
    _ = try await server.registered("alice")
    _ = try await server.registered("bob")
    try await server.database.write { db in
      try db.execute(sql: "UPDATE credential SET \(column) = ? WHERE username = 'alice'", arguments: [number])
    }
    await #expect(throws: (any Error).self) {
      _ = try await server.get(.authentication, RequestContext(username: "alice"))
    }
    #expect(try await server.get(.authentication, RequestContext(username: "bob")).statusCode == .ok)
  }

  @Test func `a confirmation whose algorithm is out of range is listed as one that cannot be read`() async throws {
    try await server.database.write { db in
      try db.execute(
        sql: """
          INSERT INTO confirmation (username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm)
          VALUES ('alice', 1, 'sudo id', '', X'00', X'00', 65536)
          """)
    }
    let faults = try await server.database.read { db in
      var faults: [ConfirmedTextCheck.Fault?] = []
      try ConfirmedTextStore(db: db).forEach(of: nil) { faults.append(ConfirmedTextCheck.fault(in: $0)) }
      return faults
    }
    #expect(faults == [.unreadable])
  }

  @Test func `an answer has at most sixteen assertions`() async throws {
    let alice = try await server.registered("alice")
    for (count, refusal) in [(17, Refusal.malformedMessage as Refusal?), (16, nil)] {
      let answer = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1)
      guard case .authentication(let response) = answer else { throw TestServer.Unexpected() }
      let assertion = try #require(response.assertions.first)
      let repeated = AuthenticationResponse(
        header: response.header, fcParams: response.fcParams,
        assertions: Array(repeating: assertion, count: count))
      #expect(try await server.respond(.authentication(repeated)).0 == refusal)
    }
  }

  @Test func `of more open requests than are kept the oldest are dropped`() async throws {
    let challenges = try (0..<5).map { _ in try RandomBytes.make(32) }
    let open = try await server.database.write { [appID = server.identity.appID] db in
      let store = ChallengeStore(db: db)
      for hash in challenges {
        let issued = IssuedRequest(
          operation: .authentication, username: "alice", challengeHash: hash, appID: appID, serverData: "d",
          policy: Policy(accepted: []), transaction: nil, device: Device(), proofOperations: [], isDecoy: false,
          expiresAt: 10)
        try store.add(issued, now: 1, maximumOpen: 3)
      }
      return try challenges.map { try store.take(hash: $0, serverData: "d") != nil }
    }
    #expect(open == [false, false, true, true, true])
  }
}
