import Foundation
import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// The plots of the first page.
@Suite(.onEachStore) struct OverviewPageTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func add(_ models: [(aaid: String, count: Int)]) async throws {
    try await server.store.write { try $0.accounts.add("mina", now: 1) }
    try await server.database.addKeys(models.flatMap { model in (0..<model.count).map { _ in ("mina", model.aaid) } })
  }

  private func page(_ language: String = "en") async throws -> String {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    _ = await browser.get("/console/language?to=\(language)")
    return ConsoleBrowser.text(await browser.get("/console"))
  }

  private static func row(_ name: String, _ keys: Int, _ revoked: Int) -> String {
    let words = name.split(separator: " ")
    let isNamed = words.count == 2 && words[1].contains("#")
    let cell = isNamed ? "\(words[0])<small class=\"note\">\(words[1])</small>" : name
    return "<td data-column=\"Model\">\(cell)</td><td data-column=\"Keys\">\(keys)</td>"
      + "<td data-column=\"Revoked keys\">\(revoked)</td>"
  }

  @Test func `the first page shows keys by model as a plot, and the same numbers as a table`() async throws {
    try await add([("5541#0002", 4), ("0a0b#0001", 2)])
    _ = try await server.store.write { try $0.credentials.revokeAll(of: "mina", now: 1) }
    let text = try await page()
    // The administrator's own key is the only one left.
    #expect(text.contains(Self.row("passcode 5541#0001", 1, 0)))
    #expect(text.contains(Self.row("pattern 5541#0002", 0, 4)) && text.contains(Self.row("0a0b#0001", 0, 2)))
    #expect(text.contains("aria-label=\"Registered keys by model\""))
    // One of seven keys is usable: the passcode's part of its bar, and the whole of the bar that is not refused.
    #expect(
      text.contains(
        "<rect class=\"good\" width=\"14\" height=\"8\"/><rect class=\"refused\" x=\"14\" width=\"0\" height=\"8\"/>"))
    #expect(
      text.contains(
        "<rect class=\"good\" width=\"0\" height=\"8\"/><rect class=\"refused\" x=\"0\" width=\"57\" height=\"8\"/>"))
  }

  @Test func `the plot of keys by model is also in Korean`() async throws {
    let text = try await page("ko")
    #expect(text.contains("모델별 등록된 키") && !text.contains("Registered keys by model"))
  }

  @Test func `in the plot of keys, the models with the fewest keys share one bar`() async throws {
    try await add((1...10).map { (String(format: "0a0b#%04x", $0), $0 + 1) })
    let text = try await page()
    // Eight bars: of eleven models those with 11 to 4 keys. The others have 3, 2 and 1.
    #expect(text.contains(Self.row("3 others", 6, 0)) && text.contains(Self.row("0a0b#000a", 11, 0)))
    #expect(!text.contains("0a0b#0002<"))
  }

  @Test func `in the plot of keys, nine models have a bar each`() async throws {
    try await add((1...8).map { (String(format: "0a0b#%04x", $0), $0 + 1) })
    let text = try await page()
    #expect(!text.contains("others") && text.contains(Self.row("passcode 5541#0001", 1, 0)))
  }
}
