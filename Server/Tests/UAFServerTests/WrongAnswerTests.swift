import NIOCore
import NIOHTTP1
import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFServer
@testable import UAFService

/// How often responses may be wrong: two instances over one store, each with its own limits in memory.
@Suite(.onEachStore) struct WrongAnswerTests {
  private let server: TestServer
  /// Two wrong responses a minute are allowed, and so a burst of four.
  private let admission = Admission(addressRate: 0, accountRate: 2)
  private let stranger: FakeAuthenticator

  init() throws {
    server = try TestServer()
    stranger = try FakeAuthenticator()
  }

  /// Gives the test two instances that have just started.
  private func withInstances(
    _ body: @escaping @Sendable (_ one: TestClient, _ two: TestClient) async throws -> Void
  ) async throws {
    try await server.application(admission).test { one in
      try await server.application(admission).test { two in try await body(one, two) }
    }
  }

  private func proof(by secret: MachineSecret, for account: String) throws -> String {
    let proof = try #require(
      MachineProof(
        machineID: secret.machineID,
        claim: MachineClaim(operation: .authentication, isAnswer: true, username: account), queue: .own,
        madeAt: server.now, nonce: RandomBytes.make(16)))
    return proof.text(with: try HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret.secret))
  }

  /// The status with which an instance replies to a response; nil for HTTP 429.
  private func send(
    _ response: UAFResponse, to instance: TestClient, knownBy secret: MachineSecret? = nil,
    for account: String = "alice"
  ) async throws -> UAFStatusCode? {
    var headers: HTTPHeaders = ["Content-Type": "application/fido+uaf"]
    if let secret { headers.add(name: UAFRoutes.machineProof, value: try proof(by: secret, for: account)) }
    let body = SendUAFResponse(uafResponse: response.text)
    let answer = try await instance.executeRequest(
      uri: "/uaf/respond", method: .POST, headers: headers, body: ByteBuffer(bytes: body.jsonBytes))
    guard answer.status != .tooManyRequests else { return nil }
    return try ServerResponse(parsing: [UInt8](buffer: answer.body)).statusCode
  }

  /// A response to a new request, signed with an unregistered key.
  private func wrongAnswer(for account: String = "alice") async throws -> UAFResponse {
    try await stranger.authenticate(server.authenticationRequest(account), counter: 1)
  }

  /// How many of `tries` wrong responses are refused with the reason, and not with HTTP 429.
  private func told(
    _ instance: TestClient, tries: Int = 9, knownBy secret: MachineSecret? = nil,
    for account: String = "alice", provingFor proved: String? = nil
  ) async throws -> Int {
    var told = 0
    for _ in 0..<tries {
      let status = try await send(
        wrongAnswer(for: account), to: instance, knownBy: secret, for: proved ?? account)
      if status != nil { told += 1 }
      #expect(status == nil || status == .unknownKeyID)
    }
    return told
  }

  private func secret(of authenticator: FakeAuthenticator, _ account: String = "alice") throws -> MachineSecret {
    try #require(try MachineProofs(keys: server.environment.keys).secret(of: account, holding: [authenticator.keyID]))
  }

  /// Responses of a registered key of the account whose counter does not grow.
  private func oldAnswers(_ count: Int) async throws -> [UAFResponse] {
    let person = try await server.registered("alice")
    let right = try await person.authenticate(server.authenticationRequest("alice"), counter: 9)
    #expect(try await server.respond(right).0 == nil)
    var answers: [UAFResponse] = []
    for _ in 0..<count {
      answers.append(try await person.authenticate(server.authenticationRequest("alice"), counter: 1))
    }
    return answers
  }

  @Test(arguments: ["alice", "nobody"])
  func `strangers have a budget of wrong responses at each instance, and write nothing to the store`(account: String)
    async throws
  {
    _ = try await server.registered("alice")
    let before = try await server.database.changes()
    try await withInstances { one, two async throws in
      #expect(try await told(one, for: account) == 4)
      #expect(try await told(two, for: account) == 4)
      #expect(try await told(one, tries: 1, for: account) == 0)
      #expect(try await told(two, for: "somebody") == 4)
    }
    #expect(try await server.database.changes() == before)
  }

  @Test func `a restarted instance does not refill a known machine's budget of wrong responses`() async throws {
    let machine = try secret(of: try await server.registered("alice"))
    try await withInstances { one, _ async throws in #expect(try await told(one, knownBy: machine) == 8) }
    try await withInstances { one, _ async throws in #expect(try await told(one, knownBy: machine) == 0) }
  }

  @Test func `responses of a key that reach both instances at the same time share one budget`() async throws {
    let answers = try await oldAnswers(20)
    try await withInstances { one, two in
      let told = try await withThrowingTaskGroup(of: UAFStatusCode?.self) { group in
        for (number, answer) in answers.enumerated() {
          group.addTask { try await send(answer, to: number.isMultiple(of: 2) ? one : two) }
        }
        return try await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
      }
      #expect(told == 4)
    }
  }

  @Test
  func `wrong responses of strangers never cause the refusal of a right one, from a known machine or any other`()
    async throws
  {
    let person = try await server.registered("alice")
    let machine = try secret(of: person)
    try await withInstances { one, two async throws in
      #expect(try await told(one) == 4)
      let known = try await person.authenticate(server.authenticationRequest("alice"), counter: 1)
      #expect(try await send(known, to: one, knownBy: machine) == .ok)
      let unknown = try await person.authenticate(server.authenticationRequest("alice"), counter: 2)
      #expect(try await send(unknown, to: two) == .ok)
    }
  }

  @Test func `a known machine has its own budget over both instances, and after that shares the account's budget`()
    async throws
  {
    let person = try await server.registered("alice")
    let machine = try secret(of: person)
    try await withInstances { one, two async throws in
      #expect(try await told(one, tries: 3, knownBy: machine) == 3)
      // One of the machine's own budget is left, and the four of the account's.
      #expect(try await told(two, knownBy: machine) == 5)
      #expect(try await told(one, knownBy: machine) == 0)
      #expect(try await told(one) == 4, "strangers have others")
    }
  }

  @Test func `strangers, and a machine of a different account, use up no budget of a known machine's wrong responses`()
    async throws
  {
    let (alice, bob) = (try await server.registered("alice"), try await server.registered("bob"))
    let (machine, other) = (try secret(of: alice), try secret(of: bob, "bob"))
    try await withInstances { one, two async throws in
      #expect(try await told(one, knownBy: other, provingFor: "bob") == 4, "a stranger to alice")
      #expect(try await told(two, tries: 4, knownBy: machine) == 4)
      #expect(try await told(two, knownBy: other, for: "bob") == 8)
    }
  }

  @Test func `requests, right responses and wrong ones beyond a machine's budget are not counted in the store`()
    async throws
  {
    let person = try await server.registered("alice")
    let machine = try secret(of: person)
    try await withInstances { one, _ async throws in
      let right = try await person.authenticate(server.authenticationRequest("alice"), counter: 1)
      #expect(try await send(right, to: one) == .ok)
      #expect(try await server.database.integers("SELECT count(*) FROM wrongAnswer") == [0])
      #expect(try await told(one, knownBy: machine) == 8)
      let level = try await server.database.integers("SELECT level FROM wrongAnswer")
      #expect(level.count == 2 && level.allSatisfy { $0 < 60 })
    }
  }

  @Test func `a wrong response that cannot be counted is refused without the reason`() async throws {
    let store = FailingStore(server.store)
    let wrong = try await oldAnswers(1)[0]
    store.fails(.writes)
    try await server.application(admission, store: store).test { instance async throws in
      #expect(try await send(wrong, to: instance) == .internalServerError)
    }
  }
}
