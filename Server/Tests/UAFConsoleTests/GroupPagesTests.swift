import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// The pages with groups of people, and the forms that rename and remove one.
@Suite(.onEachStore) struct GroupPagesTests {
  private let server: TestServer

  init() throws { server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4)) }

  private func page(_ browser: ConsoleBrowser, _ path: String) async -> String {
    ConsoleBrowser.text(await browser.get(path))
  }

  private func put(_ name: String, into groups: [String]) async throws {
    try await server.store.write { records in
      try records.accounts.add(name, now: 1)
      try records.profiles.set([name: AccountProfile(displayName: "Person \(name)", groups: groups)], now: 1)
    }
  }

  private func groups() async throws -> [PersonGroup] {
    try await server.store.read { try $0.personGroups.page(after: "", limit: 99) }
  }

  @Test func `the list has each group with the number of its members, and leads to both`() async throws {
    try await put("mina", into: ["연구소", "Labs & more"])
    try await put("jun", into: ["연구소"])
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let text = await page(browser, "/console/groups")
    let people = "/console/people?memberOf="
    #expect(text.contains("<a href=\"\(people)%EC%97%B0%EA%B5%AC%EC%86%8C\">2</a>"))
    #expect(text.contains("<a href=\"\(people)Labs%20%26%20more\">1</a>") && text.contains(">Labs &amp; more</a>"))
    // An auditor has no step.
    #expect(!text.contains("/console/groups/rename") && !text.contains("/console/groups/remove"))
  }

  @Test func `a server without groups says how one is made`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(await page(browser, "/console/groups").contains("To make one, enter its name in the data of a person."))
  }

  @Test func `the list has pages, and the page after a name begins with the next one`() async throws {
    let names = (0...PageLimit.standard).map { "g\(1000 + $0)" }
    try await put("mina", into: names)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let first = await page(browser, "/console/groups")
    let last = names[PageLimit.standard - 1]
    #expect(first.contains("?after=\(last)") && !first.contains(">\(names[PageLimit.standard])</a>"))
    let second = await page(browser, "/console/groups?after=\(last)")
    #expect(second.contains(">\(names[PageLimit.standard])</a>") && !second.contains(">\(last)</a>"))
  }

  @Test func `a person and the search for people lead to the page of a group, which shows its members`() async throws {
    try await put("mina", into: ["Labs"])
    for number in 0...10 { try await put("p\(10 + number)", into: ["Labs"]) }
    let (browser, _) = try await server.signedIn("alice", .operator)
    let link = "<a href=\"/console/groups/group?name=Labs\">"
    #expect(await page(browser, "/console/person?name=mina").contains(link))
    #expect(await page(browser, "/console/people?memberOf=Labs").contains(link))
    let text = await page(browser, "/console/groups/group?name=labs")
    #expect(text.contains("<h1>Labs</h1>") && text.contains("12 members") && text.contains("Person mina"))
    #expect(text.contains("<a rel=\"next\" href=\"/console/people?memberOf=Labs\">All 12 members</a>"))
    #expect(text.contains("/console/groups/rename?id=1") && text.contains("/console/groups/remove?id=1"))
    #expect(text.contains("<p class=\"back\"><a href=\"/console/groups\">"))
    #expect(await browser.get("/console/groups/group?name=none").status == .notFound)
    #expect(await browser.get("/console/groups/group").status == .notFound)
  }

  @Test func `an operator renames a group, and the person's page has the new name`() async throws {
    try await put("mina", into: ["Labs"])
    let (browser, _) = try await server.signedIn("alice", .operator)
    let asked = await page(browser, "/console/groups/rename?id=1")
    #expect(asked.contains("The group Labs gets a different name") && asked.contains("value=\"Labs\""))
    let csrf = try await browser.csrf()
    let answer = await browser.post("/console/groups/rename", "id=1&name=%EC%97%B0%EA%B5%AC%EC%86%8C&csrf=\(csrf)")
    #expect(answer.status == .seeOther)
    #expect(try await groups().map(\.name) == ["연구소"])
    #expect(await page(browser, "/console/person?name=mina").contains(">연구소</a>"))
    #expect(await page(browser, "/console/audit").contains(">Group of people changed<"))
  }

  @Test func `an operator removes a group, and the accounts of its members stay`() async throws {
    try await put("mina", into: ["Labs", "Sales"])
    let (browser, _) = try await server.signedIn("alice", .operator)
    let asked = await page(browser, "/console/groups/remove?id=1")
    #expect(asked.contains("The group Labs is removed; the accounts of its members stay (1)"))
    #expect(asked.contains("class=\"danger\""))
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/groups/remove", "id=1&csrf=\(csrf)").status == .seeOther)
    #expect(try await groups().map(\.name) == ["Sales"])
    #expect(await page(browser, "/console/person?name=mina").contains("Person mina"))
    // A page that was opened before leads nowhere, and to no other group.
    #expect(await browser.post("/console/groups/remove", "id=1&csrf=\(csrf)").status == .notFound)
    #expect(try await groups().map(\.name) == ["Sales"])
  }

  @Test(arguments: [("name=sales", "conflict"), ("name=", "bad"), ("name=a%7Cb", "bad"), ("name=%E2%80%AE", "bad")])
  func `refuses a name that another group has, an empty one, and one with a bar or a hidden character`(
    field: String, kind: String
  ) async throws {
    try await put("mina", into: ["Labs", "Sales"])
    let (browser, _) = try await server.signedIn("alice", .operator)
    let csrf = try await browser.csrf()
    let answer = await browser.post("/console/groups/rename", "id=1&\(field)&csrf=\(csrf)")
    #expect(answer.status == (kind == "conflict" ? .conflict : .badRequest))
    #expect(try await groups().map(\.name) == ["Labs", "Sales"])
  }

  @Test(arguments: [Role.auditor, .helpdesk])
  func `refuses a role that may not manage accounts, and a form without the session's token`(role: Role) async throws {
    try await put("mina", into: ["Labs"])
    let (browser, _) = try await server.signedIn("alice", role)
    let csrf = try await browser.csrf()
    for path in ["rename", "remove"] {
      #expect(await browser.get("/console/groups/\(path)?id=1").status == .forbidden)
      #expect(await browser.post("/console/groups/\(path)", "id=1&name=x&csrf=\(csrf)").status == .forbidden)
    }
    let (other, _) = try await server.signedIn("olga", .operator)
    #expect(await other.post("/console/groups/remove", "id=1").status == .forbidden)
    #expect(try await groups().map(\.name) == ["Labs"])
  }

  @Test func `refuses an operator's change of a group that an administrator is in`() async throws {
    let (browser, _) = try await server.signedIn("olga", .operator)
    try await put("mina", into: ["Labs"])
    try await server.make("mina", .administrator)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/groups/remove", "id=1&csrf=\(csrf)").status == .forbidden)
    #expect(try await groups().map(\.members) == [1])
  }

  @Test(arguments: ["id=", "id=x", "id=9"])
  func `refuses a step on a group that is not named by its number`(query: String) async throws {
    let (browser, _) = try await server.signedIn("olga", .operator)
    for path in ["rename", "remove"] {
      let status = await browser.get("/console/groups/\(path)?\(query)").status
      #expect(status == (query == "id=9" ? .notFound : .badRequest))
    }
  }
}
