import Synchronization
import Testing
import UAFAdministration
import UAFMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// What people without a session can make the server do.
@Suite(.onEachStore) struct StrangerTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  @Test func `asking repeatedly whether a sign-in was confirmed needs no write transaction`() async throws {
    let store = WriteCounter(server.store)
    let environment = server.administration
    let browser = ConsoleBrowser(
      server,
      administration: AdministrationEnvironment(
        store: store, group: environment.group, now: environment.now, random: environment.random,
        publicURL: environment.publicURL, authority: environment.authority, verdictKeys: environment.verdictKeys,
        enrolments: environment.enrolments,
        models: environment.models))
    let key = try await server.registered("alice")
    try await server.make("alice", .auditor)
    _ = await browser.post("/console/sign-in", "name=alice")
    #expect(await browser.post("/console/sign-in/continue", "").status == .ok)
    #expect(store.writes == 0)
    _ = try await server.confirm(browser.line("/console/sign-in"), with: key, counter: 1)
    #expect(await browser.post("/console/sign-in/continue", "").status == .seeOther)
    #expect(store.writes == 1)
  }

  private func answer(_ line: EnrolmentPayload, denies: Bool) async throws -> UAFStatusCode {
    var context = RequestContext(username: line.username)
    context.authCode = line.authCode
    context.denies = denies
    return try await server.get(.authentication, context).statusCode
  }

  @Test func `a stranger who requests a sign-in and denies it changes nothing in the store`() async throws {
    _ = try await server.registered("alice")
    try await server.make("alice", .administrator)
    let before = try await server.database.changes()
    for name in ["alice", "nobody"] {
      let browser = ConsoleBrowser(server)
      _ = await browser.post("/console/sign-in", "name=\(name)")
      let line = try await browser.line("/console/sign-in")
      for _ in 0..<3 { #expect(try await answer(line, denies: true) == .ok) }
      #expect(await browser.post("/console/sign-in/continue", "").status == .ok)
      #expect(!browser.hasSession)
    }
    #expect(try await server.database.changes() == before)
  }

  @Test func `a sign-in that was confirmed cannot be denied`() async throws {
    let (browser, key) = (ConsoleBrowser(server), try await server.registered("alice"))
    try await server.make("alice", .auditor)
    _ = await browser.post("/console/sign-in", "name=alice")
    let line = try await browser.line("/console/sign-in")
    _ = try await server.confirm(line, with: key, counter: 1)
    #expect(try await answer(line, denies: true) == .unauthorized)
    _ = await browser.post("/console/sign-in/continue", "")
    #expect(browser.hasSession)
    #expect(try await answer(line, denies: true) == .unauthorized)
  }

  @Test func `a dangerous step is denied once and for good, and no longer after its session has ended`()
    async throws
  {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    _ = await browser.post("/console/person/delete", "name=bob&csrf=\(csrf)")
    let first = try await browser.line("/console/confirm")
    var context = RequestContext(username: "alice")
    context.authCode = first.authCode
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    #expect(try await answer(first, denies: true) == .ok)
    let before = try await server.database.changes()
    #expect(try await answer(first, denies: true) == .unauthorized)
    #expect(try await server.database.changes() == before)
    let text = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    _ = try await server.respond(key.authenticate(request, counter: 2, confirming: text))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await server.store.read { try $0.accounts.exists("bob") })
    let row = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .denial), limit: 9).first?.event }
    #expect(row?.detail == #"{"kind":"console-step"}"#)
    _ = await browser.post("/console/person/delete", "name=bob&csrf=\(csrf)")
    let second = try await browser.line("/console/confirm")
    _ = await browser.post("/console/sign-out", "csrf=\(csrf)")
    #expect(try await answer(second, denies: true) == .unauthorized)
  }

  @Test func `wrong approval codes are checked without a write transaction, and change nothing`()
    async throws
  {
    _ = try await server.registered("alice")
    let before = try await server.database.changes()
    let (store, own) = (WriteCounter(server.store), server.environment)
    let service = RequestService(
      environment: ServiceEnvironment(
        store: store, keys: own.keys, models: own.models, policies: own.policies, identity: own.identity, now: own.now,
        random: own.random))
    for name in ["alice", "nobody"] {
      for denies in [true, nil] {
        var context = RequestContext(username: name)
        context.authCode = "wrong"
        context.denies = denies
        let asked = RequestService.Asked(GetUAFRequest(op: .authentication, context: context.jsonText))
        guard case .refused(.wrongApprovalCode) = try await service.request(asked) else {
          Issue.record("a wrong code was accepted")
          continue
        }
      }
    }
    #expect(store.writes == 0)
    #expect(try await server.database.changes() == before)
  }

  @Test func `too many requests to the console without a session are refused, while those with a session are answered`()
    async throws
  {
    let admits = Admits()
    let browser = ConsoleBrowser(server) { admits.value.withLock { $0 } }
    let key = try await server.registered("alice")
    try await server.make("alice", .auditor)
    _ = await browser.post("/console/sign-in", "name=alice")
    _ = try await server.confirm(browser.line("/console/sign-in"), with: key, counter: 1)
    admits.value.withLock { $0 = false }
    #expect(await browser.get("/console/sign-in").status == .tooManyRequests)
    #expect(await browser.get("/console").status == .tooManyRequests)
    #expect(await browser.post("/console/sign-in", "name=alice").status == .tooManyRequests)
    #expect(await browser.post("/console/people/add", "name=bob").status == .tooManyRequests)
    #expect(await browser.post("/console/sign-in/continue", "").status == .tooManyRequests)
    admits.value.withLock { $0 = true }
    #expect(await browser.post("/console/sign-in/continue", "").status == .seeOther)
    admits.value.withLock { $0 = false }
    #expect(await browser.get("/console/about").status == .ok)
  }

  private final class Admits: Sendable {
    let value = Mutex(true)
  }
}
