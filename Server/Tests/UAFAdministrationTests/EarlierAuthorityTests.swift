import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Codes, keys and tokens that were issued before an account gained a role or privilege, or lost it.
@Suite(.onEachStore) struct EarlierAuthorityTests {
  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    environment = .of(server)
  }

  private var access: AccessAdministration { AccessAdministration(environment) }

  private func hasCode(_ name: String) async throws -> Bool {
    try await server.store.read { [now = server.now] in
      try $0.accounts.summary(of: name, now: now)?.hasOpenCode == true
    }
  }

  private func refusesCode(_ code: EnrolmentCode, for name: String) async throws -> Bool {
    var context = RequestContext(username: name)
    context.codeProof = try server.holder.take(code, of: name)
    return try await server.get(.registration, context).statusCode == .unauthorized
  }

  private func goodTokens() async throws -> [String] {
    try await server.store.read { [now = server.now] records in
      let standing = CallerStanding(records: records, now: now)
      return try records.accessTokens.all().filter { try standing.isGood($0) }.map(\.name)
    }
  }

  private static let policy = #"{"groups":{"privileged":{"accounts":["bob","none"],"accepted":[["passcode"]]}}}"#

  // MARK: Codes

  @Test func `a policy that makes an account privileged closes the helpdesk's code for it in the same commit`()
    async throws
  {
    let desk = try await server.token("desk", .helpdesk)
    let codes = EnrolmentAdministration(environment)
    let bobs = try #require(try await codes.issue(for: "bob", by: desk).payload.code)
    #expect(try await !refusesCode(bobs, for: "bob"))
    _ = try await codes.issue(for: "eve", by: desk)
    _ = try await PolicyAdministration(environment).save(
      Self.policy, reason: "new", after: 0, lockingOut: 0, by: root)
    #expect(try await refusesCode(bobs, for: "bob"))
    #expect(try await hasCode("eve"))
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .enrolmentClosure), limit: 9) }
    #expect(rows.map(\.event.account) == ["bob"])
  }

  @Test func `a registration that began before a policy made its account privileged cannot be completed`() async throws
  {
    let desk = try await server.token("desk", .helpdesk)
    let authenticator = try FakeAuthenticator()
    var context = RequestContext(username: "bob")
    let code = try await EnrolmentAdministration(environment).issue(for: "bob", by: desk).payload.code
    context.codeProof = try server.holder.take(#require(code), of: "bob")
    let request = try await authenticator.registrationRequest(from: server.get(.registration, context))
    _ = try await PolicyAdministration(environment).save(
      Self.policy, reason: "new", after: 0, lockingOut: 0, by: root)
    #expect(try await server.respond(authenticator.register(request)).0 == .enrolmentCodeUsed)
  }

  @Test func `an administrator's code for an account survives a policy that makes the account privileged`() async throws
  {
    _ = try await EnrolmentAdministration(environment).issue(for: "bob", by: root)
    _ = try await PolicyAdministration(environment).save(
      Self.policy, reason: "new", after: 0, lockingOut: 0, by: root)
    #expect(try await hasCode("bob"))
  }

  @Test
  func `when it starts, a server closes helpdesk codes of administrators and of the policy file's privileged accounts`()
    async throws
  {
    for name in ["bob", "mina", "eve"] { try await server.enrol(name, by: "token desk", reachesPrivileged: false) }
    for name in ["mike", "vera"] { try await server.enrol(name) }
    try await server.store.write { records in
      for name in ["mina", "mike"] {
        try records.administrators.set(StoredAdministrator(name: name, role: "auditor", addedBy: "", addedAt: 0))
      }
    }
    let file = try PolicyParser(models: server.environment.models).policies(Array(Self.policy.utf8))
    try await PrivilegedStart.closeLesserCodes(
      in: server.store, by: file, host: "uaf1", now: server.environment.now)
    var open: [String] = []
    for name in ["bob", "mina", "eve", "mike", "vera"] where try await hasCode(name) { open.append(name) }
    #expect(open == ["eve", "mike", "vera"])
    let rows = try await server.store.read { try $0.audit.rows(AuditFilter(kind: .enrolmentClosure), limit: 9) }
    #expect(rows.map(\.event.account) == ["bob", "mina"] && rows.first?.event.actor == "server")
  }

  // MARK: What somebody has made

  @Test func `a token ends with its maker's role as administrator, and so does everything made with the token`()
    async throws
  {
    _ = try await server.registered("keeper")
    try await access.setAdministrator("keeper", role: .administrator, by: root)
    let mina = try await server.signedIn("mina", .administrator).havingSigned
    _ = try await access.createToken("ops", role: .operator, lifetime: 3600, by: mina)
    _ = try await access.createToken("all", role: .administrator, lifetime: 3600, by: mina)
    let all = Caller(actor: .token("all"), role: .administrator, address: "")
    _ = try await access.createToken("eyes", role: .auditor, lifetime: 3600, by: all)
    _ = try await access.createToken("kept", role: .auditor, lifetime: 3600, by: root)
    for maker in [mina, all] {
      _ = try await EnrolmentAdministration(environment).issue(for: "by-\(maker.actor.text.count)", by: maker)
    }
    try await access.setAdministrator("mina", role: .auditor, by: root)
    #expect(try await goodTokens() == ["kept"])
    #expect(try await access.tokens(by: root).filter { $0.revokedAt != nil }.map(\.name) == ["all", "eyes", "ops"])
    for name in ["by-18", "by-9"] { #expect(try await !hasCode(name), "\(name)") }
    // Tokens made before the role was lost do not become valid again with the role.
    try await access.setAdministrator("mina", role: .administrator, by: root)
    #expect(try await goodTokens() == ["kept"])
  }

  @Test func `a token is invalid while the administrator who made it is disabled`() async throws {
    let mina = try await server.signedIn("mina", .administrator).havingSigned
    let made = try await access.createToken("ops", role: .operator, lifetime: 3600, by: mina)
    try await AccountStateAdministration(environment).disable("mina", reason: "left", by: root)
    let check = TokenCheck(environment)
    #expect(try await check.caller(of: made.text, address: "") { _ in true } == nil)
    try await AccountStateAdministration(environment).enable("mina", by: root)
    #expect(try await check.caller(of: made.text, address: "") { _ in true } != nil)
  }

  @Test(arguments: Role.allCases)
  func `a token lives no longer than its role allows, even if its row in the store allows more`(
    role: Role
  ) async throws {
    _ = try await access.createToken("long", role: role, lifetime: role.longestToken, by: root)
    await #expect(throws: AdministrationRefusal.self) {
      _ = try await access.createToken("longer", role: role, lifetime: role.longestToken + 1, by: root)
    }
    let forged = AccessToken(
      name: "forged", role: role.rawValue, createdBy: "server", createdAt: server.now, expiresAt: .max, addresses: [])
    try await server.store.write { _ = try $0.accessTokens.add(forged, hash: [7]) }
    server.advance(seconds: role.longestToken - 1)
    #expect(try await goodTokens() == ["forged", "long"])
    server.advance(seconds: 1)
    #expect(try await goodTokens().isEmpty)
  }

  @Test(arguments: ["", "administrator", "token forged", "person", "administrator nobody", "root"])
  func `a token is invalid if the administrator named as its maker does not exist`(maker: String) async throws {
    let forged = AccessToken(
      name: "forged", role: "administrator", createdBy: maker, createdAt: server.now, expiresAt: .max, addresses: [])
    try await server.store.write { _ = try $0.accessTokens.add(forged, hash: [7]) }
    #expect(try await goodTokens().isEmpty)
  }

  @Test func `a caller with a token can make only read-only tokens, which end no later than that token`() async throws {
    let all = try await server.token("all", .administrator)
    for role in Role.allCases where role != .auditor {
      await #expect(throws: AdministrationRefusal.signatureNeeded) {
        _ = try await access.createToken("more", role: role, lifetime: 60, by: all)
      }
    }
    await #expect(throws: AdministrationRefusal.self) {
      _ = try await access.createToken("longer", role: .auditor, lifetime: Role.administrator.longestToken + 1, by: all)
    }
    _ = try await access.createToken("eyes", role: .auditor, lifetime: 60, by: all)
  }

  // MARK: Keys

  @Test func `a code for a privileged account is issued only after a signature, or by root at the server itself`()
    async throws
  {
    let codes = EnrolmentAdministration(environment)
    let (token, mina) = (
      try await server.token("t", .administrator), try await server.signedIn("mina", .administrator)
    )
    for caller in [token, mina] {
      await #expect(throws: AdministrationRefusal.signatureNeeded) {
        _ = try await codes.issue(for: "mina", by: caller)
      }
      #expect(try await !hasCode("mina"))
    }
    for caller in [mina.havingSigned, root] {
      _ = try await codes.issue(for: "mina", by: caller)
      #expect(try await hasCode("mina"))
      try await codes.close(for: "mina", by: root)
    }
  }

  @Test
  func `a key is valid for administration if an administrator signed for its code, not if a token or session did`()
    async throws
  {
    let (token, mina) = (
      try await server.token("t", .administrator), try await server.signedIn("mina", .administrator)
    )
    for (index, caller) in [token, mina, mina.havingSigned, root].enumerated() {
      let name = "bob\(index)"
      let issued = try await EnrolmentAdministration(environment).issue(for: name, by: caller)
      let key = try FakeAuthenticator()
      var context = RequestContext(username: name)
      context.codeProof = try server.holder.take(#require(issued.payload.code), of: name)
      let response = try key.register(await key.registrationRequest(from: server.get(.registration, context)))
      #expect(try await server.respond(response, username: name).0 == nil)
      let earlier = try await access.earlierKeys(of: name, by: root).map(\.issuedBy)
      #expect(earlier == (index < 2 ? [caller.actor.text] : []))
    }
  }

  @Test
  func `a key from a helpdesk code is valid for administration only after an administrator has signed for the key`()
    async throws
  {
    _ = try await server.registered("bob", reachesPrivileged: false)
    let keys = try await access.earlierKeys(of: "bob", by: root)
    #expect(keys.map(\.issuedBy) == ["token desk"])
    let (token, mina) = (
      try await server.token("t", .administrator), try await server.signedIn("mina", .administrator)
    )
    for caller in [token, mina] {
      await #expect(throws: AdministrationRefusal.signatureNeeded) {
        try await access.setAdministrator("bob", role: .operator, counting: keys, by: caller)
      }
    }
    try await access.setAdministrator("bob", role: .operator, by: token)
    #expect(try await access.earlierKeys(of: "bob", by: root) == keys)
    try await access.setAdministrator("bob", role: .operator, counting: keys, by: mina.havingSigned)
    #expect(try await access.earlierKeys(of: "bob", by: root).isEmpty)
    let origin = try await KeyAdministration(environment).keys(of: "bob", by: root).first?.origin
    #expect(origin == KeyOrigin(issuedBy: "token desk", vouchedBy: "administrator mina"))
  }

  @Test
  func `a key is not made valid for administration if its issuer differs from the one shown, or if it was revoked`()
    async throws
  {
    _ = try await server.registered("bob", reachesPrivileged: false)
    let key = try #require(try await access.earlierKeys(of: "bob", by: root).first)
    let other = EarlierKey(key.name, issuedBy: "administrator mina")
    await #expect(throws: AdministrationRefusal.self) {
      try await access.setAdministrator("bob", role: .operator, counting: [other], by: root)
    }
    _ = try await KeyAdministration(environment).revoke(.all(of: "bob"), by: root)
    await #expect(throws: AdministrationRefusal.self) {
      try await access.setAdministrator("bob", role: .operator, counting: [key], by: root)
    }
    #expect(try await access.administrators(by: root).isEmpty)
  }

  @Test(arguments: [true, false])
  func `a key that an older key of the account allowed is valid for administration if the older key is`(
    counts: Bool
  ) async throws {
    let counting = try await server.registered("bob", deviceID: "d1")
    let other = try await server.registered("bob", deviceID: "d2", reachesPrivileged: false)
    let first = counts ? counting : other
    var context = RequestContext(username: "bob")
    context.proofFor = .registration
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let token = try await server.respond(first.authenticate(request, counter: 1)).1
    var asked = RequestContext(username: "bob")
    asked.proof = token?.value
    asked.deviceID = "d3"
    let added = try FakeAuthenticator()
    let registration = try await added.registrationRequest(from: server.get(.registration, asked))
    let response = try added.register(registration)
    let signed = try server.holder.authorization(of: response, for: "bob", by: first, counter: 2)
    #expect(try await server.respond(response, username: "bob") { $0.authorization = signed }.0 == nil)
    let record = try await KeyAdministration(environment).keys(of: "bob", by: root).last
    #expect(record?.origin == KeyOrigin(issuedBy: "proof", vouchedBy: counts ? "proof" : nil))
  }
}
