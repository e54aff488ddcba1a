import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// The pages of policies: what they show, and which roles may save.
@Suite(.onEachStore) struct PolicyPagesTests {
  private let server: TestServer
  private static let pattern = #"{"accepted": [["pattern"]]}"#
  private static let either = #"{"accepted": [["passcode"], ["pattern"]]}"#

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func signedIn(_ role: Role) async throws -> (browser: ConsoleBrowser, key: FakeAuthenticator, csrf: String) {
    let (browser, key) = try await server.signedIn("alice", role)
    try await server.store.write { try $0.settings.set(.publicURL, to: TestServer.publicURL) }
    return (browser, key, try await browser.csrf())
  }

  private func save(_ text: String, reason: String = "first", after last: Int64 = 0) async throws {
    _ = try await PolicyAdministration(server.administration).save(
      text, reason: reason, after: last, lockingOut: 9, by: TestServer.root)
  }

  private func body(_ policy: String, after: Int = 0, lockOut: Int = 0, reason: String = "because") -> String {
    "policy=\(FormFields.encoded(policy))&after=\(after)&lockOut=\(lockOut)&reason=\(reason)"
  }

  private func number() async throws -> Int64 { try await server.store.read { try $0.policyVersions.lastNumber() } }

  @Test(arguments: Role.ofPeople)
  func `everybody who signs in to the console sees policies, and only an administrator may save one`(
    role: Role
  ) async throws {
    let (browser, _, csrf) = try await signedIn(role)
    try await save(Self.either)
    for path in ["/console/policies", "/console/policy?number=1"] {
      let page = ConsoleBrowser.text(await browser.get(path))
      #expect(page.contains("&quot;passcode&quot;") && page.contains("first"), "\(path)")
    }
    let preview = await browser.post("/console/policies/preview", "number=1&csrf=\(csrf)")
    let mayIt = role == .administrator
    #expect(ConsoleBrowser.text(preview).contains("action=\"/console/policies/save\"") == mayIt)
    let asked = await browser.post("/console/policies/save", "\(body(Self.either, after: 1))&csrf=\(csrf)")
    #expect(asked.status == (mayIt ? .seeOther : .forbidden))
    #expect(try await number() == 1)
  }

  @Test func `the console saves a policy only after a signature over its hash and number`() async throws {
    let (browser, key, csrf) = try await signedIn(.administrator)
    let text = Self.either.replacing(", ", with: ",\r\n")
    #expect(await browser.post("/console/policies/save", "\(body(text))&csrf=\(csrf)").status == .seeOther)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await number() == 0)
    let shown = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    let saved = text.replacing("\r\n", with: "\n")
    #expect(
      shown.hasPrefix(
        "Console: Save policy after number 0, SHA-256 \(try DangerousStep.hash(saved)), may lock out 0, code "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    let version = try await server.store.read { try $0.policyVersions.version(1) }
    #expect(version?.text == saved && version?.actor == "administrator alice" && version?.reason == "because")
  }

  @Test func `the preview of a policy that locks everybody out says so, and the console does not save it`()
    async throws
  {
    let (browser, _, csrf) = try await signedIn(.administrator)
    let preview = await browser.post(
      "/console/policies/preview", "policy=\(FormFields.encoded(Self.pattern))&csrf=\(csrf)")
    let page = ConsoleBrowser.text(preview)
    #expect(page.contains("nobody could log in any more") && page.contains("/console/person?name=alice"))
    #expect(page.contains("<option value=\"0\" selected>") && page.contains("<option value=\"1\">"))
    let refused = await browser.post("/console/policies/save", "\(body(Self.pattern))&csrf=\(csrf)")
    #expect(refused.status == .conflict && ConsoleBrowser.text(refused).contains("alice"))
    #expect(await browser.get("/console/confirm").status == .conflict)
    let asked = await browser.post("/console/policies/save", "\(body(Self.pattern, lockOut: 1))&csrf=\(csrf)")
    // She is the last administrator: only root at the server itself may lock her out.
    #expect(asked.status == .conflict && ConsoleBrowser.text(asked).contains("No administrator could sign in"))
    #expect(await browser.get("/console/confirm").status == .conflict)
    #expect(try await number() == 0)
  }

  @Test func `the console refuses a policy that is invalid, has no reason, or was based on one that is not in force`()
    async throws
  {
    let (browser, _, csrf) = try await signedIn(.administrator)
    let bodies = [body("{"), body(Self.either, reason: ""), body(Self.either, after: -1), "policy={}&reason=x"]
    for body in bodies {
      #expect(await browser.post("/console/policies/save", "\(body)&csrf=\(csrf)").status == .badRequest, "\(body)")
    }
    let stale = await browser.post("/console/policies/save", "\(body(Self.either, after: 7))&csrf=\(csrf)")
    #expect(stale.status == .conflict)
    #expect(await browser.get("/console/confirm").status == .conflict)
    #expect(await browser.get("/console/policy?number=9").status == .notFound)
  }

  @Test func `a policy that was saved between the form and its signature is not replaced`() async throws {
    let (browser, key, csrf) = try await signedIn(.administrator)
    // A person who can still administer under the new policy, so that it locks out no last administrator.
    _ = try await server.registered("rita", model: "5541#0002")
    try await server.make("rita", .administrator)
    _ = await browser.post("/console/policies/save", "\(body(Self.pattern, lockOut: 1))&csrf=\(csrf)")
    _ = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    try await save(Self.either)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await number() == 1)
  }

  @Test(arguments: ["/console/policies/preview", "/console/policies/save"])
  func `a forged form with a policy is refused, and so is a wrong method`(path: String) async throws {
    let (browser, _, csrf) = try await signedIn(.administrator)
    #expect(await browser.post(path, body(Self.either)).status == .forbidden)
    let evil = await browser.post(path, "\(body(Self.either))&csrf=\(csrf)", origin: "https://evil.example")
    #expect(evil.status == .forbidden)
    #expect(await browser.put(path, "\(body(Self.either))&csrf=\(csrf)").status == .methodNotAllowed)
    #expect(await browser.get(path).status == .notFound)
  }

  @Test func `markup in the reason or text of a policy is shown as text, in Korean too`() async throws {
    let (browser, _, csrf) = try await signedIn(.auditor)
    let hostile = "</textarea></pre><script>alert(1)</script>"
    let text = #"{"groups": {"\#(hostile)": {"accounts": ["<b>zoe"], "accepted": [["passcode"]]}}}"#
    try await save(text, reason: hostile)
    _ = await browser.get("/console/language?to=ko")
    let answers = [
      await browser.get("/console/policies"), await browser.get("/console/policy?number=1"),
      await browser.post("/console/policies/preview", "number=1&csrf=\(csrf)"),
    ]
    for answer in answers {
      let page = ConsoleBrowser.text(answer)
      #expect(answer.status == .ok && page.contains("lang=\"ko\"") && page.contains("정책"))
      #expect(page.contains("&lt;script&gt;") && !page.contains("<script") && !page.contains("<b>"))
    }
  }

  @Test func `the console's page says that the policy file overrides the saved policies`() async throws {
    let (browser, _, _) = try await signedIn(.auditor)
    #expect(!ConsoleBrowser.text(await browser.get("/console/policies")).contains("--policy"))
    try await server.store.write { try $0.settings.set(.policyFile, to: "yes") }
    #expect(ConsoleBrowser.text(await browser.get("/console/policies")).contains("--policy"))
  }
}
