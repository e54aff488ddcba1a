@testable import ServerTesting
import Testing
import UAFCrypto
import UAFMessages
import WebAuthn
@testable import UAFService

@testable import UAFAdministration

/// The saved policies: who may see, preview and save them, and what a saved policy changes.
@Suite(.onEachStore) struct PolicyAdministrationTests {
  private let server: TestServer
  private let administration: PolicyAdministration
  private let administrator = Caller(actor: .commandLine(uid: 0, login: nil), role: .administrator, address: "")
  private let both = #"{"accepted": [["passcode", "pattern"]]}"#
  private let passcode = #"{"accepted": [["passcode"]]}"#

  init() throws {
    server = try TestServer()
    administration = PolicyAdministration(.of(server))
  }

  private func addAccounts() async throws {
    try await server.store.write { records in
      try records.settings.set(.publicURL, to: TestServer.publicURL)
      for name in ["alice", "bob", "carol", "dave"] { try records.accounts.add(name, now: 0) }
    }
    try await server.database.addKeys([
      ("alice", "5541#0001"), ("alice", "5541#0002"), ("bob", "5541#0001"), ("carol", "5541#0002"),
    ])
  }

  private func audit() async throws -> [AuditRow] {
    try await server.store.read { try $0.audit.rows(AuditFilter(kind: .policy), limit: 10) }
  }

  @Test func `the server says that no policy is in force until one is saved`() async throws {
    #expect(try await administration.current(by: administrator) == nil)
  }

