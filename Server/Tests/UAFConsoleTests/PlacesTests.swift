import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// The menu, and the pages that say what a step will do.
@Suite struct PlacesTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func page(_ browser: ConsoleBrowser, _ path: String) async -> String {
    ConsoleBrowser.text(await browser.get(path))
  }

  @Test func `every page of the menu belongs to a place, and the menu marks the place of each page`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    for route in PageRoutes.all where route.menu != nil {
      #expect(Place(path: route.path) != nil, "\(route.path)")
      let text = await page(browser, route.path)
      #expect(text.components(separatedBy: "class=\"here\"").count == 2, "\(route.path)")
      #expect(text.contains("aria-current=\"page\""), "\(route.path)")
    }
  }

  @Test func `a page that is reached from a list leads back to the list`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    #expect(
      await page(browser, "/console/person?name=alice").contains("<p class=\"back\"><a href=\"/console/people\">"))
    #expect(await !page(browser, "/console/people").contains("class=\"back\""))
    // Where a place has several lists, it is the one that the page belongs to.
    #expect(
      await page(browser, "/console/audit/row?number=1").contains("<p class=\"back\"><a href=\"/console/audit\">"))
  }

  @Test func `a role sees no page in the menu that it may not open`() async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    let text = await page(browser, "/console/settings")
    #expect(!text.contains("/console/tokens") && !text.contains("/console/administrators"))
    #expect(await !page(browser, "/console/people").contains("/console/enrol-list"))
  }

  @Test(arguments: (PersonActionPages.routes + GroupPages.steps + OtherActionPages.routes).map(\.path))
  func `the page of a step is refused to an auditor, whoever it names`(path: String) async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    for query in ["", "?name=alice&id=1&number=1", "?name=nobody"] {
      #expect(await browser.get(path + query).status == .forbidden, "\(query)")
    }
  }

  @Test(arguments: ["close-code", "unlock", "lock", "disable", "enable", "revoke", "revoke-all", "delete"])
  func `the page of a step says to whom it happens, and refuses an account that does not exist`(
    step: String
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    _ = try await server.registered("mina", deviceID: "d-1")
    let text = await page(browser, "/console/person/\(step)?name=mina")
    #expect(text.contains("mina") && text.contains("action=\"/console/person/\(step)\""))
    #expect(await browser.get("/console/person/\(step)?name=nobody").status == .notFound)
  }

  @Test func `the page of a step says that it is signed only if it is`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    try await server.enrol("mina")
    let signed = "You sign this with your own key"
    #expect(await !page(browser, "/console/person/lock?name=mina").contains(signed))
    #expect(await page(browser, "/console/person/lock?name=alice").contains(signed))
    #expect(await page(browser, "/console/person/delete?name=mina").contains(signed))
  }

  @Test(arguments: [
    ("2", "hours", Int64(7200)), ("1", "days", 86_400), ("90", "seconds", 90), ("90", "", 90),
  ])
  func `a length of time is a number and its unit`(number: String, unit: String, seconds: Int64) async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    let body = "name=bob&seconds=\(number)&secondsUnit=\(unit)&reason=x&csrf=\(csrf)"
    #expect(await browser.post("/console/person/lock", body).status == .seeOther)
    let block = try await server.store.read { try $0.accounts.block(of: "bob") }
    #expect(block?.until == server.now + seconds)
  }

  @Test(arguments: [
    "seconds=2&secondsUnit=weeks", "seconds=9223372036854775807&secondsUnit=days", "seconds=x&secondsUnit=days",
  ])
  func `a length with an unknown unit, or one that is too long, is refused`(fields: String) async throws {
    let (browser, _) = try await server.signedIn("alice", .operator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    let answer = await browser.post("/console/person/lock", "name=bob&\(fields)&reason=x&csrf=\(csrf)")
    #expect(answer.status == .badRequest)
    #expect(try await server.store.read { try $0.accounts.block(of: "bob") } == nil)
  }

  @Test func `a chosen time zone is used until it is taken back, and an impossible one is refused`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/about/zone", "offset=540&csrf=\(csrf)").status == .seeOther)
    let zone = ViewerZone(offset: 540, isChosen: true)
    let seoul = await page(browser, "/console/about")
    #expect(seoul.contains("data-zone=\"chosen\"") && seoul.contains(">\(zone.text(server.now))<"))
    #expect(seoul.contains("title=\"\(ViewerZone.utc.textWithZone(server.now))\""))
    for wrong in ["900", "x", "-721"] {
      #expect(await browser.post("/console/about/zone", "offset=\(wrong)&csrf=\(csrf)").status == .badRequest)
    }
    #expect(await browser.post("/console/about/zone", "offset=60").status == .forbidden)
    #expect(await browser.post("/console/about/zone", "offset=&csrf=\(csrf)").status == .seeOther)
    #expect(await page(browser, "/console/about").contains("Times are in UTC."))
  }

  @Test func `kinds and outcomes of the audit are words in both languages, and searched by their names`() async throws {
    let (browser, _) = try await server.signedIn("alice", .auditor)
    let english = await page(browser, "/console/audit")
    #expect(english.contains(">Signed in to the console<") && english.contains("<option value=\"console-sign-in\">"))
    _ = await browser.get("/console/language?to=ko")
    let korean = await page(browser, "/console/audit?kind=console-sign-in")
    #expect(korean.contains(">콘솔 로그인<") && korean.contains("관리자 alice") && !korean.contains(">console-sign-in<"))
    for words in Array(AuditWords.kinds.values) + Array(AuditWords.outcomes.values) {
      #expect(words.korean.unicodeScalars.contains { (0xac00...0xd7a3).contains($0.value) }, "\(words.english)")
    }
  }
}
