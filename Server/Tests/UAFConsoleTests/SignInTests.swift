import Testing
import UAFAdministration
import UAFMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Signing in, and confirming dangerous steps.
@Suite(.onEachStore) struct SignInTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  @Test func `confirming a sign-in's text makes a session in the browser that requested the sign-in`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(browser.hasSession)
    #expect(await browser.get("/console/people").status == .ok)
    let kinds = try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 100).map(\.event.kind) }
    #expect(kinds.contains(.consoleSignIn))
  }

  @Test func `nobody is signed in to the console before the sign-in's text is confirmed`() async throws {
    try await server.make("alice", .administrator)
    let browser = ConsoleBrowser(server)
    _ = await browser.post("/console/sign-in", "name=alice")
    #expect(await browser.post("/console/sign-in/continue", "").status == .ok)
    #expect(!browser.hasSession)
    #expect(await browser.get("/console").status == .seeOther)
  }

  @Test func `confirming a sign-in does not sign in a different browser, nor the same browser twice`() async throws {
    let key = try await server.registered("alice")
    try await server.make("alice", .auditor)
    let (browser, other) = (ConsoleBrowser(server), ConsoleBrowser(server))
    _ = await browser.post("/console/sign-in", "name=alice")
    _ = await other.post("/console/sign-in", "name=alice")
    _ = try await server.confirm(browser.line("/console/sign-in"), with: key, counter: 1)
    let copy = ConsoleBrowser(server)
    copy.steal("__Host-uaf-sign-in", from: browser)
    _ = await other.post("/console/sign-in/continue", "")
    _ = await browser.post("/console/sign-in/continue", "")
    _ = await copy.post("/console/sign-in/continue", "")
    #expect(browser.hasSession && !other.hasSession && !copy.hasSession)
  }

  @Test func `of two signatures over the text of one sign-in, only one is accepted`() async throws {
    let key = try await server.registered("alice")
    let browser = ConsoleBrowser(server)
    _ = await browser.post("/console/sign-in", "name=alice")
    var context = RequestContext(username: "alice")
    context.authCode = try await browser.line("/console/sign-in").authCode
    let first = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    server.advance(seconds: 7)
    let second = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let text = String(decoding: try #require(first.transaction.first).content, as: UTF8.self)
    let answers = try [(first, UInt32(1)), (second, 2)].map { try key.authenticate($0, counter: $1, confirming: text) }
    #expect(try await server.respond(answers[0]).0 == nil)
    #expect(try await server.respond(answers[1]).0 == .unknownChallenge)
  }

  @Test func `while the audit is unsigned nobody can sign in or change anything, and pages are still shown`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let (waiting, _) = try await server.confirmed("bob", .administrator)
    server.environment.auditStanding.note(SignedMoment(link: .start, time: server.now - AuditGap.bound - 1))
    let page = await ConsoleBrowser(server).post("/console/sign-in", "name=alice")
    #expect(page.status == .serviceUnavailable)
    #expect(ConsoleBrowser.text(page).contains("The audit has not been signed for five minutes."))
    #expect(await waiting.post("/console/sign-in/continue", "").status == .serviceUnavailable && !waiting.hasSession)
    #expect(await browser.get("/console/people").status == .ok)
    let csrf = try await browser.csrf()
    for path in ["/console/people/add", "/console/confirm"] {
      #expect(await browser.post(path, "csrf=\(csrf)&name=mina").status == .serviceUnavailable)
    }
    server.environment.auditStanding.note(SignedMoment(link: .start, time: server.now))
    #expect(await waiting.post("/console/sign-in/continue", "").status == .seeOther && waiting.hasSession)
  }

  @Test func `an account without a role is refused after it has confirmed its sign-in`() async throws {
    let key = try await server.registered("alice")
    let browser = ConsoleBrowser(server)
    _ = await browser.post("/console/sign-in", "name=alice")
    _ = try await server.confirm(browser.line("/console/sign-in"), with: key, counter: 1)
    #expect(await browser.post("/console/sign-in/continue", "").status == .forbidden)
    #expect(!browser.hasSession)
  }

  @Test func `requesting a sign-in changes nothing in the store, and looks the same for a name without an account`()
    async throws
  {
    try await server.make("alice", .administrator)
    let before = try await server.database.changes()
    let (known, unknown) = (ConsoleBrowser(server), ConsoleBrowser(server))
    let answers = [
      await known.post("/console/sign-in", "name=alice"), await unknown.post("/console/sign-in", "name=mallo"),
    ]
    let pages = [await known.get("/console/sign-in"), await unknown.get("/console/sign-in")]
    #expect(answers[0].status == answers[1].status)
    #expect(pages[0].status == .ok && pages[1].status == .ok)
    #expect(try await server.database.changes() == before)
  }

  @Test func `a console session ends when the account's role changes`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    try await server.make("alice", .auditor)
    #expect(await browser.get("/console").status == .seeOther)
  }

  @Test func `a console session ends when a key of the account is revoked`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let keys = KeyAdministration(server.administration)
    #expect(try await keys.revoke(.all(of: "alice"), by: TestServer.root) == 1)
    #expect(await browser.get("/console").status == .seeOther)
  }

  @Test func `a console session ends after 15 minutes without a request`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    server.advance(seconds: ConsoleSession.idle - 1)
    #expect(await browser.get("/console").status == .ok)
    server.advance(seconds: ConsoleSession.idle)
    #expect(await browser.get("/console").status == .seeOther)
  }

  @Test func `a form of the console without the session's token, or from a different site, changes nothing`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/people/add", "name=bob&csrf=x").status == .forbidden)
    #expect(
      await browser.post("/console/people/add", "name=bob&csrf=\(csrf)", origin: "https://evil.test").status
        == .forbidden)
    #expect(try await server.store.read { try !$0.accounts.exists("bob") })
    #expect(await browser.post("/console/people/add", "name=bob&csrf=\(csrf)").status == .seeOther)
    #expect(try await server.store.read { try $0.accounts.exists("bob") })
  }

  /// The forms that only show something.
  private static let harmless: Set = ["/console/policies/preview", PeopleBulk.filePath]

  @Test(arguments: FormRoutes.paths.filter { !harmless.contains($0) && !UploadLimit.paths.contains($0) })
  func `an auditor is refused every form of the console that changes something`(path: String) async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let csrf = try await browser.csrf()
    // All fields of all forms, so that only the permission is missing.
    let named = "name=alice&id=x&machine=d&key=5541%230001+AAAA&keys=none&number=1&group=lab&role=auditor"
    let said = "lifetime=900&seconds=60&machines=1&text=pay&reason=gone&policy=%7B%7D&after=0&lockOut=0"
    #expect(await browser.post(path, "\(named)&\(said)&csrf=\(csrf)").status == .forbidden)
    // A sender without the permission is not told about mistakes in the form.
    #expect(await browser.post(path, "csrf=\(csrf)").status == .forbidden)
  }

  @Test func `a dangerous step is performed once, after its text was confirmed, exactly as confirmed`() async throws {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    try await server.enrol("bob")
    try await server.enrol("carol")
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/person/delete", "name=bob&csrf=\(csrf)").status == .seeOther)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    let line = try await browser.line("/console/confirm")
    let text = try await server.confirm(line, with: key, counter: 2)
    #expect(text.hasPrefix("Console: Delete account bob, code "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)&name=carol").status == .ok)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await server.store.read { try !$0.accounts.exists("bob") && $0.accounts.exists("carol") })
    let signed = try await server.store.read { try $0.confirmedTexts.confirmation(2)?.shown }
    #expect(signed == text)
  }

  @Test func `the confirmation of one dangerous step does not perform a different step`() async throws {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    _ = await browser.post("/console/administrators/set", "name=bob&role=auditor&csrf=\(csrf)")
    _ = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    _ = await browser.post("/console/person/delete", "name=bob&csrf=\(csrf)")
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await server.store.read { try $0.accounts.exists("bob") })
  }

  @Test func `signing out ends the console session`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let thief = ConsoleBrowser(server)
    thief.steal("__Host-uaf-session", from: browser)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/sign-out", "csrf=\(csrf)").status == .seeOther)
    #expect(await thief.get("/console").status == .seeOther)
  }
}
