import Testing
import UAFAdministration
import UAFMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Join codes on the page of machines.
@Suite(.onEachStore) struct JoinCodePagesTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func codes() async throws -> [JoinCode] {
    try await server.store.read { try $0.joinCodes.page(before: nil, limit: 9) }
  }

  @Test func `an operator issues a join code in the console, which shows it once with the server's fingerprint`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .operator)
    let csrf = try await browser.csrf()
    let answer = await browser.post("/console/join-codes/issue", "group=lab&machines=3&lifetime=60&csrf=\(csrf)")
    let text = ConsoleBrowser.text(answer)
    let shown = try #require(text.split(separator: "role=\"region\">").dropFirst().first).prefix { $0 != "<" }
    let payload = try MachinePayload(encoded: String(shown))
    #expect(answer.status == .ok && payload.group.name == "lab" && payload.expires == server.now + 60)
    let issued = try #require(try await codes().first)
    #expect(issued.machines == 3 && issued.issuedBy == "administrator alice")
    try await server.joined(payload.code, "d1", name: "<b>desk")
    let machines = ConsoleBrowser.text(await browser.get("/console/machines"))
    #expect(machines.contains("&lt;b&gt;desk") && !machines.contains("<b>desk"))
    let page = ConsoleBrowser.text(await browser.get("/console/join-codes"))
    #expect(!page.contains(shown) && !page.contains(payload.code))
    #expect(page.contains("Join codes") && page.contains(">lab<"))
    #expect(page.contains("<td data-column=\"Have joined\">1</td>"))
  }

  @Test func `the page of join codes is in Korean for a browser that wants Korean`() async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    _ = await browser.get("/console/language?to=ko")
    let page = ConsoleBrowser.text(await browser.get("/console/join-codes"))
    #expect(page.contains("가입 코드 발급") && !page.contains("Join code"))
  }

  @Test func `the list of machines and a machine's page show what the machine reported, as text`() async throws {
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    var report = TestServer.report(next: 1, module: "<i>1.0")
    let key = try await server.registered("<b>mina", deviceID: "d1")
    report.locks = [try ReportedLock.made(of: "<b>mina", .remote, on: secret, by: server.accountSecret("<b>mina", key))]
    report.moreLocks = 2
    _ = try await server.checkIn(secret, report)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let list = ConsoleBrowser.text(await browser.get("/console/machines"))
    #expect(list.contains("<td data-column=\"Locks, as reported\">3</td>"))
    let page = ConsoleBrowser.text(await browser.get("/console/machine?id=d1"))
    #expect(page.contains("&lt;i&gt;1.0") && page.contains("&lt;b&gt;mina") && !page.contains("<b>mina"))
    #expect(page.contains("<td data-column=\"Kind\">remote</td>"))
    _ = await browser.get("/console/language?to=ko")
    #expect(ConsoleBrowser.text(await browser.get("/console/machine?id=d1")).contains("보고된 잠금"))
  }

  private func announce(_ name: String) async throws {
    let authority = AnnouncedAuthority(
      fingerprint: name, certificate: [1], announcedBy: "test", announcedAt: server.now, usedFrom: server.now + 60)
    try await server.store.write { try $0.machineTrusts.announce(authority) }
  }

  @Test func `the list of machines that lack a coming authority has a title and a total of its own`() async throws {
    let code = try await server.joinCode(machines: 70)
    for number in 10..<70 { try await server.joined(code, "d\(number)", name: "desk-\(number)") }
    let name = String(repeating: "a", count: 64)
    try await announce(name)
    try await server.store.write {
      try $0.machineTrusts.note(KnownTrust(verdictKeys: [], authorities: [name]), of: "d11")
    }
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let page = ConsoleBrowser.text(await browser.get("/console/machines?lacks=\(name)"))
    #expect(page.contains("<h1>Machines without the certificate authority aaaaaaaa…aaaa</h1>"))
    #expect(page.contains("desk-10") && !page.contains("desk-11") && page.contains(">1–50 of 59 · page 1 of 2<"))
    #expect(page.contains("<p class=\"subtitle\">In use from ") && !page.contains("name=\"state\""))
    // As openssl prints a fingerprint.
    let printed = Array(repeating: "AA", count: 32).joined(separator: "%3A")
    let typed = ConsoleBrowser.text(await browser.get("/console/machines?lacks=\(printed)"))
    #expect(
      typed.contains(">1–50 of 59 · page 1 of 2<") && typed.contains("/console/machines?lacks=\(name)&amp;after="))
    let all = ConsoleBrowser.text(await browser.get("/console/machines"))
    #expect(all.contains("desk-10") && all.contains("desk-11") && !all.contains("lacks"))
    _ = await browser.get("/console/language?to=ko")
    let korean = ConsoleBrowser.text(await browser.get("/console/machines?lacks=\(name)"))
    #expect(korean.contains("<h1>인증 기관 aaaaaaaa…aaaa를 받지 못한 기기</h1>"))
  }

  @Test func `the list of machines that lack a key says that every machine has it`() async throws {
    let name = String(repeating: "a", count: 64)
    try await announce(name)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let page = ConsoleBrowser.text(await browser.get("/console/machines?lacks=\(name)"))
    #expect(page.contains("No machine that was seen in the last 30 days lacks it."))
  }

  @Test(arguments: [
    "zz", "%3Cb%3E", "0123456789abcdef", String(repeating: "b", count: 64), String(repeating: "x", count: 2000),
  ])
  func `the list of machines that lack what the server does not have is a text, and no list`(
    name: String
  ) async throws {
    try await server.joined(server.joinCode(), "d1", name: "desk-1")
    try await announce(String(repeating: "a", count: 64))
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let answer = await browser.get("/console/machines?lacks=\(name)")
    let page = ConsoleBrowser.text(answer)
    #expect(answer.status == .notFound && page.contains("This server has no key and no certificate authority"))
    #expect(!page.contains("desk-1") && !page.contains("<b>") && page.contains("href=\"/console/settings\""))
  }

  @Test func `the overview and the settings count the machines that lack an announced authority`() async throws {
    try await server.joined(server.joinCode(), "d1", name: "desk-1")
    let name = String(repeating: "a", count: 64)
    try await announce(name)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    for path in ["/console", "/console/settings"] {
      let page = ConsoleBrowser.text(await browser.get(path))
      #expect(page.contains("/console/machines?lacks=\(name)"), "\(path)")
    }
    let first = ConsoleBrowser.text(await browser.get("/console"))
    #expect(first.contains("Machines without the next certificate authority"))
    try await server.store.write {
      try $0.machineTrusts.note(KnownTrust(verdictKeys: [], authorities: [name]), of: "d1")
    }
    #expect(!ConsoleBrowser.text(await browser.get("/console")).contains("lacks="))
  }

  @Test func `a machine's page shows wrong values in a row and doctor's failures, as the machine reported them`()
    async throws
  {
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    let key = try await server.registered("<b>mina", deviceID: "d1")
    var report = TestServer.report(next: 1)
    report.wrongValues = [
      try ReportedAttempts.made(of: "<b>mina", count: 4, on: secret, by: server.accountSecret("<b>mina", key))
    ]
    report.moreWrongValues = 2
    report.findings = ["state-open"]
    _ = try await server.checkIn(secret, report)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let page = ConsoleBrowser.text(await browser.get("/console/machine?id=d1"))
    #expect(page.contains("<td data-column=\"How many\">4</td>") && page.contains(">+2</td>"))
    #expect(page.contains("state-open") && !page.contains("<b>mina"))
    _ = await browser.get("/console/language?to=ko")
    #expect(ConsoleBrowser.text(await browser.get("/console/machine?id=d1")).contains("보고된 잇따른 틀린 값"))
  }

  @Test func `the first page counts the machines that the server does not know, and a page lists them as text`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let path = "/console/machines/unknown"
    #expect(!ConsoleBrowser.text(await browser.get("/console")).contains(path))
    server.environment.unknown.note("<i>d9", name: "<b>desk", from: "192.0.2.7", now: server.now)
    #expect(ConsoleBrowser.text(await browser.get("/console")).contains(path))
    let page = ConsoleBrowser.text(await browser.get(path))
    #expect(page.contains("&lt;b&gt;desk") && page.contains("&lt;i&gt;d9") && page.contains("192.0.2.7"))
    #expect(!page.contains("<b>desk") && !page.contains("<i>d9"))
    _ = await browser.get("/console/language?to=ko")
    #expect(ConsoleBrowser.text(await browser.get(path)).contains("<h1>알 수 없는 기기</h1>"))
  }

  @Test func `the list of unknown machines leaves out those that were revoked, and those that joined again`()
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let code = try await server.joinCode(machines: 3)
    for device in ["revoked-1", "joined-1"] { try await server.joined(code, device) }
    try await server.store.write { [now = server.now] in try $0.joinedMachines.revoke("revoked-1", now: now) }
    for device in ["revoked-1", "joined-1", "unknown-1"] {
      server.environment.unknown.note(device, name: nil, from: "", now: server.now)
    }
    let page = ConsoleBrowser.text(await browser.get("/console/machines/unknown"))
    #expect(page.contains("unknown-1") && !page.contains("revoked-1") && !page.contains("joined-1"))
  }

  @Test func `a join code is closed by its number`() async throws {
    let code = try await server.joinCode()
    let (browser, _) = try await server.signedIn("alice", .operator)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/join-codes/close", "number=1&csrf=\(csrf)").status == .seeOther)
    #expect(try await server.joinRefusal(code, "d1") == .wrongJoinCode)
    #expect(await browser.post("/console/join-codes/close", "number=1&csrf=\(csrf)").status == .notFound)
  }

  @Test(arguments: [Role.auditor, .helpdesk])
  func `a role below operator sees the join codes, and no form that changes them`(
    role: Role
  ) async throws {
    _ = try await server.joinCode("lab-7")
    let (browser, _) = try await server.signedIn("alice", role)
    let page = ConsoleBrowser.text(await browser.get("/console/join-codes"))
    #expect(page.contains("lab-7") && !page.contains("/console/join-codes/"))
    let csrf = try await browser.csrf()
    let fields = "group=lab&machines=3&lifetime=60&csrf=\(csrf)"
    #expect(await browser.post("/console/join-codes/issue", fields).status == .forbidden)
    #expect(await browser.post("/console/join-codes/close", "number=1&csrf=\(csrf)").status == .forbidden)
    #expect(try await codes().map(\.isClosed) == [false])
  }

  @Test(arguments: ["group=Lab&machines=1&lifetime=60", "group=lab&machines=x&lifetime=60", "group=lab&machines=1"])
  func `refuses a form for a join code with an invalid value`(fields: String) async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/join-codes/issue", "\(fields)&csrf=\(csrf)").status == .badRequest)
    #expect(try await codes().isEmpty)
  }

  @Test func `a joined machine's page offers to revoke the machine, and no longer does after the machine has left`()
    async throws
  {
    let code = try await server.joinCode("lab")
    let secret = try #require(try await server.joined(code, "d1"))
    let (browser, _) = try await server.signedIn("alice", .operator)
    #expect(ConsoleBrowser.text(await browser.get("/console/machine?id=d1")).contains("/console/machine/revoke"))
    _ = try await server.left(secret)
    #expect(!ConsoleBrowser.text(await browser.get("/console/machine?id=d1")).contains("/console/machine/revoke"))
  }
}
