import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Responses that are stored together.
@Suite(.onEachStore) struct StoredAnswerTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func counters() async throws -> [Int] {
    try await server.database.integers("SELECT signCounter FROM credential ORDER BY id")
  }

  private func used() async throws -> Int? {
    try await server.database.integers("SELECT count(*) FROM usedChallenge").first
  }

  /// Responses of this many people, not yet sent.
  private func answers(_ count: Int) async throws -> [UAFResponse] {
    var answers: [UAFResponse] = []
    for number in 0..<count {
      let authenticator = try await server.registered("person\(number)")
      answers.append(try await authenticator.authenticate(server.authenticationRequest("person\(number)"), counter: 5))
    }
    return answers
  }

  /// What the store has to keep of a response with a counter.
  private func verified(
    _ counter: UInt32, by authenticator: FakeAuthenticator, as name: String = "alice",
    _ request: AuthenticationRequest? = nil
  ) async throws -> VerifiedResponse {
    var asked = request
    if asked == nil { asked = try await server.authenticationRequest(name) }
    let request = try #require(asked)
    guard case .authentication(let response) = try authenticator.authenticate(request, counter: counter) else {
      throw TestServer.Unexpected()
    }
    return try await VerifiedResponse.made(of: response, to: request, by: name, at: server)
  }

  /// Sends all responses at the same time; returns how many had each outcome.
  private func send(_ answers: [UAFResponse]) async throws -> [ServiceRefusal?: Int] {
    try await withThrowingTaskGroup(of: ServiceRefusal?.self) { group in
      for answer in answers { group.addTask { try await server.respond(answer).0 } }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
  }

  @Test func `the counters of a hundred responses that arrive at the same time are all stored`() async throws {
    #expect(try await send(answers(100)) == [nil: 100])
    let reopened = try server.database.reopened()
    let counters = try await reopened.integers("SELECT signCounter FROM credential")
    #expect(counters == [Int](repeating: 5, count: 100))
  }

  @Test func `in a batch only the response whose key was revoked is refused, and nothing of it is stored`() async throws
  {
    let answers = try await answers(20)
    // The key is revoked after the responses were made. At the latest, the commit finds that.
    _ = try await server.store.write { try $0.credentials.revokeAll(of: "person7", now: 1) }
    #expect(try await send(answers) == [nil: 19, .revokedKey: 1])
    #expect(try await used() == 19)
  }

  @Test func `a response is refused if its key is revoked between its verification and its commit`() async throws {
    let alice = try await server.registered("alice")
    #expect(try await server.store.refusal(of: verified(1, by: alice)) == nil)
    let late = try await verified(2, by: alice)
    _ = try await server.store.write { try $0.credentials.revokeAll(of: "alice", now: 1) }
    #expect(try await server.store.refusal(of: late) == .counterNotIncreased)
    #expect(try await used() == 1)
  }

  @Test func `a challenge that was used is refused, whoever signs it`() async throws {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    let answer = try await verified(1, by: alice, request)
    #expect(try await server.store.refusal(of: answer) == nil)
    #expect(try await server.store.refusal(of: answer) == .unknownChallenge)
    #expect(try await counters() == [1])
  }

  @Test func `a challenge that was used is refused even with a higher counter`() async throws {
    let alice = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    let two = try await [verified(1, by: alice, request), verified(2, by: alice, request)]
    #expect(try await server.store.refusal(of: two[0]) == nil)
    #expect(try await server.store.refusal(of: two[1]) == .unknownChallenge)
    #expect(try await counters() == [1])
  }

  @Test func `of simultaneous responses with one key, those are stored whose counter is higher than all before`()
    async throws
  {
    let alice = try await server.registered("alice")
    var answers: [VerifiedResponse] = []
    for counter in 1...40 { answers.append(try await verified(UInt32(counter), by: alice)) }
    let stored = try await withThrowingTaskGroup(of: (Int, ServiceRefusal?).self) { group in
      for (index, answer) in answers.enumerated() {
        group.addTask { (index + 1, try await server.store.refusal(of: answer)) }
      }
      return try await group.reduce(into: [Int]()) { if $1.1 == nil { $0.append($1.0) } }
    }
    #expect(stored.contains(40))
    #expect(try await used() == stored.count)
    #expect(try await counters() == [40])
  }

  @Test func `a stored counter of 0 may stay 0, and no counter goes back`() async throws {
    let alice = try await server.registered("alice")
    try await server.database.execute("UPDATE credential SET signCounter = 0")
    let answers = try await [verified(0, by: alice), verified(0, by: alice), verified(3, by: alice)]
    let late = try await [verified(3, by: alice), verified(0, by: alice)]
    for answer in answers { #expect(try await server.store.refusal(of: answer) == nil) }
    for answer in late { #expect(try await server.store.refusal(of: answer) == .counterNotIncreased) }
    #expect(try await counters() == [3])
  }

  @Test func `a response with several keys is stored as a whole or not at all`() async throws {
    let (alice, second) = (try await server.registered("alice"), try await server.registered("alice"))
    let (one, two) = try await (verified(5, by: alice), verified(5, by: second))
    func both(_ first: VerifiedResponse, _ second: VerifiedResponse) -> VerifiedResponse {
      VerifiedResponse(
        username: "alice", challengeHash: first.challengeHash, expiresAt: first.expiresAt,
        signatures: first.signatures + second.signatures, confirmedTexts: [], approvalID: nil, now: first.now)
    }
    #expect(try await server.store.refusal(of: both(one, two)) == nil)
    let (next, old) = try await (verified(6, by: alice), two)
    #expect(try await server.store.refusal(of: both(next, old)) == .counterNotIncreased)
    #expect(try await counters() == [5, 5])
    #expect(try await used() == 1)
    #expect(try await server.store.refusal(of: next) == nil)
  }

  @Test func `a response under a different account's name raises no counter`() async throws {
    let alice = try await server.registered("alice")
    _ = try await server.registered("bob")
    let own = try await verified(5, by: alice)
    let stolen = VerifiedResponse(
      username: "bob", challengeHash: own.challengeHash, expiresAt: own.expiresAt, signatures: own.signatures,
      confirmedTexts: [], approvalID: nil, now: own.now)
    #expect(try await server.store.refusal(of: stolen) == .counterNotIncreased)
    #expect(try await used() == 0)
  }

  @Test func `a response that the database refuses fails, and the other responses of its batch are stored`()
    async throws
  {
    let answers = try await answers(30)
    try await server.database.forbidCounter(of: "person3")
    let results = await withTaskGroup(of: Bool?.self) { group in
      for answer in answers {
        group.addTask { do { return try await server.respond(answer).0 == nil } catch { return nil } }
      }
      return await group.reduce(into: [Bool?: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(results == [true: 29, nil: 1])
    #expect(try await used() == 29)
  }
}
