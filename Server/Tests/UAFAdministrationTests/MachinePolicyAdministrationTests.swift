@testable import ServerTesting
import Testing
import UAFMessages
@testable import UAFService

@testable import UAFAdministration

/// The policies for workstations: who may see, preview and save them, and what is refused.
@Suite(.onEachStore) struct MachinePolicyAdministrationTests {
  private let server: TestServer
  private let administration: MachinePolicyAdministration
  private let administrator = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
  private static let long = "[passcode]\nmin_length = 12\n"

  init() throws {
    server = try TestServer()
    administration = MachinePolicyAdministration(.of(server))
  }

  @discardableResult private func save(
    _ text: String = long, group: String = "lab", reason: String = "because", after last: Int64 = 0,
    lifetime: Int64? = nil
  ) async throws -> SavedMachinePolicy {
    try await administration.save(
      MachinePolicyDraft(group: group, text: text, lifetime: lifetime), reason: reason, after: last, by: administrator)
  }

  private func preview(_ text: String, group: String = "lab") async throws -> MachinePolicyPreview {
    try await administration.preview(MachinePolicyDraft(group: group, text: text), by: administrator)
  }

  private func audit() async throws -> [AuditRow] {
    try await server.store.read { try $0.audit.rows(AuditFilter(kind: .machinePolicy), limit: 10) }
  }

