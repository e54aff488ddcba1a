import Testing
import UAFAdministration
import UAFMessages

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Unlocks on the page of a person.
@Suite(.onEachStore) struct UnlockPagesTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func rows() async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(kind: .unlock), limit: 9) }.map(\.event)
  }

  @Test func `the helpdesk issues an unlock in the console, which shows both forms of it once`() async throws {
    _ = try await server.registered("mina", deviceID: "d-1", deviceName: "<b>desk")
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let page = ConsoleBrowser.text(await browser.get("/console/person?name=mina"))
    #expect(page.contains("/console/person/unlock?name=mina") && !page.contains("<b>desk"))
    let step = ConsoleBrowser.text(await browser.get("/console/person/unlock?name=mina"))
    #expect(step.contains("&lt;b&gt;desk d-1") && step.contains("it logs nobody in") && !step.contains("<b>desk"))
    let csrf = try await browser.csrf()
    let fields = "name=mina&machine=d-1&lifetime=600&reason=called&csrf=\(csrf)"
    let answer = await browser.post("/console/person/unlock", fields)
    let text = ConsoleBrowser.text(answer)
    #expect(answer.status == .ok)
    let shown = text.split(separator: "role=\"region\">").dropFirst().map { $0.prefix { $0 != "<" } }
    #expect(shown.count == 2 && shown.first?.count == 29 && shown.last?.split(separator: ".").count == 3)
    let row = try #require(try await rows().first)
    #expect(row.actor == "administrator alice" && row.account == "mina" && row.machine == "d-1")
    let again = ConsoleBrowser.text(await browser.get("/console/person?name=mina"))
    for secret in shown { #expect(!again.contains(secret) && !row.detail.contains(secret)) }
  }

  @Test func `the form for an unlock is in Korean for a browser that wants Korean`() async throws {
    _ = try await server.registered("mina", deviceID: "d-1")
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    _ = await browser.get("/console/language?to=ko")
    let page = ConsoleBrowser.text(await browser.get("/console/person?name=mina"))
    #expect(page.contains("잠금 해제 코드 발급") && !page.contains("Issue an unlock"))
  }

  @Test func `the refusal of a form for an unlock is in Korean for a browser that wants Korean`() async throws {
    _ = try await server.registered("mina", deviceID: "d-1")
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    _ = await browser.get("/console/language?to=ko")
    for (lifetime, told) in [("1", "300~604800초 사이의 값이어야 합니다"), ("x", "숫자여야 합니다")] {
      let answer = await browser.post(
        "/console/person/unlock", "name=mina&machine=d-1&lifetime=\(lifetime)&csrf=\(csrf)")
      let page = ConsoleBrowser.text(answer)
      #expect(answer.status == .badRequest && page.contains(told) && !page.contains("must be"))
    }
  }

  @Test(arguments: [Role.auditor, .operator])
  func `a role that may not unlock accounts sees no form for it, and is refused`(role: Role)
    async throws
  {
    _ = try await server.registered("mina", deviceID: "d-1")
    let (browser, _) = try await server.signedIn("alice", role)
    let page = ConsoleBrowser.text(await browser.get("/console/person?name=mina"))
    #expect(!page.contains("/console/person/unlock"))
    let csrf = try await browser.csrf()
    let fields = "name=mina&machine=d-1&lifetime=600&csrf=\(csrf)"
    #expect(await browser.post("/console/person/unlock", fields).status == .forbidden)
    #expect(try await rows().isEmpty)
  }

  @Test func `in the console the helpdesk cannot unlock a privileged account`() async throws {
    _ = try await server.registered("vip", deviceID: "d-1")
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let fields = "name=vip&machine=d-1&lifetime=600&csrf=\(csrf)"
    #expect(await browser.post("/console/person/unlock", fields).status == .forbidden)
    #expect(try await rows().isEmpty)
  }

  @Test(arguments: ["machine=d-1&lifetime=299", "machine=d-1&lifetime=x", "machine=d-1"])
  func `refuses a form for an unlock with an invalid value`(fields: String) async throws {
    _ = try await server.registered("mina", deviceID: "d-1")
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/person/unlock", "name=mina&\(fields)&csrf=\(csrf)").status == .badRequest)
    #expect(try await rows().isEmpty)
  }
}
