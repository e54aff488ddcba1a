import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// What each operation does, refuses, and writes into the audit.
@Suite(.onEachStore) struct AdministrationTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let operatorCaller: Caller
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
  private let helpdesk: Caller

  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    environment = AdministrationEnvironment(
      store: server.store, group: { $0.hasPrefix("vip") ? AccountGroup.privileged : nil },
      now: { [server] in server.now }, random: { try RandomBytes.make($0) }, publicURL: TestServer.publicURL,
      authority: { _ in nil }, verdictKeys: { "keys" },
      enrolments: { [server] in EnrolmentSeal(keys: server.environment.keys) }, models: server.environment.models)
    operatorCaller = try await server.token("ops", .operator)
    helpdesk = try await server.token("desk", .helpdesk)
  }

  private func rows(_ filter: AuditFilter = AuditFilter()) async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(filter, limit: 100) }.map(\.event)
  }

  // MARK: Accounts

  @Test func `pages of accounts follow each other without a gap, also for a name prefix`() async throws {
    let accounts = AccountAdministration(environment)
    let names = ["a", "ab", "abc", "b~", "b", "c"]
    for name in names { try await accounts.add(name, by: operatorCaller) }
    var found: [String] = []
    var query = AccountQuery(limit: 2)
    while true {
      let page = try await accounts.page(query, by: operatorCaller)
      found += page.rows.map(\.summary.username)
      guard let next = page.next else { break }
      query.after = next
    }
    #expect(found == ["a", "ab", "abc", "b", "b~", "c"])
    let begun = AccountQuery(prefix: "ab", after: "ab", limit: 5)
    #expect(try await accounts.page(begun, by: operatorCaller).rows.map(\.summary.username) == ["abc"])
    let last = AccountQuery(prefix: "b~", limit: 5)
    #expect(try await accounts.page(last, by: operatorCaller).rows.map(\.summary.username) == ["b~"])
  }

  @Test(arguments: [0, 201])
  func `refuses a page of accounts with no rows, and one with too many`(limit: Int) async throws {
    await #expect(throws: AdministrationRefusal.self) {
      _ = try await AccountAdministration(environment).page(AccountQuery(limit: limit), by: root)
    }
  }

  @Test func `an account is added once, and its audit row says who added it and from which address`() async throws {
    let accounts = AccountAdministration(environment)
    try await accounts.add("mina", by: operatorCaller)
    await #expect(throws: AdministrationRefusal.self) { try await accounts.add("mina", by: operatorCaller) }
    let row = try #require(try await rows().first)
    #expect(row.kind == .accountCreation && row.account == "mina")
    #expect(row.actor == "token ops" && row.address == "192.0.2.7")
    #expect(try await rows().count == 1)
  }

  @Test func `a deleted account cannot log in, and its confirmed texts and audit rows stay`() async throws {
    let authenticator = try await server.registered("alice")
    let request = try await server.authenticationRequest("alice")
    let before = try await rows().count
    #expect(try await AccountAdministration(environment).delete("alice", reason: "left", by: operatorCaller) == 1)
    let (refusal, token) = try await server.respond(authenticator.authenticate(request, counter: 1))
    #expect(refusal != nil && token == nil)
    let after = try await rows()
    #expect(after.count == before + 1)
    #expect(after.last?.kind == .accountDeletion && after.last?.detail == #"{"keys":1,"reason":"left"}"#)
    await #expect(throws: AdministrationRefusal.unknown("account", name: "alice")) {
      try await AccountAdministration(environment).delete("alice", by: operatorCaller)
    }
  }

  // MARK: Keys and machines

  @Test func `a key is revoked with time, administrator and reason, and the account's other keys stay`() async throws {
    let one = try await server.registered("alice", deviceID: "d1")
    _ = try await server.registered("alice", deviceID: "d2", model: "5541#0002")
    let keys = KeyAdministration(environment)
    let selection = KeySelection.one(one.aaid, one.keyID, of: "alice")
    #expect(try await keys.revoke(selection, reason: "lost", by: operatorCaller) == 1)
    #expect(try await keys.revoke(selection, reason: "again", by: root) == 0)
    let found = try await keys.keys(of: "alice", by: operatorCaller)
    #expect(found.map(\.revocation) == [Revocation(time: server.now, by: "token ops", reason: "lost"), nil])
  }

  @Test func `a key is not revoked if its name belongs to a different account's key`() async throws {
    let one = try await server.registered("alice", deviceID: "d1")
    try await server.enrol("bob")
    await #expect(throws: AdministrationRefusal.self) {
      _ = try await KeyAdministration(environment).revoke(.one(one.aaid, one.keyID, of: "bob"), by: operatorCaller)
    }
    let found = try await KeyAdministration(environment).keys(of: "alice", by: operatorCaller)
    #expect(found.first?.revocation == nil)
  }

  @Test func `a lost machine is revoked in one step, for everybody on it and for no other machine`() async throws {
    _ = try await server.registered("alice", deviceID: "d1", deviceName: "desk")
    _ = try await server.registered("bob", deviceID: "d1", deviceName: "desk")
    _ = try await server.registered("bob", deviceID: "d2", model: "5541#0002")
    let machines = MachineAdministration(environment)
    let first = try await machines.page(limit: 1, by: operatorCaller)
    #expect(first.rows.map(\.id) == ["d1"] && first.next == "d1")
    #expect(first.rows.first?.people == 2 && first.rows.first?.name == "desk")
    let second = try await machines.page(after: "d1", limit: 1, by: operatorCaller)
    #expect(second.rows.map(\.id) == ["d2"] && second.next == nil)
    #expect(try await machines.revoke("d1", reason: "stolen", by: operatorCaller) == 2)
    #expect(try await machines.machine("d1", by: operatorCaller).machine.keys == 0)
    #expect(try await machines.machine("d2", by: operatorCaller).machine.keys == 1)
    await #expect(throws: AdministrationRefusal.unknown("machine", name: "d3")) {
      _ = try await machines.revoke("d3", by: operatorCaller)
    }
  }

  // MARK: Codes and texts

  @Test func `an enrolment code is listed with its issuer, and as open until somebody registers with it`() async throws
  {
    let codes = EnrolmentAdministration(environment)
    let issued = try await codes.issue(for: "alice", by: helpdesk)
    let open = try await codes.page(onlyOpen: true, by: helpdesk)
    #expect(open.rows.map(\.issuedBy) == ["token desk"] && open.rows.first?.isOpen == true)
    let authenticator = try FakeAuthenticator()
    var context = RequestContext(username: "alice")
    context.codeProof = try server.holder.take(#require(issued.payload.code), of: "alice")
    let request = try await authenticator.registrationRequest(from: server.get(.registration, context))
    #expect(try await server.respond(authenticator.register(request)).0 == nil)
    #expect(try await codes.page(onlyOpen: true, by: helpdesk).rows.isEmpty)
    let all = try await codes.page(onlyOpen: false, by: helpdesk)
    #expect(all.rows.map(\.usedAt) == [server.now] && all.rows.first?.isOpen == false)
  }

  @Test func `nobody registers with an enrolment code that was closed`() async throws {
    let codes = EnrolmentAdministration(environment)
    let issued = try await codes.issue(for: "alice", by: helpdesk)
    try await codes.close(for: "alice", by: helpdesk)
    var context = RequestContext(username: "alice")
    context.codeProof = try server.holder.take(#require(issued.payload.code), of: "alice")
    #expect(try await server.get(.registration, context).statusCode == .unauthorized)
    await #expect(throws: AdministrationRefusal.self) { try await codes.close(for: "alice", by: helpdesk) }
  }

  @Test func `the helpdesk cannot issue a code for a privileged account or an administrator's account`() async throws {
    let codes = EnrolmentAdministration(environment)
    try await AccountAdministration(environment).add("boss", by: root)
    try await AccessAdministration(environment).setAdministrator("boss", role: .administrator, by: root)
    for name in ["vip1", "boss"] {
      await #expect(throws: AdministrationRefusal.privileged(account: name)) {
        _ = try await codes.issue(for: name, by: helpdesk)
      }
      _ = try await codes.issue(for: name, by: root)
    }
  }

  @Test func `a text waits for confirmation until an administrator closes it, and is unknown afterwards`() async throws
  {
    let approvals = ApprovalAdministration(environment)
    try await AccountAdministration(environment).add("alice", by: root)
    let issued = try await approvals.create("Deploy 4.2", for: "alice", by: operatorCaller)
    let number = try #require(issued.number)
    #expect(try await approvals.approval(number, by: operatorCaller).outcome == .open)
    #expect(
      try await approvals.page(by: operatorCaller).rows.map(\.shown) == ["Asked of alice by token ops: Deploy 4.2"])
    try await approvals.close(number, by: operatorCaller)
    await #expect(throws: AdministrationRefusal.unknown("approval", name: String(number))) {
      _ = try await approvals.approval(number, by: operatorCaller)
    }
  }

  // MARK: Audit

  @Test func `audit rows are listed from the oldest or the newest on, or for one machine`() async throws {
    let events = (1...5).map { AuditEntry(time: $0, kind: .login, actor: .person, machine: "m\($0 % 2)") }
    try await server.store.write { try $0.audit.append(events) }
    let audit = AuditAdministration(environment)
    var filter = AuditFilter()
    #expect(try await audit.page(filter, limit: 2, by: helpdesk).rows.map(\.number) == [1, 2])
    filter.isNewestFirst = true
    let newest = try await audit.page(filter, limit: 2, by: helpdesk)
    #expect(newest.rows.map(\.number) == [5, 4] && newest.next == "4")
    filter.before = 4
    filter.machine = "m1"
    #expect(try await audit.page(filter, limit: 2, by: helpdesk).rows.map(\.number) == [3, 1])
    #expect(try await audit.row(3, by: helpdesk).event.time == 3)
    await #expect(throws: AdministrationRefusal.self) { _ = try await audit.row(6, by: helpdesk) }
  }

  // MARK: Access

  @Test func `the last administrator who can sign in cannot be removed, unless that is forced`() async throws {
    let access = AccessAdministration(environment)
    for name in ["boss", "hana", "ghost"] { try await AccountAdministration(environment).add(name, by: root) }
    try await access.setAdministrator("boss", role: .administrator, by: root)
    try await access.setAdministrator("hana", role: .helpdesk, by: root)
    // Without a key nobody can sign in.
    try await access.setAdministrator("ghost", role: .administrator, by: root)
    await #expect(throws: AdministrationRefusal.self) { try await access.removeAdministrator("boss", by: root) }
    await #expect(throws: AdministrationRefusal.self) {
      try await access.setAdministrator("boss", role: .auditor, by: root)
    }
    try await access.removeAdministrator("boss", force: true, by: root)
    #expect(try await access.administrators(by: root).map(\.name) == ["ghost", "hana"])
  }

  @Test func `an administrator can be removed if a different one can sign in`() async throws {
    let access = AccessAdministration(environment)
    for name in ["boss", "mina"] {
      _ = try await server.registered(name)
      try await access.setAdministrator(name, role: .administrator, by: root)
    }
    try await access.removeAdministrator("boss", by: root)
    #expect(try await access.administrators(by: root).map(\.name) == ["mina"])
  }

  @Test func `a name without an account cannot become an administrator`() async throws {
    await #expect(throws: AdministrationRefusal.unknown("account", name: "mnia")) {
      try await AccessAdministration(environment).setAdministrator("mnia", role: .administrator, by: root)
    }
  }

  @Test func `an enrolment code that was issued before its account became an administrator is closed by that change`()
    async throws
  {
    _ = try await EnrolmentAdministration(environment).issue(for: "bob", by: helpdesk)
    try await AccessAdministration(environment).setAdministrator("bob", role: .administrator, by: root)
    let now = server.now
    let found = try await server.store.read { try $0.enrolments.find(for: "bob", now: now) }
    #expect(found == nil)
    #expect(try await rows(AuditFilter(kind: .enrolmentClosure)).map(\.account) == ["bob"])
  }

  @Test func `a caller who loses the role or token during a request changes nothing`() async throws {
    let access = AccessAdministration(environment)
    try await AccountAdministration(environment).add("alice", by: root)
    let made = try await access.createToken("deploy", role: .administrator, lifetime: 3600, by: root)
    try await access.revokeToken(made.token.name, by: root)
    for actor in [AuditActor.administrator("removed"), .token("deploy"), .token("never")] {
      let caller = Caller(actor: actor, role: .administrator, address: "")
      await #expect(throws: AdministrationRefusal.notAllowed(.manageAccess)) {
        try await access.setAdministrator("alice", role: .administrator, by: caller)
      }
      await #expect(throws: AdministrationRefusal.notAllowed(.manageAccess)) {
        _ = try await access.createToken("more", role: .auditor, lifetime: 3600, by: caller)
      }
    }
    #expect(try await access.administrators(by: root).isEmpty)
  }

  @Test func `a token is valid until it expires or is revoked, and its name is never used again`() async throws {
    let access = AccessAdministration(environment)
    let made = try await access.createToken("deploy", role: .operator, lifetime: 60, by: root)
    let check = TokenCheck(environment)
    let caller = try await check.caller(of: made.text, address: "192.0.2.1") { _ in false }
    #expect(caller == Caller(actor: .token("deploy"), role: .operator, address: "192.0.2.1"))
    #expect(try await access.tokens(by: root).filter { $0.lastUsedAt == server.now }.map(\.name) == ["deploy"])
    let texts = try await server.database.texts("SELECT name FROM accessToken ORDER BY name")
    #expect(texts == ["deploy", "desk", "ops"])
    try await access.revokeToken("deploy", by: root)
    #expect(try await check.caller(of: made.text, address: "") { _ in true } == nil)
    await #expect(throws: AdministrationRefusal.self) {
      _ = try await access.createToken("deploy", role: .auditor, lifetime: 60, by: root)
    }
    let other = try await access.createToken("other", role: .auditor, lifetime: 60, by: root)
    server.advance(seconds: 60)
    #expect(try await check.caller(of: other.text, address: "") { _ in true } == nil)
  }

  @Test func `a token is refused if it is cut, extended or changed, or comes from a different address`() async throws {
    let made = try await AccessAdministration(environment).createToken(
      "deploy", role: .operator, lifetime: 60, addresses: ["10.0.0.0/8"], by: root)
    let check = TokenCheck(environment)
    let wrong = [
      "", String(made.text.dropLast()), made.text + "A", "x" + made.text.dropFirst(), made.text.uppercased(), "uafs_",
    ]
    for text in wrong { #expect(try await check.caller(of: text, address: "") { _ in true } == nil, "\(text)") }
    #expect(try await check.caller(of: made.text, address: "") { $0 != ["10.0.0.0/8"] } == nil)
    #expect(try await check.caller(of: made.text, address: "") { $0 == ["10.0.0.0/8"] } != nil)
  }
}