  @Test
  func `the server keeps each saved policy for workstations with its author and reason, numbered across all groups`()
    async throws
  {
    let first = try await save()
    #expect(
      first
        == SavedMachinePolicy(
          number: 1, group: "lab", lifetime: WorkstationPolicy.standardLifetime, savedAt: server.now,
          actor: "command-line uid 0", reason: "because", text: Self.long))
    #expect(try await save(group: "office", lifetime: 86_400).number == 2)
    #expect(try await save("", after: 1).number == 3)
    #expect(try await administration.policy(1, by: administrator) == first)
    let page = try await administration.policies(of: "lab", limit: 1, by: administrator)
    #expect(page.rows.map(\.number) == [3] && page.next == "3")
    #expect(try await administration.policies(after: "3", by: administrator).rows.map(\.number) == [2, 1])
  }

  @Test func `the server says of each policy for workstations whether it is in force`() async throws {
    try await server.joined(server.joinCode("lab"), "desk-17")
    let (first, office) = (try await save(), try await save(group: "office"))
    let third = try await save("", after: 1)
    let inForce = MachinePolicyStanding(policy: third, isInForce: true, machines: 1)
    let other = MachinePolicyStanding(policy: office, isInForce: true, machines: 0)
    #expect(
      try await administration.standing(1, by: administrator)
        == MachinePolicyStanding(policy: first, isInForce: false, machines: 1))
    #expect(try await administration.standing(3, by: administrator) == inForce)
    #expect(try await administration.current(of: "lab", by: administrator) == inForce)
    #expect(try await administration.current(of: "none", by: administrator) == nil)
    let page = try await administration.inForce(limit: 1, by: administrator)
    #expect(page.rows == [inForce] && page.next == "lab")
    #expect(try await administration.inForce(after: "lab", by: administrator).rows == [other])
  }

  @Test func `each saved policy for workstations has an audit row with the number of machines it applies to`()
    async throws
  {
    try await server.joined(server.joinCode("lab"), "desk-17")
    try await save()
    let rows = try await audit()
    #expect(rows.map(\.event.actor) == ["command-line uid 0"])
    for member in [#""number":1"#, #""group":"lab""#, #""machines":1"#, #""reason":"because""#, #""sha256":""#] {
      #expect(rows[0].event.detail.contains(member), "\(member)")
    }
  }

  @Test func `a policy's number is above all that machines may have seen, even after a backup was restored`()
    async throws
  {
    try await save()
    try await server.store.write { [now = server.now] in try $0.settings.set(.restoredAt, to: String(now)) }
    #expect(try await save(after: 1).number == server.now + 1)
    #expect(try await save(after: server.now + 1).number == server.now + 2)
  }

  // MARK: Preview

  @Test
  func `a preview of a policy for workstations says which configuration keys would change, and for how many machines`()
    async throws
  {
    let code = try await server.joinCode("lab", machines: 2)
    for device in ["a", "b"] { try await server.joined(code, device) }
    try await save("[passcode]\nmin_length = 10\nmax_length = 40\n[passcode.rules]\nequal_character = true\n")
    let preview = try await preview(
      "[passcode]\nmin_length = 12\n[passcode.rules]\nequal_character = true\n[lock]\nlock_time = 600\n")
    #expect(preview.machines == 2 && preview.present == 1)
    #expect(
      preview.changes == [
        .init(key: "passcode.min_length", before: "10", after: "12"),
        .init(key: "lock.lock_time", before: nil, after: "600"),
        .init(key: "passcode.max_length", before: "40", after: nil),
      ])
    #expect(try await audit().count == 1, "a preview is not a row")
  }

  @Test func `a policy for a group without a policy or without a machine can be previewed, too`() async throws {
    let preview = try await preview(Self.long, group: "none")
    #expect(preview.machines == 0 && preview.present == nil && preview.changes.count == 1)
    #expect(try await self.preview("", group: "none").changes.isEmpty)
  }

  // MARK: Refusals

  @Test(arguments: [
    "[server]\nrequest_url = 'https://a.test/'", "[lock]\nroot_permanent_lock = true", "[passcode]\nui_type = 'pin4'",
    "[passcode]\nmin_length = 20\nmax_length = 10", "[passcode.regex]\n'(' = true", "# a\u{202E}b", "# a\u{200B}b",
    "passcode", "{}", "[service.sudo]",
    String(repeating: "#", count: 17 * 1024), String(repeating: "#\"", count: 8 * 1024),
  ]) func `refuses a policy's text that a workstation would refuse, and saves nothing`(_ text: String) async throws {
    let saving = await #expect(throws: AdministrationRefusal.self) { try await save(text) }
    guard case .invalid(field: "policy", _)? = saving else {
      return #expect(Bool(false), "\(String(describing: saving))")
    }
    await #expect(throws: AdministrationRefusal.self) { try await preview(text) }
    #expect(try await server.store.read { try $0.machinePolicies.lastNumber() } == 0)
    #expect(try await audit().isEmpty)
  }

  @Test func `the refusal of a policy for workstations names the line at fault`() async throws {
    let refusal = await #expect(throws: AdministrationRefusal.self) { try await save("\n[lock]\nlock_time = 1\n") }
    #expect(refusal?.description.contains("policy:3: lock.lock_time") == true, "\(String(describing: refusal))")
  }

  @Test func `refuses a policy for workstations with an invalid group, lifetime or reason`() async throws {
    await #expect(throws: AdministrationRefusal.self) { try await save(group: "Lab") }
    await #expect(throws: AdministrationRefusal.self) { try await save(group: "") }
    for lifetime: Int64 in [0, -1, 86_399, 31_622_401, .max] {
      await #expect(throws: AdministrationRefusal.self) { try await save(lifetime: lifetime) }
    }
    await #expect(throws: AdministrationRefusal.self) { try await save(reason: "") }
    await #expect(throws: AdministrationRefusal.self) { try await save(reason: "a\nb") }
    await #expect(throws: AdministrationRefusal.self) {
      try await administration.policies(of: "Lab", by: administrator)
    }
    await #expect(throws: AdministrationRefusal.unknown("machine policy", name: "9")) {
      try await administration.policy(9, by: administrator)
    }
  }

  @Test func `the preview of a policy for workstations refuses what saving would refuse, and saves nothing`()
    async throws
  {
    let draft = MachinePolicyDraft(group: "lab", text: Self.long)
    try await administration.check(draft, reason: "because", after: 0, by: administrator)
    #expect(try await server.store.read { try $0.machinePolicies.lastNumber() } == 0)
    try await save()
    let auditor = Caller(actor: .commandLine(uid: 7, login: nil), role: .auditor, address: "")
    let wrong: [(MachinePolicyDraft, String, Int64, Caller)] = [
      (draft, "because", 0, administrator), (draft, "", 1, administrator), (draft, "because", 1, auditor),
      (MachinePolicyDraft(group: "lab", text: "[server]"), "because", 1, administrator),
      (MachinePolicyDraft(group: "Lab", text: ""), "because", 1, administrator),
    ]
    for (draft, reason, last, caller) in wrong {
      await #expect(throws: AdministrationRefusal.self) {
        try await administration.check(draft, reason: reason, after: last, by: caller)
      }
    }
    await #expect(throws: AdministrationRefusal.self) {
      try await administration.current(of: "Lab", by: administrator)
    }
    await #expect(throws: AdministrationRefusal.unknown("machine policy", name: "9")) {
      try await administration.standing(9, by: administrator)
    }
  }

  @Test func `refuses a policy for workstations that was based on an older policy, or on a different group's policy`()
    async throws
  {
    try await save()
    try await save(after: 1)
    await #expect(throws: AdministrationRefusal.self) { try await save(after: 1) }
    await #expect(throws: AdministrationRefusal.self) { try await save(group: "office", after: 2) }
    await #expect(throws: AdministrationRefusal.self) { try await save(after: -1) }
    #expect(try await audit().count == 2)
  }

  @Test(arguments: Role.ofPeople)
  func `every role may read policies for workstations, and only administrators may save them`(_ role: Role)
    async throws
  {
    let caller = Caller(actor: .commandLine(uid: 7, login: nil), role: role, address: "")
    let draft = MachinePolicyDraft(group: "lab", text: Self.long)
    _ = try await administration.preview(draft, by: caller)
    #expect(try await administration.policies(by: caller).rows.isEmpty)
    if role == .administrator {
      _ = try await administration.save(draft, reason: "because", after: 0, by: caller)
    } else {
      await #expect(throws: AdministrationRefusal.notAllowed(.managePolicies)) {
        try await administration.save(draft, reason: "because", after: 0, by: caller)
      }
      #expect(try await audit().isEmpty)
    }
  }
}
