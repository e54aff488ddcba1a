import Testing
import UAFAdministration

@testable import ServerTesting
@testable import UAFConsole
@testable import UAFService

/// The pages with mapped groups of people: the list, the preview, and the signatures that make and remove a mapping.
@Suite(.onEachStore) struct GroupMappingPagesTests {
  private let server: TestServer
  private static let list = "/console/policies/groups"
  private static let policy =
    #"{"accepted": [["passcode"]], "groups": {"two": {"accounts": ["x"], "accepted": [["passcode", "pattern"]]}}}"#

  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 4))
    try await server.store.write { records in
      try records.settings.set(.publicURL, to: TestServer.publicURL)
      try records.accounts.add(["mina", "jun"], now: 0)
      let profile = AccountProfile(groups: ["연구소"])
      try records.profiles.set(["mina": profile, "jun": profile], now: 0)
    }
    try await server.database.addKeys([("mina", "5541#0001"), ("jun", "5541#0001"), ("jun", "5541#0002")])
    _ = try await PolicyAdministration(server.administration).save(
      Self.policy, reason: "r", after: 0, lockingOut: 9, by: TestServer.root)
  }

  private func mapped() async throws -> [String] {
    try await server.store.read { try $0.groupMappings.all() }.map {
      "\($0.group) \($0.policyGroup ?? "-") \($0.role ?? "-") \($0.madeBy)"
    }
  }

  private func map() async throws {
    try await GroupMappingAdministration(server.administration).map(
      1, to: MappingTarget(policyGroup: "two"), lockingOut: 9, by: TestServer.root)
  }

  @Test func `the preview shows members and who could no longer log in, and the mapping is made after a signature`()
    async throws
  {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    let form = ConsoleBrowser.text(await browser.get("\(Self.list)/add"))
    #expect(form.contains("<option value=\"two\"") && !form.contains("privileged"))
    let name = FormFields.encoded("연구소")
    let page = ConsoleBrowser.text(
      await browser.post("\(Self.list)/preview", "name=\(name)&policy=two&csrf=\(csrf)"))
    #expect(page.contains("Members of the group 연구소 get the policy two"))
    #expect(page.contains("/console/person?name=mina") && !page.contains("/console/person?name=jun\""))
    let body = "id=1&name=\(name)&policy=two&csrf=\(csrf)"
    #expect(await browser.post("\(Self.list)/add", "lockOut=0&\(body)").status == .conflict)
    #expect(await browser.post("\(Self.list)/add", "lockOut=1&\(body)").status == .seeOther)
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .conflict)
    #expect(try await mapped() == [])
    let text = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(text.hasPrefix("Console: Map group 1 (연구소) to policy two, may lock out 1, code "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    #expect(try await mapped() == ["연구소 two - administrator alice"])
  }

  @Test func `a group is mapped to a role, and the administrators' page says by which group somebody has it`()
    async throws
  {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    let form = ConsoleBrowser.text(await browser.get("\(Self.list)/add"))
    #expect(form.contains("value=\"helpdesk\"") && !form.contains("value=\"administrator\""))
    let name = FormFields.encoded("연구소")
    let body = "id=1&name=\(name)&policy=&lockOut=0&csrf=\(csrf)"
    #expect(await browser.post("\(Self.list)/add", "role=administrator&\(body)").status == .badRequest)
    #expect(await browser.post("\(Self.list)/add", "role=&\(body)").status == .conflict)
    let page = ConsoleBrowser.text(
      await browser.post("\(Self.list)/preview", "name=\(name)&policy=&role=helpdesk&csrf=\(csrf)"))
    #expect(page.contains("Members of the group 연구소 have this role for as long as they are members"))
    #expect(await browser.post("\(Self.list)/add", "role=helpdesk&\(body)").status == .seeOther)
    let text = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(text.hasPrefix("Console: Map group 1 (연구소) to role helpdesk, may lock out 0, code "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    #expect(try await mapped() == ["연구소 - helpdesk administrator alice"])
    let administrators = ConsoleBrowser.text(await browser.get("/console/administrators"))
    #expect(administrators.contains("By the group 연구소") && administrators.contains(">mina</a>"))
    #expect(!administrators.contains("/console/administrators/remove?name=mina"))
  }

  @Test func `a group that was renamed after the preview is not mapped`() async throws {
    let (browser, key) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    let body = "id=1&name=\(FormFields.encoded("연구소"))&policy=two&lockOut=1&csrf=\(csrf)"
    #expect(await browser.post("\(Self.list)/add", body).status == .seeOther)
    _ = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    try await server.store.write { try $0.personGroups.rename(1, to: "Everybody") }
    let answer = await browser.post("/console/confirm", "csrf=\(csrf)")
    #expect(answer.status == .conflict && ConsoleBrowser.text(answer).contains("another name"))
    #expect(try await mapped() == [])
  }

  @Test func `a mapping is removed after a signature, and the list says that no group is mapped`() async throws {
    try await map()
    let (browser, key) = try await server.signedIn("alice", .administrator)
    let csrf = try await browser.csrf()
    let list = ConsoleBrowser.text(await browser.get(Self.list))
    #expect(list.contains(">연구소</a>") && list.contains("\(Self.list)/remove?id=1"))
    let page = ConsoleBrowser.text(await browser.get("\(Self.list)/remove?id=1"))
    #expect(page.contains("Members of the group 연구소 no longer get"))
    #expect(await browser.post("\(Self.list)/remove", "id=1&lockOut=0&csrf=\(csrf)").status == .seeOther)
    let text = try await server.confirm(browser.line("/console/confirm"), with: key, counter: 2)
    #expect(text.hasPrefix("Console: Remove the mapping of group 1 (연구소), may lock out 0, code "))
    #expect(await browser.post("/console/confirm", "csrf=\(csrf)").status == .ok)
    #expect(try await mapped() == [])
    #expect(ConsoleBrowser.text(await browser.get(Self.list)).contains("No group of people is mapped"))
  }

  @Test(arguments: [Role.auditor, .helpdesk, .operator])
  func `everybody sees the mapped groups, and only an administrator may map one`(role: Role) async throws {
    try await map()
    let (browser, _) = try await server.signedIn("alice", role)
    let list = ConsoleBrowser.text(await browser.get(Self.list))
    #expect(list.contains(">연구소</a>") && !list.contains("\(Self.list)/add") && !list.contains("/remove"))
    let csrf = try await browser.csrf()
    #expect(await browser.get("\(Self.list)/remove?id=1").status == .forbidden)
    for path in ["add", "remove", "preview"] {
      let answer = await browser.post("\(Self.list)/\(path)", "id=1&name=x&policy=two&lockOut=9&csrf=\(csrf)")
      #expect(answer.status == .forbidden)
    }
    #expect(try await mapped().count == 1)
  }

  @Test func `a text to sign names long groups by a hash, which is another one for other names`() throws {
    let (long, other) = (String(repeating: "가", count: 64), String(repeating: "가", count: 63) + "나")
    let texts = try [long, other].map { name in
      try #require(
        try DangerousStep.mapGroup(7, named: name, to: MappingTarget(policyGroup: "two"), lockingOut: 0).shownText(
          number: "0042"))
    }
    #expect(texts[0].contains("Map group 7 to a policy, SHA-256 of the names ") && texts[0] != texts[1])
    let removal = try DangerousStep.unmapGroup(7, named: long, lockingOut: 0).shownText(number: "0042")
    #expect(removal?.contains("mapping of group 7, SHA-256 of the name ") == true)
  }

  @Test func `a waiting step on a mapping is read as it was stored`() {
    for step in [
      DangerousStep.mapGroup(7, named: "a|b\"", to: MappingTarget(policyGroup: nil, role: .helpdesk), lockingOut: 3),
      .unmapGroup(7, named: "연구소", lockingOut: 0),
    ] { #expect(DangerousStep(stored: step.stored) == step) }
  }
}
