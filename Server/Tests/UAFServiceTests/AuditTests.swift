import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// What is written into the audit, and in which transaction.
@Suite(.onEachStore) struct AuditTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func rows(_ filter: AuditFilter = AuditFilter(), limit: Int = 10_000) async throws -> [AuditRow] {
    try await server.store.read { try $0.audit.rows(filter, limit: limit) }
  }

  /// An audit row of a kind that no version writes.
  private func event(_ account: String, time: Int64 = 5, kind: String = "test") -> AuditEntry {
    AuditEntry(time: time, kind: AuditKind(rawValue: kind), account: account, actor: .server, detail: "한 \u{1B}")
  }

  private func summary(_ server: TestServer) async throws -> AuditSummary {
    let verification = try server.verification()
    var summary = try await verification.run()
    // The rows of these tests span many years, and would all count as unsigned for too long. `AuditGapTests` tests that.
    summary.gaps = []
    return summary
  }

  @Test func `the store numbers and hashes audit rows without gaps, as the pure function does`() async throws {
    let events = ["alice", "bob", "한글"].map { event($0) }
    try await server.store.write { try $0.audit.append([events[0]]) }
    try await server.store.write { try $0.audit.append(Array(events[1...])) }
    var link = AuditLink.start
    var expected: [AuditRow] = []
    for event in events {
      link = try link.next(event.body)
      expected.append(AuditRow(link: link, event: event))
    }
    #expect(try await rows() == expected)
    #expect(try await server.store.read { try $0.audit.last() } == link)
  }

  @Test func `an audit text with U+0000 is stored without that character, and the chain stays valid`() async throws {
    let entry = AuditEntry(
      time: 1, kind: .denial, outcome: "a\0b", account: "\0", actor: .person, address: "1\0", machine: "desk\0\0x",
      authenticators: "k\0", detail: "{}\0")
    try await server.store.write { try $0.audit.append([entry, event("alice")]) }
    let row = try #require(try await rows().first?.event)
    #expect(row.machine == "desk\u{FFFD}\u{FFFD}x" && row == entry)
    #expect(
      entry.texts == [
        "denial", "a\u{FFFD}b", "\u{FFFD}", "person", "1\u{FFFD}", row.machine, "k\u{FFFD}", "{}\u{FFFD}",
      ])
    _ = try await server.signer.sign(after: nil)
    #expect(try await summary(server) == AuditSummary(rows: 2, last: 2, signed: 2))
  }

  @Test(arguments: ["deviceID", "deviceName", "deviceModel", "deviceOS"])
  func `a request with U+0000 in a machine's texts is refused, and stores nothing`(member: String) async throws {
    let code = Base64URL.encode(try RandomBytes.make(20))
    let expires = server.now + 60
    try await server.enrol("alice")
    _ = try await server.store.write {
      try $0.approvals.open("Asked of alice by root at the server: pay", code: code, for: "alice", expiresAt: expires)
    }
    let text = #"{"username":"alice","authCode":"\#(code)","deny":true,"\#(member)":"a\u0000b"}"#
    let answer = try await server.get(GetUAFRequest(op: .authentication, context: text))
    #expect(answer.statusCode == .badRequest)
    #expect(try await rows().isEmpty)
  }

  @Test func `a read transaction adds no audit row`() async throws {
    await #expect(throws: (any Error).self) { try await server.store.read { try $0.audit.append([event("alice")]) } }
    #expect(try await rows().isEmpty)
  }

  @Test func `a failed transaction leaves no audit row`() async throws {
    struct Planted: Error {}
    await #expect(throws: Planted.self) {
      try await server.store.write { records in
        try records.audit.append([event("alice")])
        throw Planted()
      }
    }
    #expect(try await rows().isEmpty)
  }

  @Test func `a change that is rolled back within a transaction leaves no audit row`() async throws {
    try await server.store.write { records in
      try records.audit.append([event("alice")])
      try records.keeping {
        try records.audit.append([event("bob")])
        return false
      }
      try records.keeping {
        try records.audit.append([event("carol")])
        return true
      }
    }
    #expect(try await rows().map(\.event.account) == ["alice", "carol"])
  }

  @Test func `registration and login each have an audit row, with machine, keys and counter`() async throws {
    let alice = try await server.registered("alice", deviceID: "d", deviceName: "desk")
    let response = try await alice.authenticate(server.authenticationRequest("alice"), counter: 7)
    #expect(try await server.respond(response).0 == nil)
    let key = "\(alice.aaid.text) \(alice.keyID.text)"
    let now = server.now
    #expect(
      try await rows().map(\.event) == [
        AuditEntry(
          time: now, kind: .registration, account: "alice", actor: .person, machine: "desk", authenticators: key,
          detail: #"{"by":"code"}"#),
        AuditEntry(
          time: now, kind: .login, account: "alice", actor: .person, machine: "desk", authenticators: "\(key) 7"),
      ])
  }

  /// A login whose request has `asked` as its context, and whose answer has `told`.
  ///
  /// - Returns: the detail of its row.
  private func detail(asked: String, told: String) async throws -> String? {
    let alice = try await server.registered("alice")
    let answer = try await server.get(GetUAFRequest(op: .authentication, context: asked))
    let response = try alice.authenticate(try TestServer.authenticationRequest(in: answer), counter: 7)
    let body = SendUAFResponse(uafResponse: response.text, context: told)
    let service = ResponseService(environment: server.environment)
    guard case .accepted = try await service.respond(body) else { return nil }
    return try await rows(AuditFilter(kind: .login)).last?.event.detail
  }

  private static func context(_ service: String) -> String { #"{"username":"alice","service":"\#(service)"}"# }

  @Test func `a login's audit row has the service that the machine has named in its request and in its answer`()
    async throws
  {
    let context = Self.context("sudo-i")
    #expect(try await detail(asked: context, told: context) == #"{"service":"sudo-i"}"#)
    #expect(try await rows(AuditFilter(kind: .login)).last?.event.service == "sudo-i")
  }

  @Test(arguments: [
    (context("sudo"), context("sshd")), (#"{"username":"alice"}"#, context("sshd")),
    (context("sudo"), #"{"username":"alice"}"#), (context("two words"), context("two words")),
    (#"{"service":"sudo","username":"alice"}"#, context("sudo")),
  ])
  func `a login whose request and answer do not name the same service is accepted, and its audit row has none`(
    asked: String, told: String
  ) async throws {
    #expect(try await detail(asked: asked, told: told) == "")
  }

  @Test func `a request and a refused login leave no audit row of a login`() async throws {
    let alice = try await server.registered("alice")
    let response = try await alice.authenticate(
      server.authenticationRequest("alice"), counter: 7, signedBy: FakeAuthenticator())
    #expect(try await server.respond(response).0 == .invalidSignature)
    #expect(try await rows(AuditFilter(kind: .login)).isEmpty)
  }

  @Test func `a confirmed text and a denied text have audit rows that name the approval and its kind`() async throws {
    let alice = try await server.registered("alice")
    for denies in [false, true] {
      let code = Base64URL.encode(try RandomBytes.make(20))
      let expires = server.now + 60
      let id = try await server.store.write {
        try $0.approvals.open("Asked of alice by root at the server: pay", code: code, for: "alice", expiresAt: expires)
      }
      var context = RequestContext(username: "alice")
      context.authCode = code
      context.denies = denies ? true : nil
      let answer = try await server.get(.authentication, context)
      if !denies {
        let request = try TestServer.authenticationRequest(in: answer)
        let response = try alice.authenticate(
          request, counter: 1, confirming: "Asked of alice by root at the server: pay")
        #expect(try await server.respond(response).0 == nil)
      }
      let row = try #require(try await rows().last?.event)
      #expect(row.kind == (denies ? .denial : .confirmation))
      #expect(row.detail.contains(#""approval":\#(id)"#) && row.detail.contains(#""kind":"approval""#))
    }
  }

  @Test func `a deregistration has an audit row with the deleted keys`() async throws {
    let alice = try await server.registered("alice", deviceID: "d")
    var context = RequestContext(username: "alice")
    context.deviceID = "d"
    context.deregisterAll = true
    let request = try TestServer.authenticationRequest(in: try await server.get(.authentication, context))
    context.proof = try await server.respond(alice.authenticate(request, counter: 1)).1?.value
    #expect(try await server.get(.deregistration, context).statusCode == .ok)
    let row = try #require(try await rows().last?.event)
    #expect(row.kind == .deregistration && row.authenticators == "\(alice.aaid.text) \(alice.keyID.text)")
  }

  @Test func `simultaneous logins and writes at two instances make one chain with one row for each`() async throws {
    let second = try TestServer(database: server.database.reopened(), keys: server.environment.keys)
    var answers: [UAFResponse] = []
    for number in 0..<60 {
      let person = try await server.registered("person\(number)")
      answers.append(try await person.authenticate(server.authenticationRequest("person\(number)"), counter: 5))
    }
    try await withThrowingTaskGroup(of: Void.self) { [server] group in
      for (number, answer) in answers.enumerated() {
        group.addTask { () async throws in
          let refusal = try await (number.isMultiple(of: 2) ? server : second).respond(answer).0
          #expect(refusal == nil)
        }
        group.addTask { () async throws in
          let event = event("writer\(number)")
          try await (number.isMultiple(of: 2) ? second : server).store.write { try $0.audit.append([event]) }
        }
      }
      try await group.waitForAll()
    }
    let rows = try await rows()
    #expect(rows.map(\.number) == Array(1...180))
    #expect(Set(rows.filter { $0.event.kind == .login }.map(\.event.account)).count == 60)
    _ = try await server.signer.sign(after: nil)
    #expect(try await summary(server) == AuditSummary(rows: 180, last: 180, signed: 180))
  }

  @Test func `a response that is refused within a batch leaves no audit row, and no gap in the numbers`() async throws {
    var answers: [UAFResponse] = []
    for number in 0..<20 {
      let person = try await server.registered("person\(number)")
      answers.append(try await person.authenticate(server.authenticationRequest("person\(number)"), counter: 5))
    }
    _ = try await server.store.write { try $0.credentials.revokeAll(of: "person7", now: 1) }
    await withTaskGroup(of: Void.self) { [server] group in
      for answer in answers { group.addTask { _ = try? await server.respond(answer) } }
    }
    let accounts = try await rows(AuditFilter(kind: .login)).map(\.event.account)
    #expect(accounts.count == 19 && !accounts.contains("person7"))
    _ = try await server.signer.sign(after: nil)
    #expect(try await summary(server).fault == nil)
  }

  @Test func `audit rows are found by account, kind, outcome, time and number`() async throws {
    let events = (1...10).map { number in
      event(number.isMultiple(of: 2) ? "alice" : "bob", time: Int64(number), kind: number > 5 ? "late" : "early")
    }
    try await server.store.write { try $0.audit.append(events) }
    func numbers(_ filter: AuditFilter, limit: Int = 100) async throws -> [Int64] {
      try await rows(filter, limit: limit).map(\.number)
    }
    #expect(try await numbers(AuditFilter(account: "alice")) == [2, 4, 6, 8, 10])
    #expect(try await numbers(AuditFilter(after: 4, account: "alice"), limit: 2) == [6, 8])
    #expect(try await numbers(AuditFilter(kind: AuditKind(rawValue: "late"))) == [6, 7, 8, 9, 10])
    #expect(try await numbers(AuditFilter(since: 3, until: 6)) == [3, 4, 5])
    #expect(try await numbers(AuditFilter(outcome: "other")).isEmpty)
    #expect(try await numbers(AuditFilter(account: "ALICE")).isEmpty)
    #expect(try await server.store.read { try $0.audit.firstNumber(since: 4) } == 4)
    #expect(try await server.store.read { try $0.audit.firstNumber(since: 11) } == nil)
  }

  @Test func `rows that two processes add to the audit in turn form one chain`() async throws {
    let second = try server.database.reopened()
    for (number, store) in [server.store, second.store, server.store, second.store].enumerated() {
      let event = event("writer\(number)")
      try await store.write { try $0.audit.append([event]) }
    }
    let alice = try await server.registered("alice")
    try await second.store.write { try $0.audit.append([event("between")]) }
    let response = try await alice.authenticate(server.authenticationRequest("alice"), counter: 1)
    #expect(try await server.respond(response).0 == nil)
    _ = try await server.signer.sign(after: nil)
    #expect(try await summary(server) == AuditSummary(rows: 7, last: 7, signed: 7))
  }
}
