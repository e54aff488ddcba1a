import Testing

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFConsole
@testable import UAFService

/// The list of machines: its search, its orders and its pages.
@Suite(.onEachStore) struct MachineListTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func page(_ browser: ConsoleBrowser, _ path: String) async -> String {
    ConsoleBrowser.text(await browser.get(path))
  }

  /// The IDs of the listed machines that were added here.
  private func listed(_ text: String) -> [String] {
    text.components(separatedBy: "<a href=\"/console/machine?id=").dropFirst().map { part in
      String(part.prefix { $0 != "\"" })
    }.filter { $0.hasPrefix("dev-") }
  }

  private func addMachines(_ count: Int) async throws {
    try await server.store.write { try $0.accounts.add("mina", now: 1) }
    try await server.database.addMachines(count)
  }

  @Test
  func `an order is that of the whole list, and the next page continues it with the same search`()
    async throws
  {
    try await addMachines(60)
    try await server.database.execute(
      "UPDATE credential SET lastUsedAt = 9 WHERE deviceID = 'dev-00055'")
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let first = await page(browser, "/console/machines?words=dev-&state=notJoined&sort=-lastUsed")
    #expect(listed(first).first == "dev-00055" && listed(first).count == 50)
    #expect(
      first.contains("aria-sort=\"descending\"") && first.contains(">1–50 of 60 · page 1 of 2<"))
    let link = try #require(
      first.components(separatedBy: "<a rel=\"next\" href=\"").dropFirst().first
    )
    .prefix { $0 != "\"" }.replacing("&amp;", with: "&")
    #expect(
      link.contains("words=dev-") && link.contains("state=notJoined")
        && link.contains("sort=-lastUsed"))
    let second = await page(browser, String(link))
    #expect(listed(second).count == 10 && Set(listed(first) + listed(second)).count == 60)
    #expect(second.contains(">51–60 of 60 · page 2 of 2<") && second.contains(">First page<"))
  }

  @Test func `chips, headings and the box keep each other's conditions, and a new order begins with the first page`()
    async throws
  {
    try await addMachines(60)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let text = await page(browser, "/console/machines?words=dev-&sort=name")
    #expect(
      text.contains("href=\"/console/machines?words=dev-&amp;state=notJoined&amp;sort=name\""))
    #expect(text.contains("href=\"/console/machines?words=dev-&amp;sort=-name\""))
    #expect(text.contains("<input type=\"hidden\" name=\"sort\" value=\"name\">"))
    #expect(!text.contains("sort=state") && !text.contains("sort=2"))
  }

  @Test
  func `the first page has the machines in the order of their ids, and says how many there are`()
    async throws
  {
    try await addMachines(60)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let first = await page(browser, "/console/machines")
    // The machine of the auditor comes after these.
    #expect(listed(first).first == "dev-00000" && first.contains(">1–50 of 61 · page 1 of 2<"))
    #expect(first.contains("?after=dev-00049&amp;from=51\""))
    let second = await page(browser, "/console/machines?after=dev-00049&from=51")
    #expect(listed(second).first == "dev-00050" && second.contains(">51–61 of 61 · page 2 of 2<"))
  }

  @Test func `a search that finds nothing says so`() async throws {
    try await addMachines(1)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(await page(browser, "/console/machines?words=nothing").contains("No machine matches."))
  }

  @Test func `a page of a search that was cut short says how many machines it has searched, and leads on`()
    async throws
  {
    try await addMachines(FleetSearch.mostLookedAt + 10)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let last = "dev-\(FleetSearch.mostLookedAt + 9)"
    let first = await page(browser, "/console/machines?words=\(last)")
    #expect(first.contains("No match so far.") && first.contains("searched 50,000 machines, and there are more"))
    let link = try #require(first.components(separatedBy: "<a rel=\"next\" href=\"").dropFirst().first)
      .prefix { $0 != "\"" }.replacing("&amp;", with: "&")
    let second = await page(browser, String(link))
    #expect(listed(second) == [last] && !second.contains("there are more") && second.contains(">1 entry<"))
  }

  @Test(arguments: [
    "sort=tired", "sort=2", "sort=-", "sort=--name", "sort=state", "sort=name&after=dev-00049",
    "sort=name&after=WyJrZXlzIiw3LCJhIl0", "state=tired",
    "words=" + String(repeating: "w", count: 257),
  ])
  func `refuses an order, a state and a place that do not exist, and a text that is too long`(
    query: String
  ) async throws {
    try await addMachines(2)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let answer = await browser.get("/console/machines?\(query)")
    #expect(answer.status == .badRequest && listed(ConsoleBrowser.text(answer)).isEmpty)
  }

  // MARK: Policies that end

  /// A machine that has reported just now with a policy of 40 days.
  private func reported() async throws {
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    let policy = SavedMachinePolicy(
      number: 3, group: "lab", lifetime: 40 * 86_400, savedAt: server.now, actor: "test",
      reason: "test",
      text: "[passcode]\nmin_length = 12\n")
    #expect(try await server.store.write { try $0.machinePolicies.add(policy) })
    var report = TestServer.report(next: 1)
    report.policy = 0
    _ = try await server.checkIn(secret, report)
  }

  private func ends() async throws -> [MachinePolicyEnd] {
    try await AttentionAdministration(server.administration).policyEnds(by: TestServer.root)
  }

  @Test func `a policy ends where it was not renewed after half of its time, and the first page says when`()
    async throws
  {
    try await reported()
    let end = server.now + 40 * 86_400
    #expect(try await ends() == [])
    server.advance(seconds: 20 * 86_400 + 1)
    #expect(try await ends() == [MachinePolicyEnd(number: 3, group: "lab", machines: 1, endsAt: end)])
    server.advance(seconds: 11 * 86_400 - 2)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let text = await page(browser, "/console")
    #expect(
      text.contains("Policy 3 of the group lab ends; machines that have not renewed it: 1")
        && text.contains("in 9 days"))
    #expect(text.contains("/console/machines?words=lab&amp;sort=lastReport\""))
  }

  @Test func `every machine that has not renewed its policy is counted, however many there are`() async throws {
    try await reported()
    // The first end is that of the machine that has reported first.
    try await server.database.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO joinedMachine (codeNumber, deviceID, machineGroup, joinedAt, lastContactAt, moduleVersion, policyVersion)
      SELECT (SELECT max(number) FROM joinCode), 'm' || i, 'lab', 1, \(server.now - 60) + i / 1200, '1', 3 FROM n
      """)
    server.advance(seconds: 21 * 86_400)
    let end = server.now - 21 * 86_400 - 60 + 40 * 86_400
    // The policy was saved after these reports, and has not reached the machines: they have the one that they name.
    #expect(try await ends() == [MachinePolicyEnd(number: 3, group: "lab", machines: 1201, endsAt: end)])
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(await page(browser, "/console").contains("machines that have not renewed it: 1,201"))
  }

  @Test func `a machine that has not reported since a policy was saved has the one before, which ends`() async throws {
    try await reported()
    let end = server.now + 40 * 86_400
    server.advance(seconds: 10)
    let newer = SavedMachinePolicy(
      number: 4, group: "lab", lifetime: 86_400, savedAt: server.now, actor: "test", reason: "test", text: "x = 1\n")
    #expect(try await server.store.write { try $0.machinePolicies.add(newer) })
    try await server.database.execute("UPDATE joinedMachine SET policyVersion = 3")
    server.advance(seconds: 21 * 86_400)
    #expect(try await ends() == [MachinePolicyEnd(number: 3, group: "lab", machines: 1, endsAt: end)])
    try await server.database.execute("UPDATE joinedMachine SET policyVersion = 77")
    #expect(try await ends() == [], "a policy that does not exist ends nowhere")
  }

  @Test func `a policy without rules ends nowhere`() async throws {
    try await reported()
    server.advance(seconds: 21 * 86_400)
    #expect(try await ends().count == 1)
    let empty = SavedMachinePolicy(
      number: 4, group: "lab", lifetime: 86_400, savedAt: 1, actor: "test", reason: "test", text: ""
    )
    #expect(try await server.store.write { try $0.machinePolicies.add(empty) })
    #expect(try await ends() == [])
    let (other, _) = try await server.signedIn("alice", .auditor)
    #expect(await !page(other, "/console").contains("Policy 4"))
  }

  @Test func `a machine that has left, or that names no policy, lets no policy end`() async throws {
    try await reported()
    server.advance(seconds: 21 * 86_400)
    try await server.database.execute("UPDATE joinedMachine SET policyVersion = NULL")
    #expect(try await ends() == [])
    try await server.database.execute("UPDATE joinedMachine SET policyVersion = 3, leftAt = 1")
    #expect(try await ends() == [])
    try await server.database.execute("UPDATE joinedMachine SET leftAt = NULL")
    #expect(try await ends().map(\.number) == [3])
  }
}
