import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Steps on several people or machines at once.
@Suite(.onEachStore) struct PeopleBulkTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func isBlocked(_ name: String) async throws -> Bool {
    try await server.store.read { try $0.accounts.block(of: name) != nil }
  }

  @Test func `several accounts are disabled with one signature, which covers their names`() async throws {
    let (browser, key) = try await server.signedIn("alice", .operator)
    for name in ["bob", "carol", "dave"] { try await server.enrol(name) }
    let csrf = try await browser.csrf()
    let path = "/console/people/selected/disable"
    let asked = ConsoleBrowser.text(await browser.post(path, "pick0=bob&pick2=carol&csrf=\(csrf)"))
    #expect(asked.contains("2 people cannot log in") && asked.contains("name=\"pick1\" value=\"carol\""))
    #expect(try await !isBlocked("bob"))
    let body = "pick0=bob&pick1=carol&confirmed=yes&reason=left&csrf=\(csrf)"
    #expect(await browser.post(path, body).status == .seeOther)
    #expect(try await !isBlocked("bob"))
    let text = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(text.hasPrefix("Console: Disable 2 accounts: bob, carol, code "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    #expect(try await [isBlocked("bob"), isBlocked("carol"), isBlocked("dave")] == [true, true, false])
  }

  @Test func `a list that is too long to sign has its number and hash in the text`() throws {
    let names = (0..<50).map { "a-rather-long-name-\($0)" }
    let step = DangerousStep.several(BulkStep(kind: .revokeKeys, names: names, reason: ""))
    let text = try #require(try step.shownText(number: "1234"))
    let digits = try DangerousStep.hash(names.joined(separator: "\n")).prefix(16)
    #expect(text.contains("Revoke all keys of 50 accounts: SHA-256 \(digits), code 1234"))
  }

  @Test(arguments: BulkStep.Kind.allCases) func `a step on several is read back as it was stored`(kind: BulkStep.Kind) {
    let step = DangerousStep.several(BulkStep(kind: kind, names: ["a", "b"], reason: "r"))
    #expect(DangerousStep(stored: step.stored) == step)
    #expect(DangerousStep(stored: #"["several","delete","r","a"]"#) == nil)
    #expect(DangerousStep(stored: #"["several","disable","r"]"#) == nil)
  }

  @Test func `without anybody picked, nothing is asked and nothing is done`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    for path in PeopleBulk.routes.keys {
      let text = ConsoleBrowser.text(await browser.post(path, "confirmed=yes&reason=x&lifetime=60&csrf=\(csrf)"))
      #expect(text.contains("Nothing is picked"), "\(path)")
    }
    #expect(await browser.get("/console/confirm").status == .conflict)
  }

  @Test func `if one of several would be refused, nobody is asked to sign`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    let body = "pick0=bob&pick1=nobody&confirmed=yes&reason=x&csrf=\(csrf)"
    #expect(await browser.post("/console/people/selected/disable", body).status == .notFound)
    #expect(await browser.get("/console/confirm").status == .conflict)
    #expect(try await !isBlocked("bob"))
  }

  @Test func `several are not disabled without a reason, without a token, or by a role that may not`() async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    let path = "/console/people/selected/disable"
    #expect(await browser.post(path, "pick0=bob&confirmed=yes&csrf=\(csrf)").status == .badRequest)
    #expect(await browser.post(path, "pick0=bob&confirmed=yes&reason=x").status == .forbidden)
    let (helpdesk, _) = try await server.signedIn("hana", .helpdesk)
    let other = try await helpdesk.csrf()
    #expect(await helpdesk.post(path, "pick0=bob&confirmed=yes&reason=x&csrf=\(other)").status == .forbidden)
    #expect(try await !isBlocked("bob"))
  }

  @Test func `picked people come as a file with their state, to every role, and not somebody who does not exist`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    try await server.enrol("=cmd")
    try await AccountStateAdministration(server.administration).disable("=cmd", reason: "x", by: TestServer.root)
    let csrf = try await browser.csrf()
    let path = "/console/people/selected/file"
    let answer = await browser.post(path, "pick0=%3Dcmd&pick1=alice&csrf=\(csrf)")
    let lines = ConsoleBrowser.text(answer).split(separator: "\n")
    #expect(answer.headers.contains { $0.value == "text/csv; charset=utf-8" } && lines.count == 3)
    // A spreadsheet would take a name that begins so for a formula.
    #expect(lines[1].hasPrefix("'=cmd,account-disabled,,") && lines[2].hasPrefix("alice,active,,1,0,"))
    #expect(await browser.post(path, "pick0=nobody&csrf=\(csrf)").status == .notFound)
    #expect(await browser.post(path, "pick0=alice").status == .forbidden)
  }

  @Test func `codes for several people come once as a file, and not for a privileged account`() async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    for name in ["bob", "carol"] { try await server.enrol(name) }
    let csrf = try await browser.csrf()
    let path = "/console/people/selected/enrol"
    let fields = "confirmed=yes&lifetime=2&lifetimeUnit=days&csrf=\(csrf)"
    let answer = await browser.post(path, "pick0=bob&pick1=carol&\(fields)")
    let lines = ConsoleBrowser.text(answer).split(separator: "\n")
    #expect(answer.status == .ok && lines.count == 3 && lines[1].hasPrefix("bob,\(server.now + 172_800),"))
    #expect(await browser.post(path, "pick0=bob&pick1=vip1&\(fields)").status == .conflict)
  }

  private func groups(of name: String) async throws -> [String]? {
    try await server.store.read { try $0.profiles.profiles(of: [name]) }[name]?.groups
  }

  @Test func `several people are added to a group in one commit, and stay in their other groups`() async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    for name in ["bob", "carol"] { try await server.enrol(name) }
    try await server.store.write { try $0.profiles.set(["bob": AccountProfile(groups: ["Sales"])], now: 1) }
    let csrf = try await browser.csrf()
    let path = "/console/people/selected/group"
    let asked = ConsoleBrowser.text(await browser.post(path, "pick0=bob&pick1=carol&csrf=\(csrf)"))
    #expect(asked.contains("2 people are added to the group") && asked.contains("name=\"pick1\" value=\"carol\""))
    #expect(try await groups(of: "carol") == [])
    let fields = "pick0=bob&pick1=carol&confirmed=yes&csrf=\(csrf)"
    let done = await browser.post(path, fields + "&name=%EC%97%B0%EA%B5%AC%EC%86%8C")
    #expect(done.status == .seeOther)
    #expect(try await [groups(of: "bob"), groups(of: "carol")] == [["Sales", "연구소"], ["연구소"]])
    // The name of a group that exists counts in any case, and nobody is in a group twice.
    let known = await browser.post(path, fields + "&name=%20SALES")
    #expect(known.status == .seeOther)
    // The page is that of the name as it is stored.
    #expect(known.headers.contains { $0.value == "/console/groups/group?name=Sales" })
    #expect(try await [groups(of: "bob"), groups(of: "carol")] == [["Sales", "연구소"], ["Sales", "연구소"]])
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .accountChange), limit: 9) }
    #expect(rows.map(\.event.account) == ["bob", "carol", "carol"])
  }

  @Test(arguments: ["pick1=nobody&name=Lab", "pick1=vip1&name=Lab", "pick1=carol&name=", "pick1=carol&name=a%7Cb"])
  func `if one of several cannot be added to a group, nobody is`(fields: String) async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    for name in ["bob", "carol"] { try await server.enrol(name) }
    let csrf = try await browser.csrf()
    let answer = await browser.post("/console/people/selected/group", "pick0=bob&\(fields)&confirmed=yes&csrf=\(csrf)")
    #expect(answer.status == .notFound || answer.status == .forbidden || answer.status == .badRequest)
    #expect(try await [groups(of: "bob"), groups(of: "carol")] == [[], []])
  }
}
