import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Who cannot log in now, and what the first page says about it.
@Suite(.onEachStore) struct UnablePageTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func page(_ browser: ConsoleBrowser, _ path: String) async -> String {
    ConsoleBrowser.text(await browser.get(path))
  }

  private func fill() async throws {
    let states = AccountStateAdministration(server.administration)
    for name in ["locked-1", "disabled-1", "coded-1"] { try await server.enrol(name) }
    try await states.lock("locked-1", seconds: 600, reason: "guesses", by: TestServer.root)
    try await states.disable("disabled-1", reason: "gone", by: TestServer.root)
    try await AccountAdministration(server.administration).add("empty-1", by: TestServer.root)
    _ = try await EnrolmentAdministration(server.administration).issue(
      for: "late-1", lifetime: 1, by: TestServer.root)
    _ = try await EnrolmentAdministration(server.administration).issue(
      for: "coded-2", lifetime: 600, by: TestServer.root)
    server.advance(seconds: 2)
  }

  @Test func `everybody who cannot log in is listed with the reason`() async throws {
    try await fill()
    let list = try await AttentionAdministration(server.administration).people(by: TestServer.root)
    let causes = Dictionary(list.people.map { ($0.username, UnableCause($0.cause)) }) { first, _ in first }
    #expect(causes["locked-1"] == .locked && causes["disabled-1"] == .disabled && causes["empty-1"] == .noKey)
    #expect(causes["late-1"] == .codeExpired && causes["coded-2"] == .codeOpen && !list.isPart)
    let (browser, _) = try await server.signedIn("alice", .operator)
    let text = await page(browser, "/console/unable")
    for name in ["locked-1", "disabled-1", "empty-1", "late-1", "coded-2"] { #expect(text.contains(">\(name)<")) }
    #expect(!text.contains("person?name=alice\"") && text.contains("guesses") && text.contains("gone"))
    #expect(text.contains("/console/person/enable?name=locked-1"))
  }

  @Test func `a lock that is over, and a person with a key, are not listed`() async throws {
    try await fill()
    server.advance(seconds: 700)
    _ = try await server.registered("able-1")
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let text = await page(browser, "/console/unable?cause=locked")
    #expect(!text.contains("person?name=locked-1\"") && !text.contains("able-1"))
    #expect(await !page(browser, "/console/unable").contains("able-1"))
  }

  @Test func `an auditor sees who cannot log in, and no step that would help`() async throws {
    try await fill()
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let text = await page(browser, "/console/unable")
    #expect(
      text.contains(">locked-1<") && !text.contains("/console/person/enable") && !text.contains("/console/person/enrol")
    )
  }

  @Test func `an unknown cause, and an unknown state of machines, are refused`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(await browser.get("/console/unable?cause=tired").status == .badRequest)
    #expect(await browser.get("/console/machines?state=tired").status == .badRequest)
  }

  @Test func `the first page counts them, and links to each reason`() async throws {
    try await fill()
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let text = await page(browser, "/console")
    for cause in ["locked", "disabled", "noKey", "codeExpired", "codeOpen"] {
      #expect(text.contains("/console/unable?cause=\(cause)\""), "\(cause)")
    }
    // The certificate of the test's server has long ended.
    #expect(text.contains("Certificate ends") && text.contains("New verdict key comes into use"))
  }

  @Test func `a machine is silent after a week without a report, and left machines are no news`() async throws {
    let secret = try #require(try await server.joined(server.joinCode(), "d1"))
    _ = try await server.checkIn(secret, TestServer.report(next: 1, module: "1.0"))
    let attention = AttentionAdministration(server.administration)
    let before = try await attention.fleet(by: TestServer.root)
    #expect(before.reporting == 1 && before.silent == 0 && before.versions.map(\.version) == ["1.0"])
    server.advance(seconds: 604_801)
    let after = try await attention.fleet(by: TestServer.root)
    #expect(after.reporting == 0 && after.silent == 1)
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(await page(browser, "/console").contains("/console/machines?state=silent\""))
    #expect(await page(browser, "/console/machines?state=silent").contains("/console/machine?id=d1\""))
    #expect(await !page(browser, "/console/machines?state=reporting").contains("/console/machine?id=d1\""))
  }
}
