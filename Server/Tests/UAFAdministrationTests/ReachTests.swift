import Testing
import UAFCrypto
import UAFMessages
import WebAuthn

@testable import ServerTesting
@testable import UAFAdministration
@testable import UAFService

/// Who may act on whom, and the last administrator who can sign in.
@Suite(.onEachStore) struct ReachTests {
  /// A change of an account's state, and the role that may make it for an account that is not privileged.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let role: Role
    let call: @Sendable (AdministrationEnvironment, _ name: String, Caller) async throws -> Void
  }

  private static let changes = [
    Change(testDescription: "disable", role: .operator) {
      try await AccountStateAdministration($0).disable($1, reason: "left", by: $2)
    },
    Change(testDescription: "lock", role: .operator) {
      try await AccountStateAdministration($0).lock($1, seconds: 60, reason: "lost", by: $2)
    },
    Change(testDescription: "enable", role: .operator) { try await AccountStateAdministration($0).enable($1, by: $2) },
    Change(testDescription: "delete", role: .operator) { try await AccountAdministration($0).delete($1, by: $2) },
    Change(testDescription: "revoke all", role: .operator) {
      _ = try await KeyAdministration($0).revoke(.all(of: $1), by: $2)
    },
    Change(testDescription: "revoke on a machine of the account", role: .operator) {
      _ = try await KeyAdministration($0).revoke(.onMachine("d-\($1)", of: $1), by: $2)
    },
    Change(testDescription: "revoke a machine", role: .operator) {
      _ = try await MachineAdministration($0).revoke("d-\($1)", by: $2)
    },
    Change(testDescription: "issue a code", role: .helpdesk) {
      _ = try await EnrolmentAdministration($0).issue(for: $1, by: $2)
    },
    Change(testDescription: "close a code", role: .helpdesk) {
      try await EnrolmentAdministration($0).close(for: $1, by: $2)
    },
    Change(testDescription: "unlock", role: .helpdesk) {
      _ = try await UnlockAdministration($0).issue(for: $1, on: "d-\($1)", by: $2)
    },
  ]
  private static let blocks = ["disable", "lock"]
  private static let endings = [
    "disable", "lock", "revoke all", "revoke on a machine of the account", "revoke a machine",
  ]

  private let server: TestServer
  private let environment: AdministrationEnvironment
  private let root = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")

  init() async throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
    let keys = server.environment.keys
    environment = AdministrationEnvironment(
      store: server.store, group: { $0 == "vip" ? AccountGroup.privileged : nil }, now: server.environment.now,
      random: server.environment.random, authority: { _ in nil }, verdictKeys: { "keys" },
      unlocks: { UnlockGrants(keys: keys) }, enrolments: { EnrolmentSeal(keys: keys) },
      models: server.environment.models)
    for name in ["vip", "boss", "bob"] {
      _ = try await server.registered(name, deviceID: "d-\(name)")
      try await server.enrol(name)
    }
    try await AccessAdministration(environment).setAdministrator("boss", role: .administrator, by: root)
  }

  /// Puts an account into the state in which a change is possible.
  private func prepare(_ name: String, for change: Change) async throws {
    if change.testDescription == "enable" {
      let block = AccountBlock(since: server.now, until: nil, reason: "left", actor: "test")
      try await server.store.write { _ = try $0.accounts.setBlock(block, of: name) }
    } else if change.testDescription == "close a code" {
      try await server.enrol(name)
    }
  }

  @Test(arguments: changes, ["vip", "boss"])
  func `neither an operator nor the helpdesk changes the state of a privileged account`(
    change: Change, name: String
  ) async throws {
    try await prepare(name, for: change)
    let rows = try await server.store.read { try $0.audit.last().number }
    let caller = try await server.token("t", change.role)
    await #expect(throws: AdministrationRefusal.privileged(account: name)) {
      try await change.call(environment, name, caller)
    }
    #expect(try await server.store.read { try $0.audit.last().number } == rows)
  }

  @Test(arguments: changes)
  func `the roles that are refused for a privileged account may change an ordinary account's state`(
    change: Change
  ) async throws {
    try await prepare("bob", for: change)
    try await change.call(environment, "bob", try await server.token("t", change.role))
  }

  @Test(arguments: changes.filter { endings.contains($0.testDescription) })
  func `the last administrator who can sign in cannot be blocked or removed, even by a different administrator`(
    change: Change
  )
    async throws
  {
    let token = try await server.token("t", .administrator)
    // A person who has the role but no valid key cannot sign in, and so does not count as a second administrator.
    _ = try await server.registered("olga", reachesPrivileged: false)
    try await AccessAdministration(environment).setAdministrator("olga", role: .administrator, by: root)
    let boss = try await server.signedIn("boss", .administrator)
    for caller in [token, boss] {
      await #expect(throws: AdministrationRefusal.lastAdministrator) {
        try await change.call(environment, "boss", caller)
      }
    }
    #expect(try await server.store.read { try $0.accounts.block(of: "boss") } == nil)
    #expect(try await server.store.read { try $0.credentials.records(of: "boss") }.first?.revocation == nil)
    _ = try await server.registered("rita")
    try await AccessAdministration(environment).setAdministrator("rita", role: .administrator, by: root)
    try await change.call(environment, "boss", token)
  }

  @Test(arguments: changes.filter { endings.contains($0.testDescription) })
  func `root at the server may block the last administrator who can sign in`(change: Change) async throws {
    try await change.call(environment, "boss", root)
  }

  @Test func `the last administrator's key cannot be deleted with the administrator's own proof`() async throws {
    let key = try await server.registered("solo", deviceID: "d-solo")
    try await AccessAdministration(environment).setAdministrator("solo", role: .administrator, by: root)
    try await AccessAdministration(environment).removeAdministrator("boss", by: root)
    var context = RequestContext(username: "solo")
    (context.proofFor, context.deviceID, context.deregisterAll) = (.deregistration, "d-solo", true)
    let request = try await TestServer.authenticationRequest(in: server.get(.authentication, context))
    let (refusal, token) = try await server.respond(key.authenticate(request, counter: 1))
    #expect(refusal == nil)
    var asked = RequestContext(username: "solo")
    asked.proof = token?.value
    asked.deviceID = "d-solo"
    asked.deregisterAll = true
    #expect(try await server.get(.deregistration, asked).statusCode == .forbidden)
    #expect(try await server.store.read { try $0.credentials.records(of: "solo") }.count == 1)
  }

  @Test func `a policy that locks out the last administrator is refused`() async throws {
    let token = try await server.token("t", .administrator)
    let policies = PolicyAdministration(environment)
    try await server.store.write { try $0.settings.set(.publicURL, to: TestServer.publicURL) }
    let text = #"{"accepted":[["pattern"]]}"#
    await #expect(throws: AdministrationRefusal.lastAdministrator) {
      _ = try await policies.save(text, reason: "new", after: 0, lockingOut: 9, by: token)
    }
    #expect(try await policies.current(by: token) == nil)
    _ = try await policies.save(text, reason: "new", after: 0, lockingOut: 9, by: root)
  }

  @Test
  func
    `the last administrator with a passkey cannot be disabled although this server cannot use the policy that accepts it`()
    async throws
  {
    let token = try await server.token("t", .administrator)
    let models = "cb69481e-8ff7-4039-93ec-0a2729a154a8"
    let now = server.now
    try await server.store.write { records in
      try records.settings.set(.publicURL, to: TestServer.publicURL)
      try records.accounts.add("solo", now: now)
      try records.passkeys.add(
        PasskeyRecord(
          username: "solo", relyingPartyID: "server.test", id: [1, 2, 3], userHandle: [1],
          publicKey: COSEKey(es256: P256.generate().publicKey), signCounter: 0, aaguid: .zero, isAttested: true,
          isBackupEligible: false, isBackedUp: false, transports: [], registeredAt: now,
          origin: KeyOrigin(issuedBy: "boss", vouchedBy: "boss")))
      let text = #"{"passkeys":{"models":["\#(models)"]}}"#
      _ = try records.policyVersions.add(
        PolicyVersion(number: 1, savedAt: now, actor: "boss", reason: "models", text: text))
    }
    try await AccessAdministration(environment).setAdministrator("solo", role: .administrator, by: root)
    try await AccessAdministration(environment).removeAdministrator("boss", by: root)
    await #expect(throws: AdministrationRefusal.lastAdministrator) {
      try await AccountStateAdministration(environment).disable("solo", reason: "left", by: token)
    }
    try await AccountStateAdministration(environment).disable("solo", reason: "left", by: root)
  }

  @Test func `an account is privileged as soon as a policy that says so is saved`() async throws {
    // This server has not loaded the policy yet, because it looks for a new one only once a second.
    let text = #"{"groups":{"privileged":{"accounts":["bob"],"accepted":[["passcode"]]}}}"#
    _ = try await PolicyAdministration(environment).save(text, reason: "new", after: 0, lockingOut: 0, by: root)
    let desk = try await server.token("desk", .helpdesk)
    await #expect(throws: AdministrationRefusal.privileged(account: "bob")) {
      _ = try await EnrolmentAdministration(environment).issue(for: "bob", by: desk)
    }
  }
}
