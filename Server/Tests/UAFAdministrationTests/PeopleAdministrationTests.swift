import Testing

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Changes of what the server knows about people.
@Suite(.onEachStore) struct PeopleAdministrationTests {
  private let server: TestServer
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  init() throws { server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2)) }

  private var people: PeopleAdministration { PeopleAdministration(.of(server)) }

  private func add(_ names: String...) async throws {
    try await server.store.write { try $0.accounts.add(names, now: 1) }
  }

  private func profile(_ name: String) async throws -> AccountProfile? {
    try await server.store.read { try $0.profiles.profiles(of: [name]) }[name]
  }

  private func rows() async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(kind: .accountChange), limit: 99) }.map(\.event)
  }

  @Test func `values are stored without white space at the ends and in one form, and an empty value clears`()
    async throws
  {
    try await add("rene")
    let change = try ProfileChange(
      [.displayName: " Rene\u{301} ", .mail: "rene@example.org\u{A0}"], groups: ["B ", "a", "b"])
    try await people.change("rene", change, by: root)
    let found = try await profile("rene")
    #expect(found?.displayName?.unicodeScalars.count == 4 && found?.mail == "rene@example.org")
    #expect(found?.groups == ["a", "B"])
    try await people.change("rene", ProfileChange([.mail: "  "]), by: root)
    #expect(try await profile("rene")?.mail == nil)
    #expect(try await profile("rene")?.displayName == "René")
    try await people.change("rene", ProfileChange(groups: []), by: root)
    #expect(try await profile("rene")?.groups == [])
  }

  @Test func `the audit says which fields have changed and which groups, and has no other values`() async throws {
    try await add("mina")
    let change = try ProfileChange([.displayName: "김미나", .mail: "mina@example.org", .department: ""], groups: ["연구소"])
    try await people.change("mina", change, by: root)
    try await people.change("mina", change, by: root)
    try await people.change("mina", ProfileChange([.displayName: ""], groups: ["Sales"]), by: root)
    let rows = try await rows()
    #expect(
      rows.map(\.detail) == [
        #"{"fields":["displayName","mail","groups"],"groupsAdded":["연구소"]}"#,
        #"{"fields":["displayName","groups"],"groupsAdded":["Sales"],"groupsRemoved":["연구소"]}"#,
      ])
    #expect(rows.allSatisfy { $0.account == "mina" && $0.actor == root.actor.text })
  }

  private static let long = String(repeating: "가", count: 129)

  @Test(
    arguments: [
      (.displayName, "a\u{202E}b", .hidden(character: "U+202E")), (.displayName, "a\nb", .hidden(character: "U+000A")),
      (.department, "a\u{7}", .hidden(character: "U+0007")), (.department, "a\u{200B}b", .hidden(character: "U+200B")),
      (.displayName, long, .longText(TextLimit(characters: 128, bytes: 512))),
      (.displayName, "a" + String(repeating: "\u{301}", count: 300), .longText(TextLimit(characters: 128, bytes: 512))),
      (.externalID, String(repeating: "1", count: 129), .longText(TextLimit(characters: 128, bytes: 256))),
      (.mail, String(repeating: "m", count: 250) + "@e.kr", .longText(TextLimit(characters: 254, bytes: 254))),
      (.mail, "mina", .notMail), (.mail, "@example.org", .notMail), (.mail, "mina@", .notMail),
      (.mail, "a@b@c", .notMail),
      (.mail, "mi na@example.org", .notMail),
    ] as [(ProfileField, String, FieldProblem)])
  func `refuses a value that is too long, hidden or no mail address, and names the field`(
    field: ProfileField, text: String, problem: FieldProblem
  ) {
    #expect(throws: AdministrationRefusal.invalid(field: field.rawValue, problem)) { try ProfileChange([field: text]) }
  }

  @Test(
    arguments: [
      ([""], .emptyGroup), (["a|b"], .barInGroup), (["a\u{2066}"], .hidden(character: "U+2066")),
      ([String(repeating: "g", count: 65)], .longText(TextLimit(characters: 64, bytes: 256))),
      ((0...64).map { "g\($0)" }, .tooMany(64)),
    ] as [([String], FieldProblem)])
  func `refuses the name of a group that is empty, too long or hidden, and too many groups`(
    groups: [String], problem: FieldProblem
  ) {
    #expect(throws: AdministrationRefusal.invalid(field: "groups", problem)) { try ProfileChange(groups: groups) }
  }

  @Test func `refuses an external ID that a different account has, and changes nothing`() async throws {
    try await add("mina", "jun")
    try await people.change("mina", ProfileChange([.externalID: "E-1"]), by: root)
    await #expect(throws: AdministrationRefusal.conflict(.externalIDTaken("E-1", by: "mina"))) {
      try await people.change("jun", ProfileChange([.externalID: "E-1", .mail: "jun@example.org"]), by: root)
    }
    #expect(try await profile("jun") == AccountProfile())
    #expect(try await rows().count == 1)
  }

  @Test(arguments: [Role.auditor, .helpdesk])
  func `refuses a change by a role that may not manage accounts`(role: Role) async throws {
    try await add("mina")
    let caller = try await server.token("t", role)
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccounts)) {
      try await people.change("mina", ProfileChange([.department: "x"]), by: caller)
    }
    #expect(try await people.groups(after: "", limit: 9, by: caller).rows == [])
  }

  @Test func `an operator changes people, but no administrator; and a group's name gives nobody a role`() async throws {
    try await add("mina")
    let admin = try await server.signedIn("alice", .administrator)
    let caller = try await server.token("t", .operator)
    try await people.change("mina", ProfileChange(groups: ["administrator", "privileged"]), by: caller)
    await #expect(throws: AdministrationRefusal.privileged(account: "alice")) {
      try await people.change("alice", ProfileChange([.department: "x"]), by: caller)
    }
    try await people.change("alice", ProfileChange([.department: "x"]), by: admin)
    #expect(try await server.store.read { try $0.administrators.administrator("mina") } == nil)
    try await people.change("mina", ProfileChange(groups: ["none"]), by: caller)
  }

  @Test func `a group is renamed and removed, with a row in the audit, and its members' accounts stay`() async throws {
    try await add("mina")
    try await people.change("mina", ProfileChange(groups: ["Labs", "Sales"]), by: root)
    let groups = PersonGroupAdministration(.of(server))
    let caller = try await server.token("t", .operator)
    try await groups.rename(1, to: " LABS ", by: caller)
    try await groups.rename(1, to: "연구소", by: caller)
    try await groups.remove(2, by: caller)
    #expect(try await profile("mina")?.groups == ["연구소"])
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 99) }.suffix(2).map(\.event)
    #expect(rows.map(\.kind) == [.groupChange, .groupRemoval])
    #expect(
      rows.map(\.detail) == [
        #"{"id":1,"from":"LABS","name":"연구소"}"#, #"{"id":2,"name":"Sales","members":1}"#,
      ])
  }

  @Test func `refuses a group's change without the permission, with a bad or taken name, and if it does not exist`()
    async throws
  {
    try await add("mina")
    try await people.change("mina", ProfileChange(groups: ["Labs", "Sales"]), by: root)
    let groups = PersonGroupAdministration(.of(server))
    let desk = try await server.token("t", .helpdesk)
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccounts)) { try await groups.remove(1, by: desk) }
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccounts)) {
      try await groups.rename(1, to: "x", by: desk)
    }
    await #expect(throws: AdministrationRefusal.invalid(field: "name", .barInGroup)) {
      try await groups.rename(1, to: "a|b", by: root)
    }
    await #expect(throws: AdministrationRefusal.conflict(.groupExists("Sales"))) {
      try await groups.rename(1, to: "sales", by: root)
    }
    await #expect(throws: AdministrationRefusal.unknown("group", name: "9")) { try await groups.remove(9, by: root) }
    #expect(try await profile("mina")?.groups == ["Labs", "Sales"])
  }

  @Test func `an operator may not change a group that an administrator is in`() async throws {
    let admin = try await server.signedIn("alice", .administrator)
    try await people.change("alice", ProfileChange(groups: ["Labs"]), by: admin)
    let groups = PersonGroupAdministration(.of(server))
    let caller = try await server.token("t", .operator)
    await #expect(throws: AdministrationRefusal.privileged(account: "alice")) { try await groups.remove(1, by: caller) }
    try await groups.remove(1, by: admin)
    #expect(try await profile("alice")?.groups == [])
  }

  @Test func `refuses a change of an account that does not exist`() async throws {
    await #expect(throws: AdministrationRefusal.unknown("account", name: "nobody")) {
      try await people.change("nobody", ProfileChange([.department: "x"]), by: root)
    }
  }

  @Test(
    arguments: [
      ("search", PeopleSelection(text: " "), "", .emptySearch),
      ("search", PeopleSelection(text: "a\u{202E}"), "", .hidden(character: "U+202E")),
      (
        "search", PeopleSelection(text: String(repeating: "a", count: 65)), "",
        .longText(ProfileRules.longestSearch)
      ),
      ("after", PeopleSelection(text: "a"), "mina", .notAPlace),
      ("after", PeopleSelection(text: "a"), "-1", .notAPlace),
      ("after", PeopleSelection(text: "a"), "name:", .notAPlace),
      ("after", PeopleSelection(), "a b", .notAnAccount),
      ("memberOf", PeopleSelection(memberOf: "nothing"), "", .noSuchGroup),
      ("memberOf", PeopleSelection(text: "a", memberOf: "nothing"), "", .noSuchGroup),
    ] as [(String, PeopleSelection, String, FieldProblem)])
  func `refuses a search without a text, after something that is no place in it, or in no group`(
    field: String, people: PeopleSelection, after: String, problem: FieldProblem
  ) async throws {
    await #expect(throws: AdministrationRefusal.invalid(field: field, problem)) {
      _ = try await AccountAdministration(.of(server)).page(
        AccountQuery(after: after, limit: 5), of: people, by: root)
    }
  }

  @Test func `a list of people stores what it says about them, with their codes in one commit`() async throws {
    let text = "부서;아이디;이름;그룹;사번\n연구소;mina;김미나;Labs|연구회;E-1\n;jun;;;\n"
    let list = EnrolListAdministration(.of(server))
    let checked = try await list.check(Array(text.utf8), by: root)
    let made = try await list.issueAll(checked.people, lifetime: 60, by: root)
    #expect(made.map(\.displayName) == ["김미나", nil])
    let expected = AccountProfile(displayName: "김미나", department: "연구소", externalID: "E-1", groups: ["Labs", "연구회"])
    #expect(try await profile("mina") == expected)
    // A field that is empty changes nothing.
    let again = try await list.check(Array("username,department,mail\nmina,,m@e.kr\n".utf8), by: root)
    #expect(try await list.issueAll(again.people, lifetime: 60, by: root).map(\.displayName) == ["김미나"])
    #expect(try await profile("mina")?.department == "연구소")
    #expect(try await profile("mina")?.mail == "m@e.kr")
  }

  @Test func `a line with an external ID of a different account counts as wrong, unless that account gives it up`()
    async throws
  {
    try await add("mina")
    try await people.change("mina", ProfileChange([.externalID: "E-1"]), by: root)
    let list = EnrolListAdministration(.of(server))
    let checked = try await list.check(Array("username,externalID\njun,E-1\nzoe,E-2\n".utf8), by: root)
    #expect(checked.wrong == [.init(line: 2, problem: .externalIDTaken("E-1", by: "mina"))])
    #expect(checked.people.map(\.username) == ["zoe"])
    let exchanged = try await list.check(Array("username,externalID\njun,E-1\nmina,E-2\n".utf8), by: root)
    #expect(exchanged.wrong == [])
    _ = try await list.issueAll(exchanged.people, lifetime: 60, by: root)
    #expect(try await profile("jun")?.externalID == "E-1")
    #expect(try await profile("mina")?.externalID == "E-2")
  }

  @Test func `a helpdesk's list that says more than login names is refused, and makes no codes`() async throws {
    let caller = try await server.signedIn("helga", .helpdesk)
    let list = EnrolListAdministration(.of(server))
    let text = Array("username,mail\nmina,mina@example.org\n".utf8)
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccounts)) {
      _ = try await list.check(text, by: caller)
    }
    let people = try PeopleList(parsing: text).people
    await #expect(throws: AdministrationRefusal.notAllowed(.manageAccounts)) {
      _ = try await list.issueAll(people, lifetime: 60, by: caller)
    }
    #expect(try await profile("mina") == nil)
  }
}
