import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// What the page of settings shows, and what it hides.
@Suite(.onEachStore) struct SettingsPageTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  @Test(arguments: Role.ofPeople)
  func `every role sees listeners, certificate, keys and store on the page of settings, as text`(
    role: Role
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", role)
    let page = ConsoleBrowser.text(await browser.get("/console/settings"))
    for text in [
      "&lt;b&gt;:8443", "127.0.0.1:8444", "<time datetime=\"1234\" title=\"1970-01-01 00:20:34 UTC\">", "SQLite",
      "next", "still accepted", "not yet in use",
    ] {
      #expect(page.contains(text), "\(text)")
    }
    #expect(page.contains("<time datetime=\"\(server.now + 60)\"") && page.contains("sent to no sink"))
    #expect(page.contains("<td data-column=\"Kind\">verdict key</td>"))
  }

  @Test func `a table of the settings without rows keeps its heading`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let page = ConsoleBrowser.text(await browser.get("/console/settings"))
    #expect(
      page.contains(
        "<h2>Next verdict keys and certificate authorities</h2><p class=\"empty\">No new verdict key or certificate "
          + "authority is planned.</p>"))
    #expect(page.contains("<h2>Sinks of the audit</h2><p class=\"empty\">"))
    // The title of a page is not said twice.
    #expect(!ConsoleBrowser.text(await browser.get("/console/groups")).contains("<h2>"))
  }

  @Test func `the page of settings shows how many rows a sink lacks, and since when`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let last = try await server.store.write { [now = server.now] records in
      var delivery = AuditDelivery(sink: "syslog")
      _ = delivery.take(by: "a", now: now)
      try records.auditDeliveries.keep(delivery)
      return try records.audit.last().number
    }
    let page = ConsoleBrowser.text(await browser.get("/console/settings"))
    #expect(page.contains("<td data-column=\"Rows waiting\">\(last)</td>"))
    _ = await browser.get("/console/language?to=ko")
    #expect(ConsoleBrowser.text(await browser.get("/console/settings")).contains("기다리는 행"))
  }

  @Test func `the page of settings changes nothing, and nobody sees it without a session`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/settings", "csrf=\(csrf)").status == .notFound)
    #expect(await browser.put("/console/settings", "csrf=\(csrf)").status == .methodNotAllowed)
    #expect(await ConsoleBrowser(server).get("/console/settings").status == .seeOther)
  }
}
