import Testing

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFConsole
@testable import UAFService

/// The forms that search for people and for rows of the audit.
@Suite struct SearchPagesTests {
  private static let first: Int64 = 1_900_000_000

  private let server: TestServer

  init() throws { server = try TestServer() }

  private func page(_ browser: ConsoleBrowser, _ path: String) async -> String {
    ConsoleBrowser.text(await browser.get(path))
  }

  private func isListed(_ name: String, on page: String) -> Bool { page.contains("/console/person?name=\(name)\"") }

  @Test func `the console finds people by state, group and last use, and its form keeps the search terms`() async throws
  {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    for name in ["bob", "carol"] { try await server.enrol(name) }
    try await AccountStateAdministration(server.administration).disable("carol", reason: "left", by: TestServer.root)
    let disabled = await page(browser, "/console/people?state=disabled")
    #expect(isListed("carol", on: disabled) && !isListed("bob", on: disabled))
    #expect(disabled.contains(#"<a href="/console/people?state=disabled" aria-current="true">disabled</a>"#))
    // A search for a name keeps the state.
    #expect(disabled.contains(#"<input type="hidden" name="state" value="disabled">"#))
    let office = await page(browser, "/console/people?group=office&state=&prefix=&idle=")
    #expect(isListed("bob", on: office) && !isListed("carol", on: office) && !isListed("alice", on: office))
    // Alice has just signed in with her key.
    let idle = await page(browser, "/console/people?idle=1")
    #expect(isListed("bob", on: idle) && !isListed("alice", on: idle))
  }

  @Test func `the console finds people by a part of their name, and shows and changes who they are`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    for name in ["bob", "carol"] { try await server.enrol(name) }
    let fields =
      "displayName=%EA%B9%80%EB%AF%B8%EB%82%98&mail=b%40example.org&department=Labs&externalID=&groups=One%7CTwo"
    let answer = await browser.post("/console/person/change", "name=bob&\(fields)&csrf=\(csrf)")
    #expect(answer.status == .seeOther)
    let found = await page(browser, "/console/people?search=%EB%AF%B8%EB%82%98&memberOf=two")
    #expect(isListed("bob", on: found) && !isListed("carol", on: found) && found.contains("Labs"))
    let person = await page(browser, "/console/person?name=bob")
    #expect(
      person.contains("김미나") && person.contains("/console/groups/group?name=Two\"")
        && person.contains("/console/person/change?name=bob"))
    #expect(await page(browser, "/console/person/change?name=bob").contains("value=\"One|Two\""))
    let refused = await browser.post("/console/person/change", "name=bob&mail=x&csrf=\(csrf)")
    #expect(refused.status == .badRequest)
    #expect(await page(browser, "/console/person?name=bob").contains("b@example.org"))
  }

  @Test func `an auditor sees who people are, and cannot change it`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let csrf = try await browser.csrf()
    try await server.enrol("bob")
    #expect(await !page(browser, "/console/person?name=bob").contains("/console/person/change"))
    let answer = await browser.post("/console/person/change", "name=bob&displayName=x&csrf=\(csrf)")
    #expect(answer.status == .forbidden)
  }

  @Test(arguments: [
    "search=%E2%80%AE", "memberOf=nothing", "search=a&after=x", "state=gone", "group=nowhere", "idle=-1", "idle=36501",
    "idle=x",
  ])
  func `an invalid search for people is refused, and lists nobody`(query: String) async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let answer = await browser.get("/console/people?\(query)")
    #expect(answer.status == .badRequest && !isListed("alice", on: ConsoleBrowser.text(answer)))
  }

  /// Writes audit rows that are later than the sign-in's own row, a second apart.
  private func fill() async throws {
    let rows = [
      AuditEntry(time: Self.first, kind: .login, account: "xavier", actor: .person, machine: "laptop"),
      AuditEntry(time: Self.first + 1, kind: .login, account: "yves", actor: .person, machine: "desk"),
      AuditEntry(
        time: Self.first + 2, kind: .login, account: "zoe", actor: .person,
        authenticators: "5541#0001 key 7, passkey id 3", detail: #"{"reason":"spare key","service":"sshd"}"#),
    ]
    try await server.store.write { try $0.audit.append(rows) }
  }

  @Test(arguments: [
    ("since=\(first + 1)&until=\(first + 2)", ["yves"]), ("words=SPARE", ["zoe"]),
    ("service=sshd", ["zoe"]),
    ("until=\(first + 2)&machine=desk&not=machine", ["xavier"]),
    ("kind=login&until=\(first + 3)&account=zoe&not=account", ["xavier", "yves"]),
  ])
  func `the console finds audit rows by time and words, and by negated conditions`(
    query: String, expected: [String]
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    try await fill()
    let page = await page(browser, "/console/audit?\(query)")
    let found = ["xavier", "yves", "zoe"].filter { page.contains(">\($0)<") }
    #expect(found == expected)
  }

  @Test func `a row of the audit says in words at which service and by what somebody has logged in`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    try await fill()
    let list = await page(browser, "/console/audit?account=zoe")
    #expect(list.contains("sshd, passcode, passkey"))
    let number = try #require(
      try await server.store.read { try $0.audit.rows(AuditFilter(account: "zoe"), limit: 1) }.first
    )
    .number
    let row = await page(browser, "/console/audit/row?number=\(number)")
    #expect(row.contains("said by the machine, not verified") && row.contains("5541#0001 key 7, passkey id 3"))
  }

  @Test(arguments: ["since=yesterday", "until=x", "not=time", "not=account", "not=account&account="])
  func `an invalid search of the audit is refused, and shows no row`(query: String) async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    try await fill()
    let answer = await browser.get("/console/audit?\(query)")
    #expect(answer.status == .badRequest && !ConsoleBrowser.text(answer).contains("zoe"))
  }
}