  @Test func `the server keeps each saved policy with its author and reason, and puts the newest in force`()
    async throws
  {
    _ = try await administration.save(both, reason: "first", after: 0, lockingOut: 0, by: administrator)
    server.advance(seconds: 5)
    let second = try await administration.save(passcode, reason: "second", after: 1, lockingOut: 0, by: administrator)
    #expect(
      second
        == PolicyVersion(
          number: 2, savedAt: server.now, actor: "command-line uid 0", reason: "second", text: passcode))
    #expect(try await administration.current(by: administrator) == second)
    #expect(try await administration.version(1, by: administrator).text == both)
  }

  @Test func `each saved policy has an audit row`() async throws {
    _ = try await administration.save(both, reason: "because", after: 0, lockingOut: 0, by: administrator)
    let rows = try await audit()
    #expect(rows.map(\.event.actor) == ["command-line uid 0"])
    #expect(rows[0].event.detail.contains(#""number":1"#))
    #expect(rows[0].event.detail.contains(#""reason":"because""#))
  }

  @Test func `a preview counts and names the accounts that a policy locks out`() async throws {
    try await addAccounts()
    let preview = try await administration.preview(both, by: administrator)
    #expect(preview.withKeys == 3)
    #expect(preview.changed == 3)
    #expect(preview.lockedOut == 2)
    #expect(preview.names == ["bob", "carol"])
    #expect(!preview.locksEverybodyOut)
  }

  @Test func `a preview does not count a revoked key as one with which the account can log in`() async throws {
    try await addAccounts()
    _ = try await server.store.write { try $0.credentials.revokeAll(of: "alice", now: 1) }
    let preview = try await administration.preview(both, by: administrator)
    #expect(preview.withKeys == 2)
    #expect(preview.locksEverybodyOut)
  }

  @Test func `a preview compares a policy with the saved one, and not with the default of a server without a policy`()
    async throws
  {
    try await addAccounts()
    _ = try await administration.save(both, reason: "strict", after: 0, lockingOut: 2, by: administrator)
    let preview = try await administration.preview(passcode, by: administrator)
    #expect(preview.lockedOut == 0)
    #expect(preview.lockedOutAlready == 1)
  }

  @Test
  func `a policy can be saved after one that is no longer usable, and the preview says that the two were not compared`()
    async throws
  {
    try await addAccounts()
    let gone = PolicyVersion(
      number: 1, savedAt: 1, actor: "a", reason: "r", text: #"{"accepted": [["AAAA#0001"], ["passcode"]]}"#)
    #expect(try await server.store.write { try $0.policyVersions.add(gone) })
    let preview = try await administration.preview(passcode, by: administrator)
    #expect(!preview.isPresentUsable)
    #expect(preview.changed == 3)
    #expect(preview.lockedOut == 1)
    #expect(preview.lockedOutAlready == 0)
    await #expect(throws: AdministrationRefusal.self) {
      try await administration.save(passcode, reason: "revoked", after: 1, lockingOut: 0, by: administrator)
    }
    _ = try await administration.save(passcode, reason: "revoked", after: 1, lockingOut: 1, by: administrator)
    #expect(try await administration.preview(passcode, by: administrator).isPresentUsable)
  }

  @Test func `a preview does not combine keys on two machines into one set that a policy accepts`() async throws {
    try await addAccounts()
    try await server.database.execute(
      "UPDATE credential SET deviceID = CASE aaid WHEN '5541#0001' THEN 'laptop' ELSE 'desk' END")
    let preview = try await administration.preview(both, by: administrator)
    #expect(preview.withKeys == 3)
    #expect(preview.names == ["alice", "bob", "carol"])
    try await server.database.execute("UPDATE credential SET deviceID = 'desk' WHERE username = 'alice'")
    #expect(try await administration.preview(both, by: administrator).names == ["bob", "carol"])
  }

  @Test func `a preview names the members of a group who have no account`() async throws {
    try await addAccounts()
    let text = #"{"groups": {"g": {"accounts": ["bob", "alcie"], "accepted": [["passcode"]]}}}"#
    let preview = try await administration.preview(text, by: administrator)
    #expect(preview.missing == 1)
    #expect(preview.missingNames == ["alcie"])
    #expect(preview.changed == 1)
  }

  @Test func `a preview reads more accounts than fit into one transaction`() async throws {
    let names = (0..<1203).map { "user\(10_000 + $0)" }
    try await server.store.write { records in
      try records.settings.set(.publicURL, to: TestServer.publicURL)
      for name in names { try records.accounts.add(name, now: 0) }
    }
    try await server.database.addKeys(names.map { ($0, "5541#0001") })
    let preview = try await administration.preview(both, by: administrator)
    #expect(preview.withKeys == 1203)
    #expect(preview.lockedOut == 1203)
    #expect(preview.names == Array(names.prefix(20)))
    #expect(preview.locksEverybodyOut)
  }

  @Test func `a policy that locks anybody out is refused unless the caller allows that, and nothing changes`()
    async throws
  {
    try await addAccounts()
    let error = await #expect(throws: AdministrationRefusal.self) {
      try await administration.save(both, reason: "strict", after: 0, lockingOut: 1, by: administrator)
    }
    #expect(
      error?.description
        == ("with this policy 2 of 3 accounts could no longer log in (bob, carol): to save it anyway, allow 2 to be "
          + "locked out"))
    #expect(try await administration.current(by: administrator) == nil)
    #expect(try await audit().isEmpty)
  }

  @Test func `a policy is saved if it locks out as many accounts as the caller has allowed`() async throws {
    try await addAccounts()
    _ = try await administration.save(both, reason: "strict", after: 0, lockingOut: 2, by: administrator)
    #expect(try await administration.current(by: administrator)?.text == both)
  }

  @Test func `refuses a policy that was based on a policy that is not in force`() async throws {
    _ = try await administration.save(both, reason: "first", after: 0, lockingOut: 0, by: administrator)
    for last: Int64 in [0, 2, -1, .max] {
      await #expect(throws: AdministrationRefusal.self) {
        try await administration.save(passcode, reason: "late", after: last, lockingOut: 0, by: administrator)
      }
    }
    #expect(try await administration.current(by: administrator)?.text == both)
    #expect(try await audit().count == 1)
  }

  @Test(arguments: ["", "{", #"{"accepted": []}"#, #"{"accepted": [["fingre"]]}"#, #"{"more": 1}"#])
  func `refuses to save a text that is not a policy`(text: String) async throws {
    let error = await #expect(throws: AdministrationRefusal.self) {
      try await administration.save(text, reason: "why", after: 0, lockingOut: 0, by: administrator)
    }
    guard case .invalid("policy", _) = error else {
      Issue.record("refused as \(String(describing: error))")
      return
    }
  }

  @Test(arguments: ["200B", "202E", "2066", "FEFF"])
  func `refuses a policy with an invisible character, and names the character`(number: String) async throws {
    let scalar = try #require(UInt32(number, radix: 16).flatMap(Unicode.Scalar.init))
    let error = await #expect(throws: AdministrationRefusal.self) {
      try await administration.preview(both + String(scalar), by: administrator)
    }
    #expect(error.map { "\($0)" }?.hasPrefix("policy must not have the character U+\(number)") == true)
  }

  @Test(arguments: ["", String(repeating: "a", count: 501), "a\0b", "a\u{202E}b", "a\u{200B}b", "a\u{2028}b"])
  func `refuses to save a policy without a reason that can be stored`(reason: String) async throws {
    await #expect(throws: AdministrationRefusal.self) {
      try await administration.save(both, reason: reason, after: 0, lockingOut: 0, by: administrator)
    }
  }

  @Test(arguments: [Role.auditor, .helpdesk, .operator])
  func `every role may see and preview policies, and only administrators may save them`(role: Role) async throws {
    let caller = Caller(actor: .person, role: role, address: "")
    #expect(try await administration.current(by: caller) == nil)
    _ = try await administration.preview(both, by: caller)
    await #expect(throws: AdministrationRefusal.notAllowed(.managePolicies)) {
      try await administration.save(both, reason: "mine", after: 0, lockingOut: 0, by: caller)
    }
  }

  @Test func `the saved policies are listed with the newest first, one page at a time`() async throws {
    for number in 0..<5 {
      _ = try await administration.save(
        both, reason: "\(number)", after: Int64(number), lockingOut: 0, by: administrator)
    }
    let first = try await administration.versions(after: nil, limit: 3, by: administrator)
    #expect(first.rows.map(\.number) == [5, 4, 3])
    let second = try await administration.versions(after: first.next, limit: 3, by: administrator)
    #expect(second.rows.map(\.number) == [2, 1])
    #expect(second.next == nil)
  }

  @Test func `refuses a page of policies without a size, with a size that is too large, or with an unknown start`()
    async throws
  {
    for (after, limit) in [(nil, 0), (nil, 201), ("x", 1)] {
      await #expect(throws: AdministrationRefusal.self) {
        try await administration.versions(after: after, limit: limit, by: administrator)
      }
    }
  }

  @Test func `refuses a second preview of a policy while one runs, and allows it afterwards`() async throws {
    let gate = PreviewGate()
    let isRefused = try await gate.run { () async -> Bool in
      do {
        try await gate.run {}
        return false
      } catch { return error is AdministrationRefusal }
    }
    #expect(isRefused)
    try await gate.run {}
    await #expect(throws: CancellationError.self) { try await gate.run { throw CancellationError() } }
    try await gate.run {}
  }

  @Test func `refuses the number of a policy that was never saved`() async throws {
    await #expect(throws: AdministrationRefusal.unknown("policy", name: "7")) {
      try await administration.version(7, by: administrator)
    }
  }

  @Test func `the preview counts people with passkeys alone, and people whose passkey lets them in`() async throws {
    try await addAccounts()
    try await server.store.write { records in
      for (name, isSynced) in [("bob", false), ("dave", false), ("erin", true)] {
        try records.accounts.add(name, now: 0)
        try records.passkeys.add(
          PasskeyRecord(
            username: name, relyingPartyID: "server.test", id: Array(name.utf8), userHandle: [1],
            publicKey: COSEKey(es256: P256.generate().publicKey), signCounter: 0, aaguid: .zero, isAttested: false,
            isBackupEligible: isSynced, isBackedUp: false, transports: [], registeredAt: 0))
      }
    }
    let with = #"{"accepted": [["passcode"]], "passkeys": {}}"#
    _ = try await administration.save(with, reason: "passkeys", after: 0, lockingOut: 9, by: administrator)
    let bound = try await administration.preview(
      #"{"accepted": [["pattern"]], "passkeys": {"synced": false}}"#, by: administrator)
    #expect(bound.withKeys == 5 && bound.names == ["erin"], "\(bound)")
    let without = try await administration.preview(passcode, by: administrator)
    #expect(without.names == ["dave", "erin"] && without.changed == 5, "\(without)")
  }
}
