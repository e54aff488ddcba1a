import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// Steps that are performed only after a signature.
@Suite(.onEachStore) struct DangerousStepTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func hasCode(_ name: String) async throws -> Bool {
    try await server.store.read { [now = server.now] in
      try $0.accounts.summary(of: name, now: now)?.hasOpenCode == true
    }
  }

  private func tokens() async throws -> [String] {
    try await server.store.read { try $0.accessTokens.all().map(\.name) }
  }

  @Test(arguments: ["alice", "bob", "vip-carol"])
  func `the console issues a code for an administrator or a privileged account only after a signature`(
    name: String
  ) async throws {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    try await server.make("bob", .auditor)
    let csrf = try await browser.csrf()
    let asked = await browser.post("/console/person/enrol", "name=\(name)&lifetime=900&csrf=\(csrf)")
    #expect(asked.status == .seeOther)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await !hasCode(name))
    let text = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(text.hasPrefix("Console: Issue an enrolment code for \(name), 15 minutes, code "))
    let answer = await browser.post("/console/confirm", "csrf=\(csrf)")
    #expect(answer.status == .ok && ConsoleBrowser.text(answer).contains("role=\"region\""))
    #expect(try await hasCode(name))
  }

  @Test func `the console issues a code for an ordinary account immediately`() async throws {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    #expect(await browser.post("/console/person/enrol", "name=dora&lifetime=900&csrf=\(csrf)").status == .ok)
    #expect(try await hasCode("dora"))
  }

  @Test(arguments: ["alice", "vip-carol"])
  func `the helpdesk is refused a code for a privileged account before a signature is asked for`(name: String)
    async throws
  {
    let (browser, _) = try await server.signedIn("alice", .helpdesk)
    let csrf = try await browser.csrf()
    let asked = await browser.post("/console/person/enrol", "name=\(name)&lifetime=900&csrf=\(csrf)")
    #expect(asked.status == .forbidden)
    #expect(try await !hasCode(name))
  }

  @Test(arguments: Role.allCases) func `the console makes a token that may do more than read only after a signature`(
    role: Role
  ) async throws {
    let isDangerous = role != .auditor
    let (browser, key) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    let body = "name=deploy&role=\(role.rawValue)&lifetime=900&csrf=\(csrf)"
    #expect(await browser.post("/console/tokens/add", body).status == (isDangerous ? .seeOther : .ok))
    #expect(try await tokens() == (isDangerous ? [] : ["deploy"]))
    guard isDangerous else { return }
    _ = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    #expect(try await tokens() == ["deploy"])
  }

  @Test(arguments: [
    String(repeating: "\u{1F600}", count: 128), String(repeating: "\u{1}", count: 128),
    String(repeating: "\\", count: 127), String(repeating: "m", count: 200),
  ]) func `a text to sign names a machine with a long or unusual id by the id's hash`(id: String) throws {
    let text = try #require(try DangerousStep.revokeMachine(id, reason: "lost").shownText(number: "0042"))
    #expect(text.utf8.count <= 200 && text.contains("... (SHA-256 ") && text.hasSuffix("), code 0042"))
    let other = try DangerousStep.revokeMachine(id + "x", reason: "lost").shownText(number: "0042")
    #expect(other != text)
  }

  @Test func `a text to sign shows a short machine id in full, and a step whose text would be too long is refused`()
    throws
  {
    let text = try DangerousStep.revokeMachine("m1", reason: "").shownText(number: "0042")
    #expect(text == "Console: Revoke all keys on machine m1, code 0042")
    let name = String(repeating: "\\", count: 127)
    #expect(try DangerousStep.deleteAccount(name, reason: "").shownText(number: "0042") == nil)
  }

  @Test
  func `a step that was cancelled, or replaced by one from another page, is not performed even if it was confirmed`()
    async throws
  {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    _ = await browser.post("/console/person/delete", "name=bob&csrf=\(csrf)")
    let old = try #require(
      try await SessionCheck(environment: environment).signedIn(cookie: browser.session, address: ""))
    _ = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    _ = await browser.post("/console/administrators/set", "name=bob&role=auditor&csrf=\(csrf)")
    let outcome = try await StepConfirmation(environment: environment).takeConfirmed(old)
    guard case .ended = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let line = try await browser.line("/console/confirm")
    #expect(await browser.post("/console/confirm/cancel", "csrf=\(csrf)").status == .seeOther)
    let isUsed = try await server.store.read { [keys = server.environment.keys, now = server.now] records in
      let code = try ConfirmationCode(sealed: line.authCode, for: "alice", keys: keys, now: now)
      return try records.usedProofs.contains(tokenID: code?.usedName ?? "")
    }
    #expect(isUsed)
  }

  private static let forms = [
    ("/console/person/revoke-all", "name=nobody&reason=x"), ("/console/person/delete", "name=nobody&reason=x"),
    ("/console/person/enable", "name=nobody"), ("/console/machine/revoke", "id=nothing&reason=x"),
    ("/console/administrators/set", "name=nobody&role=auditor"),
    ("/console/administrators/set-keys", "name=nobody&role=auditor&keys=none"),
    ("/console/administrators/remove", "name=nobody"),
    ("/console/person/disable", "name=vip-nobody&reason=x"),
    ("/console/person/lock", "name=vip-nobody&seconds=60&reason=x"),
    ("/console/person/revoke", "name=vip-nobody&key=5541%230001%20\(String(repeating: "A", count: 43))&reason=x"),
  ]

  @Test(arguments: forms)
  func `a step for a missing person or item is refused before a signature, with 404, or 403 without the permission`(
    path: String, body: String
  ) async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    for (language, told) in [("en", "This page or item does not exist."), ("ko", "그런 페이지나 항목이 없습니다.")] {
      _ = await browser.get("/console/language?to=\(language)")
      let answer = await browser.post(path, "\(body)&csrf=\(csrf)")
      #expect(answer.status == .notFound && ConsoleBrowser.text(answer).contains(told), "\(path) \(answer.status)")
    }
    #expect(await browser.get("/console/confirm").status == .conflict, "no step waits")
    let (stranger, _) = try await server.signedIn("bob", .auditor)
    let token = try await stranger.csrf()
    #expect(await stranger.post(path, "\(body)&csrf=\(token)").status == .forbidden)
  }

  @Test func `a step that would be refused is refused before a signature, and the check changes nothing`() async throws
  {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    try await server.enrol("bob")
    let csrf = try await browser.csrf()
    for (path, body) in [
      ("/console/administrators/remove", "name=alice"), ("/console/person/delete", "name=alice&reason=x"),
      ("/console/person/enable", "name=bob"),
    ] {
      #expect(await browser.post(path, "\(body)&csrf=\(csrf)").status == .conflict, "\(path)")
    }
    let rows = try await server.store.read { try $0.audit.last().number }
    #expect(await browser.post("/console/person/delete", "name=bob&reason=x&csrf=\(csrf)").status == .seeOther)
    let (isThere, last) = try await server.store.read {
      (try $0.accounts.exists("bob"), try $0.audit.last().number)
    }
    #expect(isThere && last == rows)
  }

  @Test func `errors in a policy are reported in Korean to a browser that wants Korean`() async throws {
    let (browser, _) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    _ = await browser.get("/console/language?to=ko")
    for (path, body, told) in [
      ("/console/policies/preview", "policy=%7B%22acepted%22%3A1%7D", "정책: 정책을 읽을 수 없습니다: 정책: 다음 가운데 하나가 아닙니다"),
      ("/console/policies/preview", "policy=%7B", "정책을 읽을 수 없습니다: JSON이 올바르지 않습니다"),
      (
        "/console/machine-policies/preview", "group=default&days=9&policy=%5Bpasscode%5D%0Amin_length%20%3D%200",
        "컴퓨터가 이 정책을 거부합니다: 2번째 줄, passcode.min_length: "
      ),
      ("/console/machine-policies/preview", "group=default&days=0&policy=", "유효 일수: 1~366"),
    ] {
      let answer = await browser.post(path, "\(body)&csrf=\(csrf)")
      let page = ConsoleBrowser.text(answer)
      #expect(answer.status == .badRequest && page.contains(told), "\(page.suffix(900))")
      #expect(!page.contains("must be"))
    }
  }

  private var environment: ConsoleEnvironment {
    ConsoleEnvironment(
      administration: server.administration, keys: server.environment.keys,
      passkeys: PasskeyService(environment: server.environment), passkeyGuard: .open,
      publicURL: { TestServer.publicURL },
      admitsSignIn: { _ in true }, allowsAnonymous: { _ in true }, timeText: { String($0) }, readTime: { Int64($0) },
      version: "1", facts: .example,
      report: { Issue.record($0) })
  }
}
