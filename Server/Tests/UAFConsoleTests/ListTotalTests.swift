import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// How many rows a list says that it has.
@Suite(.onEachStore) struct ListTotalTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func page(_ browser: ConsoleBrowser, _ path: String) async -> String {
    ConsoleBrowser.text(await browser.get(path))
  }

  private func add(_ count: Int) async throws {
    try await server.store.write {
      try $0.accounts.add((0..<count).map { "p\(1000 + $0)" }, now: 1)
    }
  }

  @Test func `a list of people says which rows of how many a page shows, and each page leads to the first`()
    async throws
  {
    try await add(59)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let first = await page(browser, "/console/people")
    #expect(
      first.contains(">1–50 of 60 · page 1 of 2<") && first.contains("after=p1048&amp;from=51\""))
    #expect(!first.contains(">First page<"))
    let second = await page(browser, "/console/people?after=p1048&from=51")
    #expect(
      second.contains(">51–60 of 60 · page 2 of 2<")
        && second.contains("<a href=\"/console/people\">First page</a>"))
    _ = await browser.get("/console/language?to=ko")
    #expect(await page(browser, "/console/people").contains(">1–50 / 전체 60 · 1/2쪽<"))
  }

  @Test func `a list that is on one page says how many entries it has`() async throws {
    try await add(2)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(await page(browser, "/console/people").contains(">3 entries<"))
    #expect(await page(browser, "/console/people?prefix=p1").contains(">2 entries<"))
  }

  @Test(arguments: ["x", "-5", "0", "99999999999999999999", "1000000000", "61"])
  func `a number of a first row that cannot be right is not shown`(from: String) async throws {
    try await add(59)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let text = await page(browser, "/console/people?after=p1048&from=\(from)")
    #expect(!text.contains("\(from)–") && text.contains("/console/person?name=p1049\""))
  }

  @Test func `the lists of codes and of texts say which rows of how many a page shows`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    for number in 0..<59 { try await server.enrol("p\(1000 + number)") }
    try await server.store.write { [now = server.now] records in
      for number in 0..<60 {
        _ = try records.approvals.open("t", code: "c\(number)", for: "p\(1000 + number % 59)", expiresAt: now + 60)
      }
    }
    // alice has a code of her own. A later text closes the earlier one of the same person.
    for (path, count, last) in [("codes", 60, 11), ("approvals", 59, 11)] {
      let first = await page(browser, "/console/\(path)")
      #expect(first.contains(">1–50 of \(count) · page 1 of 2<") && !first.contains(">First page<"), "\(path)")
      let second = await page(browser, "/console/\(path)?before=\(last)&from=51")
      #expect(second.contains("<a href=\"/console/\(path)\">First page</a>"), "\(path)")
      #expect(second.contains(">51–60 of \(count)") == (count == 60), "\(path)")
    }
  }

  @Test func `people are counted up to a limit, and no further`() async throws {
    try await add(40)
    let accounts = AccountAdministration(server.administration, mostCounted: 40)
    func total(_ change: (inout AccountQuery) -> Void = { _ in }) async throws -> RowTotal? {
      var query = AccountQuery(limit: 50)
      change(&query)
      return try await accounts.total(query, by: TestServer.root)
    }
    #expect(try await total() == RowTotal(exactly: 40))
    try await server.store.write { try $0.accounts.add(["another", "one"], now: 1) }
    #expect(try await total() == RowTotal(counted: 41, most: 40))
    #expect(try await total { $0.prefix = "an" } == RowTotal(exactly: 1))
    #expect(try await total { $0.after = "p9" } == RowTotal(counted: 41, most: 40))
    #expect(try await total { $0.state = .disabled } == RowTotal(exactly: 0))
    // Among so many, the active ones are not counted.
    #expect(try await total { $0.state = .active } == nil)
  }

  @Test func `a sorted list of exactly as many people as are sorted says how many there are, and one more says so too`()
    async throws
  {
    let names = (0..<SortedAccounts.mostSorted).map { "p\(10_000 + $0)" }
    try await server.store.write { try $0.accounts.add(names, now: 1) }
    let accounts = AccountAdministration(server.administration)
    func total(_ change: (inout AccountQuery) -> Void = { _ in }) async throws -> RowTotal {
      var query = AccountQuery(limit: 50)
      change(&query)
      return try await accounts.sorted(query, by: .displayName, isDescending: false, by: TestServer.root).total
    }
    #expect(try await total() == RowTotal(exactly: 10_000))
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let all = await page(browser, "/console/people?sort=displayName")
    #expect(all.contains(">1–50 of more than 10,000<") && all.contains("Only the first 10,000 accounts"))
    let some = await page(browser, "/console/people?sort=displayName&prefix=p")
    #expect(some.contains(">1–50 of 10,000 · page 1 of 200<") && !some.contains("Only the first"))
    #expect(try await total { $0.prefix = "p1000" } == RowTotal(exactly: 10))
  }

  @Test func `a list of exactly as many machines as are counted says how many there are`() async throws {
    try await server.store.write { try $0.accounts.add("mina", now: 1) }
    // The auditor's own machine is one of them.
    try await server.database.addMachines(RowTotal.mostCounted - 1)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(await page(browser, "/console/machines").contains(">1–50 of 10,000 · page 1 of 200<"))
    let sorted = await page(browser, "/console/machines?sort=name")
    #expect(sorted.contains(">1–50 of 10,000 · page 1 of 200<") && !sorted.contains("Only the first"))
  }

  @Test func `a list of more rows than are counted says so`() async throws {
    try await server.store.write { try $0.accounts.add("mina", now: 1) }
    try await server.database.addMachines(RowTotal.mostCounted)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(await page(browser, "/console/machines").contains(">1–50 of more than 10,000<"))
    let sorted = await page(browser, "/console/machines?sort=name")
    #expect(sorted.contains("Only the first 10,000 machines") && sorted.contains("50 entries on this page"))
  }

  @Test func `a search that must look at each account is not counted, and a role that may not read is refused`()
    async throws
  {
    try await add(2)
    let accounts = AccountAdministration(server.administration)
    let found = try await accounts.total(
      AccountQuery(limit: 50), of: PeopleSelection(text: "p"), by: TestServer.root)
    #expect(found == nil)
    var idle = AccountQuery(limit: 50)
    idle.idleSince = 1
    #expect(try await accounts.total(idle, by: TestServer.root) == nil)
    await #expect(throws: AdministrationRefusal.invalid(field: "memberOf", .noSuchGroup)) {
      _ = try await accounts.total(
        AccountQuery(limit: 50), of: PeopleSelection(memberOf: "nothing"), by: TestServer.root)
    }
    await #expect(throws: AdministrationRefusal.invalid(field: "group", .unknownGroup)) {
      _ = try await accounts.total(AccountQuery(limit: 50), group: "nowhere", by: TestServer.root)
    }
  }

  @Test func `rows of the audit are counted if an index finds them`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let rows = (0..<70).map { number in
      AuditEntry(time: 1_900_000_000 + Int64(number), kind: .login, account: "zoe", actor: .person)
    }
    try await server.store.write { try $0.audit.append(rows) }
    let all = try await server.store.read { try $0.audit.last() }.number
    let first = await page(browser, "/console/audit")
    #expect(first.contains(">1–50 of \(all) · page 1 of 2<") && first.contains("from=51\""))
    #expect(
      await page(browser, "/console/audit?account=zoe").contains(">1–50 of 70 · page 1 of 2<"))
    let some = await page(browser, "/console/audit?since=1900000000&until=1900000060")
    #expect(some.contains(">1–50 of 60 · page 1 of 2<"))
    // Words are in no index.
    #expect(await page(browser, "/console/audit?words=zoe").contains("50 entries on this page"))
  }

  @Test func `rows that were removed are not counted`() async throws {
    let rows = (0..<9).map {
      AuditEntry(time: Int64($0), kind: .login, account: "zoe", actor: .person)
    }
    try await server.store.write { try $0.audit.append(rows) }
    _ = try await server.store.write { try $0.audit.remove(through: 4) }
    let total = try await AuditAdministration(server.administration).total(
      AuditFilter(), by: TestServer.root)
    #expect(total == RowTotal(exactly: 5))
  }
}
