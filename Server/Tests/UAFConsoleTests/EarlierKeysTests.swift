import Testing
import UAFAdministration
import UAFMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Keys whose enrolment codes no administrator issued, and the roles of their owners.
@Suite(.onEachStore) struct EarlierKeysTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  /// Whether a key can confirm the text that a payload leads to.
  private func canConfirm(_ line: EnrolmentPayload, with key: FakeAuthenticator) async throws -> Bool {
    var context = RequestContext(username: line.username)
    context.authCode = line.authCode
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let text = String(decoding: try #require(request.transaction.first).content, as: UTF8.self)
    return try await server.respond(key.authenticate(request, counter: 1, confirming: text)).0 == nil
  }

  private func counts(_ name: String) async throws -> [Bool] {
    try await server.store.read { try $0.credentials.records(of: name) }.map(\.countsForSteps)
  }

  private func signInLine(_ name: String) async throws -> (ConsoleBrowser, EnrolmentPayload) {
    let browser = ConsoleBrowser(server)
    _ = await browser.post("/console/sign-in", "name=\(name)")
    return (browser, try await browser.line("/console/sign-in"))
  }

  @Test func `a key from a helpdesk code cannot sign in to the console, and still logs in elsewhere`() async throws {
    let key = try await server.registered("bob", reachesPrivileged: false)
    try await server.make("bob", .administrator)
    let (browser, line) = try await signInLine("bob")
    #expect(try await !canConfirm(line, with: key))
    _ = await browser.post("/console/sign-in/continue", "")
    #expect(!browser.hasSession)
    let request = try await server.authenticationRequest("bob")
    #expect(try await server.respond(key.authenticate(request, counter: 2)).0 == nil)
  }

  @Test func `a key that is not valid for administration confirms no step, even in a session that a valid key began`()
    async throws
  {
    let (browser, good) = try await server.signedIn("alice", .administrator)
    let other = try await server.registered("alice", deviceID: "other", reachesPrivileged: false)
    try await server.enrol("bob")
    _ = await browser.post("/console/person/delete", "name=bob&csrf=\(try await browser.csrf())")
    let line = try await browser.line("/console/confirm")
    #expect(try await !canConfirm(line, with: other))
    _ = try await server.confirm(line, with: good, counter: 2)
  }

  @Test
  func `keys not valid for administration are shown with their issuers before a role is given, and in the signed text`()
    async throws
  {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    let old = try await server.registered("bob", reachesPrivileged: false)
    let csrf = try await browser.csrf()
    let page = await browser.post("/console/administrators/set", "name=bob&role=operator&csrf=\(csrf)")
    #expect(page.status == .ok)
    #expect(ConsoleBrowser.text(page).contains("token desk") && ConsoleBrowser.text(page).contains(old.keyID.text))
    let shown = FormFields.encoded("\(old.aaid.text) \(old.keyID.text) token desk")
    let body = "name=bob&role=operator&keys=all&shown=\(shown)&csrf=\(csrf)"
    #expect(await browser.post("/console/administrators/set-keys", body).status == .seeOther)
    #expect(try await counts("bob") == [false])
    let text = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(text.hasPrefix("Console: Give bob the role operator, keys that count: 1 by token desk, SHA-256 "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    #expect(try await counts("bob") == [true])
    #expect(try await canConfirm(signInLine("bob").1, with: old))
  }

  @Test func `a role can be given without accepting earlier keys, and a new key from an administrator's code is valid`()
    async throws
  {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    _ = try await server.registered("bob", reachesPrivileged: false)
    let csrf = try await browser.csrf()
    _ = await browser.post(
      "/console/administrators/set-keys", "name=bob&role=operator&keys=none&shown=&csrf=\(csrf)")
    let text = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(text.hasPrefix("Console: Give bob the role operator, code "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    _ = try await server.registered("bob", deviceID: "new")
    #expect(try await counts("bob") == [false, true])
  }

  @Test(arguments: ["", "x", "5541#0001 Zm9v"])
  func `a request to accept keys without naming their issuers is refused before a signature`(
    shown: String
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    let body = "name=bob&role=operator&keys=\(shown.isEmpty ? "some" : "all")&shown=\(FormFields.encoded(shown))"
    #expect(await browser.post("/console/administrators/set-keys", "\(body)&csrf=\(csrf)").status == .badRequest)
  }

  @Test func `if the issuers of keys do not fit into the text to sign, the text contains a hash over them`() throws {
    let (aaid, keyID) = (try AAID("5541#0001"), try KeyID(bytes: [UInt8](repeating: 7, count: 32)))
    let keys = (0..<9).map { number in
      EarlierKey(.uaf(aaid, keyID), issuedBy: "administrator someone\(number)")
    }
    let text = try #require(try DangerousStep.setRole(.operator, of: "bob", counting: keys).shownText(number: "0042"))
    #expect(
      text.hasPrefix("Console: Give bob the role operator, keys that count: 9, SHA-256 ")
        && text.hasSuffix(", code 0042"))
    let others = keys.dropLast() + [EarlierKey(keys[0].name, issuedBy: "administrator mallory")]
    #expect(try DangerousStep.setRole(.operator, of: "bob", counting: Array(others)).shownText(number: "0042") != text)
  }
}
