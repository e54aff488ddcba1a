import Foundation
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// A store that is opened twice, as by `serve` and `enrol`, or by two instances of the server.
@Suite(.onEachStore) struct StoreTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func second() throws -> TestServer {
    try TestServer(database: server.database.reopened(), keys: server.environment.keys)
  }

  @Test func `a second process issues an enrolment code while the first one serves`() async throws {
    let authenticator = try FakeAuthenticator()
    var context = RequestContext(username: "alice")
    let second = try second()
    context.codeProof = try await second.enrol("alice")
    let request = try await authenticator.registrationRequest(from: server.get(.registration, context))
    let response = try authenticator.register(request)
    let allowance = try #require(try second.holder.allowance(of: response))
    #expect(try await server.respond(response, username: "alice") { $0.codeMAC = allowance.codeMAC }.0 == nil)
    let summaries = try await second.store.read { try $0.accounts.summaries(now: 0) }
    #expect(
      summaries == [
        AccountSummary(username: "alice", keys: 1, revokedKeys: 0, lastUsedAt: nil, hasOpenCode: false)
      ])
  }

  @Test func `the store lists accounts in the byte order of their names, with their state and keys`() async throws {
    let bob = try await server.registered("bob")
    _ = try await server.registered("Zoe")
    try await server.enrol("alice")
    let response = try await bob.authenticate(server.authenticationRequest("bob"), counter: 1)
    #expect(try await server.respond(response).0 == nil)
    _ = try await server.store.write { try $0.credentials.revokeAll(of: "Zoe", now: 1) }
    let now = server.now
    let summaries = try await server.store.read { try $0.accounts.summaries(now: now) }
    #expect(
      summaries == [
        AccountSummary(username: "Zoe", keys: 0, revokedKeys: 1, lastUsedAt: nil, hasOpenCode: false),
        AccountSummary(username: "alice", keys: 0, revokedKeys: 0, lastUsedAt: nil, hasOpenCode: true),
        AccountSummary(username: "bob", keys: 1, revokedKeys: 0, lastUsedAt: now, hasOpenCode: false),
      ])
  }

  @Test func `of fifty copies of a response, half of them sent to a second instance, one is accepted`() async throws {
    let second = try second()
    let authenticator = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    guard case .authentication(let response) = try authenticator.authenticate(request, counter: 1) else {
      throw TestServer.Unexpected()
    }
    let verified = try await VerifiedResponse.made(of: response, to: request, by: "alice", at: server)
    let outcomes = try await withThrowingTaskGroup(of: ServiceRefusal?.self) { [server] group in
      for number in 0..<50 {
        group.addTask { try await (number % 2 == 0 ? server : second).store.refusal(of: verified) }
      }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(outcomes == [nil: 1, .unknownChallenge: 49])
  }

  @Test func `of two registrations with one code at two instances, only one is stored`() async throws {
    let second = try second()
    var context = RequestContext(username: "alice")
    context.codeProof = try await server.enrol("alice")
    let authenticator = try FakeAuthenticator()
    let request = try await authenticator.registrationRequest(from: server.get(.registration, context))
    let response = try authenticator.register(request)
    let refusals = try await withThrowingTaskGroup(of: ServiceRefusal?.self) { [server] group in
      for number in 0..<20 {
        group.addTask { try await (number % 2 == 0 ? server : second).respond(response).0 }
      }
      return try await group.reduce(into: [ServiceRefusal?]()) { $0.append($1) }
    }
    #expect(refusals.count { $0 == nil } == 1)
    #expect(try await server.database.integers("SELECT count(*) FROM credential") == [1])
    #expect(try await server.database.integers("SELECT count(*) FROM enrolment") == [0])
  }

  @Test func `the store lists a person's machines with what they reported, and when each was last used`() async throws {
    let desk = try await server.registered("alice", deviceID: "d", deviceName: "desk", deviceOS: "Linux 6.1")
    _ = try await server.registered("alice", deviceID: "l", deviceName: "laptop")
    _ = try await server.registered("alice")
    _ = try await server.registered("bob", deviceID: "d", deviceName: "bob's")
    server.advance(seconds: 100)
    // A second registration on the same machine, with a new name that the server does not keep.
    _ = try await server.registered(
      "alice", deviceID: "d", deviceName: "desk again", deviceOS: "Linux 6.2", model: "5541#0002")
    server.advance(seconds: 100)
    let response = try await desk.authenticate(server.authenticationRequest("alice"), counter: 1)
    #expect(try await server.respond(response).0 == nil)
    let (devices, nobody) = try await server.store.read { records in
      (try records.credentials.devices(of: "alice"), try records.credentials.devices(of: "carol"))
    }
    let start = server.now - 200
    #expect(
      devices == [
        AccountDevice(
          name: "desk", model: nil, system: "Linux 6.2", keys: 2, revokedKeys: 0, registeredAt: start + 100,
          lastUsedAt: server.now),
        AccountDevice(
          name: "laptop", model: nil, system: nil, keys: 1, revokedKeys: 0, registeredAt: start, lastUsedAt: nil),
        AccountDevice(
          name: nil, model: nil, system: nil, keys: 1, revokedKeys: 0, registeredAt: start, lastUsedAt: nil),
      ])
    #expect(nobody.isEmpty)
  }

  @Test func `requests for a registration that nobody answered are removed`() async throws {
    for _ in 0..<6 {
      server.advance(seconds: IssuedRequest.lifetime)
      var context = RequestContext(username: "alice")
      context.codeProof = try await server.enrol("alice")
      #expect(try await server.get(.registration, context).statusCode == .ok)
    }
    #expect(try await server.database.integers("SELECT count(*) FROM openRegistration") == [1])
  }

  @Test func `a transaction whose body throws stores nothing, and the next one works`() async throws {
    struct Planted: Error {}
    await #expect(throws: Planted.self) {
      try await server.store.write { records in
        try records.accounts.add("alice", now: 1)
        throw Planted()
      }
    }
    #expect(try await server.store.read { try $0.accounts.exists("alice") } == false)
    try await server.store.write { try $0.accounts.add("alice", now: 1) }
    #expect(try await server.store.read { try $0.accounts.exists("alice") })
  }

  @Test func `a change in a read transaction of the store fails`() async throws {
    await #expect(throws: (any Error).self) {
      try await server.store.read { try $0.accounts.add("alice", now: 1) }
    }
    #expect(try await server.store.read { try $0.accounts.exists("alice") } == false)
  }

  @Test func `a part of a transaction that is not kept is rolled back, and its other changes stay`() async throws {
    struct Planted: Error {}
    try await server.store.write { records in
      try records.accounts.add("alice", now: 1)
      try records.keeping {
        try records.accounts.add("bob", now: 1)
        return false
      }
      #expect(throws: Planted.self) {
        try records.keeping {
          try records.accounts.add("carol", now: 1)
          throw Planted()
        }
      }
      try records.keeping {
        try records.accounts.add("dora", now: 1)
        return true
      }
    }
    #expect(try await server.database.texts("SELECT username FROM account ORDER BY username") == ["alice", "dora"])
  }

  @Test func `each instance reads the value of a setting that was written last`() async throws {
    #expect(try await server.store.read { try $0.settings.value(of: .publicURL) } == nil)
    for url in ["https://one", "https://two/한"] {
      try await server.store.write { try $0.settings.set(.publicURL, to: url) }
    }
    #expect(try await second().store.read { try $0.settings.value(of: .publicURL) } == "https://two/한")
  }

  @Test func `reading for a login finds the same keys as a transaction does, and whether a challenge was used`()
    async throws
  {
    let (name, appID) = ("alice", server.identity.appID)
    let authenticator = try await server.registered(name)
    try await server.database.addKeys([(name, "0001#0001")])
    let request = try await server.authenticationRequest(name)
    guard case .marked(let challenge) = PurposedChallenge.read(request.challenge) else { throw TestServer.Unexpected() }
    let issued = IssuedChallenge(
      hash: try SHA256.hash(challenge.unique), expiresAt: server.now + IssuedRequest.lifetime)
    let before = try await server.store.login(of: name, appID: appID, challenge: issued)
    #expect(!before.isUsed)
    #expect(before.keys.count == 2)
    #expect(try await server.respond(authenticator.authenticate(request, counter: 7)).0 == nil)
    _ = try await server.store.write { try $0.credentials.revokeAll(of: name, now: 1) }
    let after = try await second().store.login(of: name, appID: appID, challenge: issued)
    #expect(after.isUsed)
    #expect(after.keys.map(\.isRevoked) == [true, true])
    #expect(after.keys.map(\.signCounter).contains(7))
    #expect(try await server.store.read { try $0.credentials.keys(of: name, appID: appID) } == after.keys)
    // The same holds for a name without keys, and without a challenge to look up.
    #expect(try await server.store.login(of: "nobody", appID: appID, challenge: issued).isUsed)
    #expect(try await server.store.login(of: name, appID: "other", challenge: nil).keys.isEmpty)
    #expect(try await !server.store.login(of: name, appID: appID, challenge: nil).isUsed)
  }
}
