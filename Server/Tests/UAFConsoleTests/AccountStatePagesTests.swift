import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Locking, disabling and enabling from a person's page; closing a text from the text's page.
@Suite(.onEachStore) struct AccountStatePagesTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func state(_ name: String) async throws -> ServiceRefusal? {
    try await server.store.read { [now = server.now] in try $0.accounts.block(of: name)?.refusal(at: now) }
  }

  private func confirm(_ browser: ConsoleBrowser, _ key: FakeAuthenticator, _ csrf: String) async throws -> String {
    let text = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    return text
  }

  @Test func `in the console an account is disabled immediately, and enabled only after a signature`() async throws {
    let (browser, key) = try await server.signedIn("alice", .operator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    let asked = await browser.post("/console/person/disable", "name=bob&reason=gone&csrf=\(csrf)")
    #expect(asked.status == .seeOther)
    #expect(try await state("bob") == .accountDisabled)
    for path in ["/console/people", "/console/person?name=bob"] {
      #expect(ConsoleBrowser.text(await browser.get(path)).contains("by administrator alice: gone"), "\(path)")
    }
    let page = ConsoleBrowser.text(await browser.get("/console/person?name=bob"))
    #expect(page.contains("a public key in sshd") && !page.contains("/console/person/lock"))
    #expect(await browser.post("/console/person/enable", "name=bob&csrf=\(csrf)").status == .seeOther)
    #expect(try await state("bob") == .accountDisabled)
    #expect(try await confirm(browser, key, csrf).hasPrefix("Console: Enable account bob, code "))
    #expect(try await state("bob") == nil)
  }

  @Test func `in the console an account is locked for a time, and its page shows the lock until it ends`() async throws
  {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    _ = await browser.post("/console/person/lock", "name=bob&seconds=60&reason=lost&csrf=\(csrf)")
    #expect(try await state("bob") == .accountLocked)
    let page = ConsoleBrowser.text(await browser.get("/console/person?name=bob"))
    #expect(page.contains("until \(ViewerZone.utc.textWithZone(server.now + 60)) by administrator alice: lost"))
    server.advance(seconds: 60)
    #expect(
      !ConsoleBrowser.text(await browser.get("/console/person?name=bob")).contains("by administrator alice: lost"))
  }

  @Test(arguments: ["disable", "lock"]) func `in the console a privileged account is blocked only after a signature`(
    what: String
  ) async throws {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    try await server.enrol("bob")
    try await server.make("bob", .auditor)
    let body = "name=bob&seconds=60&reason=gone&csrf=\(csrf)"
    #expect(await browser.post("/console/person/\(what)", body).status == .seeOther)
    #expect(try await state("bob") == nil)
    let text = try await confirm(browser, key, csrf)
    #expect(
      text.hasPrefix(
        what == "lock" ? "Console: Lock account bob for 1 minute, code " : "Console: Disable account bob, code "))
    #expect(try await state("bob") != nil)
  }

  @Test(arguments: ["disable", "lock", "enable", "revoke", "revoke-all", "delete"])
  func `an operator cannot block or revoke an administrator, even with a signature`(what: String) async throws {
    let (browser, key) = try await server.signedIn("alice", .operator)
    let boss = try await server.registered("boss")
    try await server.make("boss", .administrator)
    let csrf = try await browser.csrf()
    let aKey = FormFields.encoded("\(boss.aaid.text) \(boss.keyID.text)")
    let answer = await browser.post(
      "/console/person/\(what)", "name=boss&seconds=60&reason=gone&key=\(aKey)&csrf=\(csrf)")
    if answer.status == .seeOther {
      _ = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
      #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .forbidden)
    } else {
      #expect(answer.status == .forbidden)
    }
    #expect(try await state("boss") == nil)
    #expect(try await server.store.read { try $0.credentials.records(of: "boss") }.map(\.revocation) == [nil])
  }

  @Test func `in the console a key of an administrator is revoked only after a signature`() async throws {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    let boss = try await server.registered("boss")
    try await server.make("boss", .operator)
    let csrf = try await browser.csrf()
    let aKey = FormFields.encoded("\(boss.aaid.text) \(boss.keyID.text)")
    let asked = await browser.post("/console/person/revoke", "name=boss&reason=gone&key=\(aKey)&csrf=\(csrf)")
    #expect(asked.status == .seeOther)
    #expect(try await server.store.read { try $0.credentials.records(of: "boss") }.first?.revocation == nil)
    #expect(try await confirm(browser, key, csrf).hasPrefix("Console: Revoke key \(boss.keyID.text) of boss, code "))
    #expect(try await server.store.read { try $0.credentials.records(of: "boss") }.first?.revocation != nil)
  }

  @Test(arguments: [Role.auditor, .helpdesk])
  func `a role that may not manage accounts sees no form to lock or disable, and is refused`(
    role: Role
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", role)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    let page = ConsoleBrowser.text(await browser.get("/console/person?name=bob"))
    for what in ["disable", "lock", "enable"] {
      #expect(!page.contains("/console/person/\(what)\""))
      let body = "name=bob&seconds=60&reason=gone&csrf=\(csrf)"
      #expect(await browser.post("/console/person/\(what)", body).status == .forbidden)
    }
    #expect(try await state("bob") == nil)
  }

  @Test(arguments: [
    "name=bob&seconds=60", "name=bob&seconds=60&reason=%0a", "name=bob&seconds=0&reason=x",
    "name=bob&seconds=31536001&reason=x", "name=bob&seconds=1h&reason=x", "name=alice&seconds=0&reason=x",
  ]) func `a lock without a reason or a valid time is refused before a signature is asked for`(body: String)
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .operator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/person/lock", "\(body)&csrf=\(csrf)").status == .badRequest)
    #expect(await browser.get("/console/confirm").status == .conflict)
    #expect(try await state("bob") == nil)
  }

  @Test(arguments: ["person/disable", "person/lock", "person/enable", "approvals/close"])
  func `a forged form that would change an account's state is refused, and so is a wrong method`(what: String)
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .operator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    let body = "name=bob&seconds=60&reason=x&number=1"
    #expect(await browser.post("/console/\(what)", body).status == .forbidden)
    #expect(await browser.put("/console/\(what)", "\(body)&csrf=\(csrf)").status == .methodNotAllowed)
    #expect(try await state("bob") == nil)
  }

  @Test func `the console shows a reason with markup as text, in Korean too`() async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    let reason = FormFields.encoded("<script>alert(1)</script>")
    _ = await browser.post("/console/person/disable", "name=bob&reason=\(reason)&csrf=\(csrf)")
    _ = await browser.get("/console/language?to=ko")
    for path in ["/console/people", "/console/person?name=bob"] {
      let page = ConsoleBrowser.text(await browser.get(path))
      #expect(page.contains("비활성화됨") && page.contains("&lt;script&gt;") && !page.contains("<script"), "\(path)")
    }
  }

  @Test func `a role that may close waiting texts can do so from the text's page`() async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    try await server.enrol("bob")
    _ = try await ApprovalAdministration(server.administration).create("pay <b>", for: "bob", by: TestServer.root)
    let csrf = try await browser.csrf()
    let open = ConsoleBrowser.text(await browser.get("/console/approval?number=1"))
    #expect(open.contains("/console/approvals/close") && open.contains("pay &lt;b&gt;"))
    #expect(await browser.post("/console/approvals/close", "number=1&csrf=\(csrf)").status == .seeOther)
    #expect(await browser.post("/console/approvals/close", "number=1&csrf=\(csrf)").status == .notFound)
    #expect(await browser.get("/console/approval?number=x").status == .badRequest)
  }

  @Test func `an auditor sees a waiting text, and may not close it`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    try await server.enrol("bob")
    _ = try await ApprovalAdministration(server.administration).create("pay", for: "bob", by: TestServer.root)
    let csrf = try await browser.csrf()
    let page = await browser.get("/console/approval?number=1")
    #expect(page.status == .ok && !ConsoleBrowser.text(page).contains("/console/approvals/close"))
    #expect(await browser.post("/console/approvals/close", "number=1&csrf=\(csrf)").status == .forbidden)
  }
}
