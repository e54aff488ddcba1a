import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// The pages of policies for workstations: what they show, and which roles may save.
@Suite(.onEachStore) struct MachinePolicyPagesTests {
  private static let list = "/console/machine-policies"
  private static let preview = "/console/machine-policies/preview"
  private static let saving = "/console/machine-policies/save"
  private static let long = "[passcode]\nmin_length = 12\n"
  private static let strict = "[passcode]\nmin_length = 16\n"
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
  }

  private func signedIn(_ role: Role) async throws -> (browser: ConsoleBrowser, key: FakeAuthenticator, csrf: String) {
    let (browser, key) = try await server.signedIn("alice", role)
    return (browser, key, try await browser.csrf())
  }

  @discardableResult private func save(
    _ text: String = long, group: String = "lab", reason: String = "first", after last: Int64 = 0,
    lifetime: Int64? = nil
  ) async throws -> Int64 {
    try await MachinePolicyAdministration(server.administration).save(
      MachinePolicyDraft(group: group, text: text, lifetime: lifetime), reason: reason, after: last, by: TestServer.root
    ).number
  }

  private func draft(_ policy: String, group: String = "lab", days: String = "30") -> String {
    "group=\(FormFields.encoded(group))&days=\(days)&policy=\(FormFields.encoded(policy))"
  }

  private func body(
    _ policy: String, group: String = "lab", lifetime: Int64 = 2_592_000, after: Int64 = 0, reason: String = "because"
  ) -> String {
    "group=\(FormFields.encoded(group))&policy=\(FormFields.encoded(policy))&lifetime=\(lifetime)&after=\(after)"
      + "&reason=\(reason)"
  }

  /// The fields of the form that saves a previewed policy, as a browser sends them.
  private func fields(_ page: String) throws -> String {
    let form = try #require(page.split(separator: "action=\"\(Self.saving)\"").dropFirst().first)
    let inputs = form.split(separator: "</form>")[0].split(separator: "<input type=\"hidden\" name=\"").dropFirst()
    return try inputs.map { input in
      let parts = input.split(separator: "\"", maxSplits: 3, omittingEmptySubsequences: false)
      let value = try #require(parts.count == 4 ? parts[2] : nil).replacing("\n", with: "\r\n")
      return "\(parts[0])=\(FormFields.encoded(String(value)))"
    }.joined(separator: "&")
  }

  private func number() async throws -> Int64 { try await server.store.read { try $0.machinePolicies.lastNumber() } }

  private func current(_ group: String = "lab") async throws -> SavedMachinePolicy? {
    try await server.store.read { try $0.machinePolicies.current(of: group) }
  }

  /// The cells of a column, from the top of the page.
  private func cells(_ column: String, _ page: String) -> [String] {
    page.split(separator: "<td data-column=\"\(column)\">").dropFirst().map { cell in
      let text = cell.split(separator: "</td>", maxSplits: 1)[0]
      return String(text.hasPrefix("<a") ? text.split(separator: ">")[1].split(separator: "<")[0] : text)
    }
  }

  // MARK: What is shown

  @Test
  func `the list of policies shows each group with its policy in force, and all saved policies, the newest first`()
    async throws
  {
    try await server.joined(server.joinCode("lab"), "desk-17")
    try await save(reason: "of before")
    try await save(Self.strict, group: "office", reason: "for the office", lifetime: 100_000)
    try await save(Self.strict, reason: "longer", after: 1)
    let (browser, _, _) = try await signedIn(.auditor)
    #expect(ConsoleBrowser.text(await browser.get("/console/policies")).contains("href=\"\(Self.list)\""))
    let page = ConsoleBrowser.text(await browser.get(Self.list))
    #expect(cells("Number", page) == ["3", "2", "3", "2", "1"])
    #expect(cells("Reason", page) == ["longer", "for the office", "longer", "for the office", "of before"])
    #expect(cells("Group", page) == ["lab", "office", "lab", "office", "lab"])
    #expect(cells("Machines in the group", page) == ["1", "0"])
    #expect(cells("Valid for (days)", page) == ["90", "100000 s"])
    let one = ConsoleBrowser.text(await browser.get("\(Self.list)?group=lab"))
    #expect(cells("Number", one) == ["3", "3", "1"] && !one.contains("office"))
  }

  @Test func `groups and saved policies for workstations are shown in pages`() async throws {
    let groups = (0...PageLimit.standard).map { "g\(1000 + $0)" }
    for group in groups { try await save(group: group) }
    let (browser, _, _) = try await signedIn(.auditor)
    let page = ConsoleBrowser.text(await browser.get(Self.list))
    let last = PageLimit.standard
    #expect(page.contains("?groupsAfter=\(groups[last - 1])\"") && page.contains("?after=2\""))
    #expect(cells("Machines in the group", page).count == last)
    let next = ConsoleBrowser.text(await browser.get("\(Self.list)?groupsAfter=\(groups[last - 1])&after=2"))
    #expect(cells("Number", next) == ["\(last + 1)", "1"])
  }

  @Test(arguments: Role.ofPeople)
  func `everybody who signs in sees policies for workstations, and only an administrator sees forms to change them`(
    role: Role
  )
    async throws
  {
    try await save("# old\n")
    try await save(after: 1)
    let (browser, _, csrf) = try await signedIn(role)
    let mayIt = role == .administrator
    for path in [Self.list, "\(Self.list)?group=lab", "/console/machine-policy?number=2"] {
      let page = ConsoleBrowser.text(await browser.get(path))
      #expect(page.contains("first") && page.contains("action=\"\(Self.preview)\"") == mayIt, "\(path)")
    }
    let old = ConsoleBrowser.text(await browser.get("/console/machine-policy?number=1"))
    #expect(old.contains("# old") && old.contains("Use this policy again") == mayIt)
    #expect(!old.contains("Remove the policy"))
    let asked = await browser.post(Self.preview, "number=1&csrf=\(csrf)")
    #expect(asked.status == (mayIt ? .ok : .forbidden))
    let saved = await browser.post(Self.saving, "\(body(Self.strict, after: 2))&csrf=\(csrf)")
    #expect(saved.status == (mayIt ? .seeOther : .forbidden))
    #expect(try await number() == 2)
  }

  @Test func `the page of a policy for workstations says whether it is in force, and for how many machines`()
    async throws
  {
    try await server.joined(server.joinCode("lab"), "desk-17")
    try await save()
    try await save(Self.strict, reason: "longer", after: 1)
    let (browser, _, _) = try await signedIn(.auditor)
    for (number, answer, text) in [(1, "no", "min_length = 12"), (2, "yes", "min_length = 16")] {
      let page = ConsoleBrowser.text(await browser.get("/console/machine-policy?number=\(number)"))
      #expect(page.contains("<dt>In force</dt><dd>\(answer)</dd>") && page.contains(text), "\(number)")
      #expect(page.contains("<dt>Machines in the group</dt><dd>1</dd>") && page.contains("command-line uid 0"))
    }
  }

  @Test func `markup in the reason or text of a policy for workstations is shown as text, in Korean too`() async throws
  {
    let hostile = "</textarea></pre><script>alert(1)</script>"
    try await save("# \(hostile)\n[passcode.ignore]\n'<b>zoe' = true\n", reason: hostile)
    try await save("# \(hostile)\n", reason: hostile, after: 1)
    let (browser, _, csrf) = try await signedIn(.administrator)
    _ = await browser.get("/console/language?to=ko")
    let answers = [
      await browser.get(Self.list), await browser.get("\(Self.list)?group=lab"),
      await browser.get("/console/machine-policy?number=1"), await browser.get("/console/machine-policy?number=2"),
      await browser.post(Self.preview, "number=1&csrf=\(csrf)"),
    ]
    for answer in answers {
      let page = ConsoleBrowser.text(answer)
      #expect(answer.status == .ok && page.contains("lang=\"ko\"") && page.contains("워크스테이션 정책"))
      #expect(page.contains("&lt;script&gt;") && !page.contains("<script") && !page.contains("<b>"))
    }
  }

  // MARK: The preview, and what follows it

  @Test
  func `a preview in the console says which configuration keys change and for how many machines, and saves nothing`()
    async throws
  {
    try await server.joined(server.joinCode("lab"), "desk-17")
    try await save("[passcode]\nmin_length = 12\nmax_length = 40\n")
    let (browser, _, csrf) = try await signedIn(.administrator)
    let answer = await browser.post(Self.preview, "\(draft(Self.strict))&csrf=\(csrf)")
    let page = ConsoleBrowser.text(answer)
    #expect(answer.status == .ok && cells("Key", page) == ["passcode.min_length", "passcode.max_length"])
    #expect(cells("Before", page) == ["12", "40"] && cells("After", page) == ["16", "none"])
    #expect(page.contains("<dt>Machines in the group</dt><dd>1</dd>") && page.contains("<dd>30</dd>"))
    #expect(page.contains(try DangerousStep.hash(Self.strict)))
    #expect(try await number() == 1)
    #expect(await browser.get("/console/confirm").status == .conflict)
    let same = ConsoleBrowser.text(await browser.post(Self.preview, "number=1&csrf=\(csrf)"))
    #expect(same.contains("No key changes."))
  }

  @Test func `a policy for workstations is saved only after a signature over its group, number, days and hash`()
    async throws
  {
    let (browser, key, csrf) = try await signedIn(.administrator)
    let typed = Self.long.replacing("\n", with: "\r\n")
    let preview = ConsoleBrowser.text(await browser.post(Self.preview, "\(draft(typed))&csrf=\(csrf)"))
    let asked = await browser.post(Self.saving, "\(try fields(preview))&reason=because")
    #expect(asked.status == .seeOther)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await number() == 0)
    let shown = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(
      shown.hasPrefix("Console: Policy of lab after 0, 30 days, SHA-256 \(try DangerousStep.hash(Self.long)), code ")
    )
    let other = body(Self.strict, reason: "other")
    #expect(await browser.post("/console/confirm", "\(other)&csrf=\(csrf)").status == .ok)
    let saved = try #require(try await current())
    #expect(saved.text == Self.long && saved.reason == "because" && saved.lifetime == 2_592_000)
    #expect(saved.actor == "administrator alice" && saved.number == 1)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await number() == 1)
  }

  @Test func `saving an earlier policy again, or removing the one in force, each needs a signature`()
    async throws
  {
    try await save(lifetime: 100_000)
    try await save(Self.strict, after: 1)
    let (browser, key, csrf) = try await signedIn(.administrator)
    let again = ConsoleBrowser.text(await browser.post(Self.preview, "number=1&csrf=\(csrf)"))
    _ = await browser.post(Self.saving, "\(try fields(again))&reason=back")
    let shown = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(shown.hasPrefix("Console: Policy of lab after 2, 100000 s, "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    let back = try #require(try await current())
    #expect(back.text == Self.long && back.lifetime == 100_000)
    #expect(
      ConsoleBrowser.text(await browser.get("/console/machine-policy?number=3")).contains("Remove the policy"))
    let removal = ConsoleBrowser.text(await browser.post(Self.preview, "\(draft("", days: "90"))&csrf=\(csrf)"))
    #expect(removal.contains("<button class=\"danger\">Remove</button>"))
    #expect(await browser.post(Self.saving, "\(try fields(removal))&reason=").status == .badRequest)
    #expect(await browser.post(Self.saving, "\(try fields(removal))&reason=gone").status == .seeOther)
    _ = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 3)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    let gone = try #require(try await current())
    #expect(gone.text.isEmpty && gone.reason == "gone" && gone.number == 4)
    let page = ConsoleBrowser.text(await browser.get("/console/machine-policy?number=4"))
    #expect(page.contains("The policy is empty") && !page.contains("Remove the policy"))
  }

  @Test
  func `the text to sign for a workstation policy fits with the longest group name and a ten-digit policy number`()
    throws
  {
    for lifetime: Int64 in [31_622_400, 31_622_399] {
      let draft = MachinePolicyDraft(group: String(repeating: "g", count: 64), text: Self.long, lifetime: lifetime)
      let step = DangerousStep.saveMachinePolicy(draft, reason: "r", after: 9_999_999_999)
      #expect(try step.shownText(number: "0042") != nil)
      #expect(DangerousStep(stored: step.stored) == step)
    }
  }

  // MARK: Refusals

  @Test func `an error in a policy's text is shown with its line and key, and nothing waits for a signature`()
    async throws
  {
    let (browser, _, csrf) = try await signedIn(.administrator)
    let wrong = "\n[lock]\nlock_time = 1\n"
    for (path, body) in [(Self.preview, draft(wrong)), (Self.saving, body(wrong))] {
      let answer = await browser.post(path, "\(body)&csrf=\(csrf)")
      #expect(answer.status == .badRequest && ConsoleBrowser.text(answer).contains("policy:3: lock.lock_time"))
    }
    #expect(await browser.get("/console/confirm").status == .conflict)
  }

  @Test func `refuses a form for a policy for workstations with an invalid group, days, reason or number`() async throws
  {
    let (browser, _, csrf) = try await signedIn(.administrator)
    let previews = [
      draft(Self.long, group: "Lab"), draft(Self.long, group: ""), draft(Self.long, days: "0"),
      draft(Self.long, days: "367"), draft(Self.long, days: "x"), draft("[server]\n"), "number=x", "group=lab",
    ]
    let savings = [
      body(Self.long, group: "Lab"), body(Self.long, lifetime: 1), body(Self.long, reason: ""), body("passcode"),
      body(Self.long, reason: String(repeating: "x", count: 501)), "group=lab&policy=&reason=x",
    ]
    for (path, bodies) in [(Self.preview, previews), (Self.saving, savings)] {
      for body in bodies {
        #expect(await browser.post(path, "\(body)&csrf=\(csrf)").status == .badRequest, "\(path) \(body)")
      }
    }
    #expect(await browser.get("\(Self.list)?group=Lab").status == .badRequest)
    #expect(await browser.get("\(Self.list)?after=x").status == .badRequest)
    #expect(await browser.get("/console/machine-policy?number=9").status == .notFound)
    #expect(await browser.post(Self.preview, "number=9&csrf=\(csrf)").status == .notFound)
    #expect(await browser.get("\(Self.list)?group=none").status == .ok)
    #expect(try await number() == 0)
  }

  @Test func `a policy for workstations based on one that is not in force is refused before a signature`() async throws
  {
    try await save()
    let (browser, _, csrf) = try await signedIn(.administrator)
    for body in [body(Self.strict), body(Self.strict, after: 7), body(Self.strict, group: "office", after: 1)] {
      let answer = await browser.post(Self.saving, "\(body)&csrf=\(csrf)")
      #expect(answer.status == .conflict && ConsoleBrowser.text(answer).contains("no longer in force"), "\(body)")
    }
    #expect(await browser.get("/console/confirm").status == .conflict)
  }

  @Test func `a policy for workstations saved after the preview, or before the signature, is not replaced`()
    async throws
  {
    let (browser, key, csrf) = try await signedIn(.administrator)
    let preview = ConsoleBrowser.text(await browser.post(Self.preview, "\(draft(Self.strict))&csrf=\(csrf)"))
    try await save()
    #expect(await browser.post(Self.saving, "\(try fields(preview))&reason=x").status == .conflict)
    #expect(await browser.post(Self.saving, "\(body(Self.strict, after: 1))&csrf=\(csrf)").status == .seeOther)
    _ = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    try await save("# meanwhile\n", after: 1)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    let other = try #require(try await current())
    #expect(other.text == "# meanwhile\n" && other.number == 2)
  }

  @Test(arguments: [preview, saving])
  func `a forged form with a policy for workstations is refused, and so is a wrong method`(path: String) async throws {
    let (browser, _, csrf) = try await signedIn(.administrator)
    let body = "\(body(Self.long))&days=30"
    #expect(await browser.post(path, body).status == .forbidden)
    let evil = await browser.post(path, "\(body)&csrf=\(csrf)", origin: "https://evil.example")
    #expect(evil.status == .forbidden)
    #expect(await browser.put(path, "\(body)&csrf=\(csrf)").status == .methodNotAllowed)
    #expect(await browser.get(path).status == .notFound)
    #expect(await browser.get("/console/confirm").status == .conflict)
  }
}
