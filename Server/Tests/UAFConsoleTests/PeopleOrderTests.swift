import Testing

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFConsole
@testable import UAFService

/// The orders of the list of people.
@Suite(.onEachStore) struct PeopleOrderTests {
  private let server: TestServer

  init() throws { server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4)) }

  private func page(_ browser: ConsoleBrowser, _ path: String) async -> String {
    ConsoleBrowser.text(await browser.get(path))
  }

  private func addPeople() async throws {
    try await server.store.write { records in
      try records.accounts.add(["p1", "p2", "p3", "p4"], now: 1)
      try records.profiles.set(
        [
          "p1": AccountProfile(displayName: "zoe", department: "B"), "p2": AccountProfile(displayName: "Anna"),
          "p3": AccountProfile(displayName: "김미나", department: "a", groups: ["Team"]),
        ], now: 1)
    }
    try await server.database.addKeys([("p2", "5541#0001"), ("p2", "5541#0001"), ("p4", "5541#0001")])
    try await server.database.execute("UPDATE credential SET lastUsedAt = 7 WHERE username = 'p4'")
  }

  private func names(
    _ order: AccountOrder, _ isDescending: Bool = false, limit: Int = 50,
    of people: PeopleSelection = PeopleSelection(),
    _ change: (inout AccountQuery) -> Void = { _ in }
  ) async throws -> [String] {
    let accounts = AccountAdministration(server.administration)
    var (names, query) = ([String](), AccountQuery(limit: limit))
    change(&query)
    repeat {
      let found = try await accounts.sorted(
        query, by: order, isDescending: isDescending, of: people, by: TestServer.root)
      names += found.page.rows.map(\.summary.username)
      query.after = found.page.next ?? ""
    } while !query.after.isEmpty && names.count < 20
    return names
  }

  @Test(
    arguments: [
      (.name, ["p1", "p2", "p3", "p4"]), (.displayName, ["p4", "p2", "p1", "p3"]),
      (.department, ["p2", "p4", "p3", "p1"]), (.keys, ["p1", "p3", "p4", "p2"]),
      (.lastUsed, ["p1", "p2", "p3", "p4"]),
    ] as [(AccountOrder, [String])])
  func `people are sorted over the whole list, by their names where they are equal, and in both directions`(
    order: AccountOrder, sorted: [String]
  ) async throws {
    try await addPeople()
    #expect(try await names(order) == sorted)
    #expect(try await names(order, limit: 1) == sorted)
    #expect(try await names(order, true, limit: 3) == sorted.reversed())
  }

  @Test func `an order keeps the conditions of the search`() async throws {
    try await addPeople()
    #expect(try await names(.displayName) { $0.prefix = "p4" } == ["p4"])
    #expect(try await names(.displayName) { $0.state = .disabled } == [])
    #expect(try await names(.displayName) { $0.idleSince = 5 } == ["p2", "p1", "p3"])
    #expect(try await names(.keys, of: PeopleSelection(memberOf: "team")) == ["p3"])
  }

  @Test func `the console's next page continues the order with the same search, and headings reverse it`() async throws
  {
    try await server.store.write { records in
      let people = (0..<60).map { ("p\(10 + $0)", AccountProfile(displayName: "name \(99 - $0)")) }
      try records.accounts.add(people.map(\.0), now: 1)
      try records.profiles.set(Dictionary(uniqueKeysWithValues: people), now: 1)
    }
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let first = await page(browser, "/console/people?prefix=p&sort=displayName")
    #expect(
      first.contains("name=p69\"") && !first.contains("name=p10\"") && first.contains(">1–50 of 60 · page 1 of 2<"))
    #expect(first.contains("href=\"/console/people?prefix=p&amp;sort=-displayName\"") && !first.contains("sort=state"))
    let link = try #require(first.components(separatedBy: "<a rel=\"next\" href=\"").dropFirst().first)
      .prefix { $0 != "\"" }.replacing("&amp;", with: "&")
    let second = await page(browser, String(link))
    #expect(second.contains("name=p10\"") && !second.contains("name=p69\"") && second.contains(">51–60 of 60"))
    // A search for a text has an order of its own.
    #expect(await !page(browser, "/console/people?search=name").contains("sort="))
  }

  @Test(arguments: ["sort=tired", "sort=4", "sort=state", "sort=keys&after=p1", "sort=-name&prefix=%20"])
  func `refuses an order and a place that do not exist, and lists nobody`(query: String) async throws {
    try await addPeople()
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let answer = await browser.get("/console/people?\(query)")
    #expect(answer.status == .badRequest && !ConsoleBrowser.text(answer).contains("name=p1\""))
  }
}
