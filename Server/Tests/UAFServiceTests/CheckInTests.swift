import Testing
import UAFCrypto
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Machines that have joined and report, with the store in each engine.
@Suite(.onEachStore) struct CheckInTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(database: StoreEngine.current.makeDatabase(connections: 2))
  }

  private func joined(_ device: String = "d1") async throws -> MachineSecret {
    try #require(try await server.joined(server.joinCode(), device, name: "desk-17"))
  }

  private func rows(_ kind: AuditKind) async throws -> [AuditEntry] {
    try await server.store.read { try $0.audit.rows(AuditFilter(), limit: 200) }.map(\.event).filter { $0.kind == kind }
  }

  private func contact(_ device: String = "d1") async throws -> MachineContact? {
    try await server.store.read { try $0.joinedMachines.machine(device)?.contact }
  }

  private func claims(_ answer: CheckInAnswer?, type: String = "machine-checkin+jwt") throws -> CheckInStatement {
    let parts = try #require(answer?.token).split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let key = server.environment.keys.verdictKey
    #expect(
      try String(decoding: Base64URL.decode(parts[0], maximumCount: 256), as: UTF8.self)
        == #"{"alg":"ES256","kid":"\#(key.id)","typ":"\#(type)"}"#)
    #expect(
      P256.isValidSignature(
        try Base64URL.decode(parts[2], maximumCount: 64), of: Array("\(parts[0]).\(parts[1])".utf8),
        publicKey: key.publicKey))
    guard case .object(let claims) = try JSONValue(parsing: Base64URL.decode(parts[1], maximumCount: 1024)) else {
      throw TestServer.Unexpected()
    }
    return try #require(CheckInStatement(claims: claims))
  }

  // MARK: The answer

  @Test func `a machine that checks in gets a signed statement, and the store has what the machine reported`()
    async throws
  {
    let secret = try await joined()
    let key = try await server.registered("mina", deviceID: "d1")
    var report = TestServer.report(next: 1)
    report.deviceOS = "Linux 6.1"
    report.locks = [try ReportedLock.made(of: "mina", until: 99, on: secret, by: server.accountSecret("mina", key))]
    report.moreLocks = 2
    let answer = try await server.checkIn(secret, report)
    let statement = try claims(answer)
    #expect(statement.claims.deviceID == "d1" && statement.claims.machineID == secret.machineID)
    #expect(statement.claims.issuedAt == server.now && statement.policy == nil && statement.news == nil)
    #expect(answer?.statusCode == .ok && answer?.policy == nil)
    let machine = try await server.store.read { try $0.joinedMachines.machine("d1") }
    #expect(machine?.system == "Linux 6.1" && machine?.name == "desk-17")
    let lock = ReportedLock(account: "mina", type: "passcode", origin: .local, until: 99)
    #expect(
      machine?.contact
        == MachineContact(
          at: server.now, module: "1.0", policy: nil, locks: ReportedLocks([lock], more: 2), copySeenAt: nil,
          mark: report.nextMark, offlineNumber: nil))
  }

  @Test func `the statement about a check-in names the nonce of its report, and is not a verdict`() async throws {
    let secret = try await joined()
    let (one, other) = (
      try await server.checkIn(secret, TestServer.report(next: 1)),
      try await server.checkIn(secret, TestServer.report(mark: 1, next: 2))
    )
    #expect(try claims(one).claims.nonce != claims(other).claims.nonce)
    #expect(VerdictToken(keys: server.environment.keys).claims(of: try #require(one?.token)) == nil)
  }

  private struct OnePolicy: MachinePolicies {
    var news: Int64? { 7 }
    func renew() async throws {}
    func policy(for machine: JoinedMachine) async throws -> MachinePolicy? {
      machine.group == "lab" ? MachinePolicy(version: 3, document: "a.b.c") : nil
    }
  }

  @Test func `a machine that follows policies gets its group's policy with a check-in, unless it already has it`()
    async throws
  {
    let secret = try await joined()
    var report = TestServer.report(next: 1)
    let silent = try await server.checkIn(secret, report, policies: OnePolicy())
    #expect(try claims(silent).policy == 3 && silent?.policy == nil)
    report.policy = 0
    let first = try await server.checkIn(secret, report, policies: OnePolicy())
    #expect(try claims(first).policy == 3 && claims(first).news == 7 && first?.policy == "a.b.c")
    report.policy = 3
    let second = try await server.checkIn(secret, report, policies: OnePolicy())
    #expect(try claims(second).policy == 3 && second?.policy == nil)
    let other = try #require(try await server.joined(server.joinCode("office"), "d2"))
    let none = try await server.checkIn(other, TestServer.report(next: 1), policies: OnePolicy())
    #expect(try claims(none).policy == nil && claims(none).news == 7 && none?.policy == nil)
  }

  // MARK: Who may

  @Test func `a check-in is refused with an account's secret, another body or claim, or after the machine has left`()
    async throws
  {
    let key = try await server.registered("alice")
    let account = try #require(
      try MachineProofs(keys: server.environment.keys).secret(of: "alice", holding: [key.keyID]))
    #expect(try await server.checkIn(account, TestServer.report(next: 1)) == nil)
    let secret = try await joined()
    let body = CheckInRequest(TestServer.report(next: 1)).jsonBytes
    let machine = try #require(server.environment.machine(proving: server.proof(secret, ofBody: body)))
    #expect(try CheckInService.isProved(body, by: machine))
    #expect(try !CheckInService.isProved(body + [0x20], by: machine))
    let other = try #require(try server.known(secret))
    #expect(try !CheckInService.isProved(body, by: other))
    _ = try await server.left(secret)
    #expect(try await server.checkIn(secret, TestServer.report(next: 1)) == nil)
    #expect(try await contact() == nil)
  }

  @Test func `a check-in is not recorded if the machine left at another instance, even before this one knows that`()
    async throws
  {
    let secret = try await joined()
    try await server.store.write { [now = server.now] in
      _ = try $0.joinedMachines.markLeft(machineID: secret.machineID, now: now)
    }
    #expect(try await server.checkIn(secret, TestServer.report(next: 1)) == nil)
  }

  @Test func `a proof is valid for one report, and a repeated report does not make the machine look like a copy`()
    async throws
  {
    let secret = try await joined()
    let request = CheckInRequest(TestServer.report(next: 1))
    let machine = try #require(server.environment.machine(proving: server.proof(secret, ofBody: request.jsonBytes)))
    let service = CheckInService(environment: server.environment)
    guard case .noted = try await service.checkIn(request, by: machine) else { throw TestServer.Unexpected() }
    _ = try await server.checkIn(secret, TestServer.report(mark: 1, next: 2))
    guard case .used = try await service.checkIn(request, by: machine) else { throw TestServer.Unexpected() }
    #expect(try await contact()?.copySeenAt == nil)
  }

  @Test func `with a proof for a report no machine can leave`() async throws {
    let secret = try await joined()
    let body = CheckInRequest(TestServer.report(next: 1)).jsonBytes
    let machine = try #require(server.environment.machine(proving: server.proof(secret, ofBody: body)))
    #expect(try await JoinService(environment: server.environment).leave(machine) == nil)
    #expect(try server.known(secret) != nil)
  }

  // MARK: The audit

  @Test func `the audit gets only what has changed since the last check-in`() async throws {
    let secret = try await joined()
    var report = TestServer.report(next: 1)
    report.deviceName = "desk-17"
    _ = try await server.checkIn(secret, report)
    #expect(
      try await rows(.machineCheckIn).map(\.detail) == [
        #"{"code":1,"group":"lab","device":"d1","module":"1.0"}"#
      ])
    report.mark = report.nextMark
    _ = try await server.checkIn(secret, report)
    #expect(try await rows(.machineCheckIn).count == 1)
    report.policy = 3
    let key = try await server.registered("mina", deviceID: "d1")
    report.locks = [try ReportedLock.made(of: "mina", on: secret, by: server.accountSecret("mina", key))]
    report.droppedLogins = 5
    _ = try await server.checkIn(secret, report)
    let row = try #require(try await rows(.machineCheckIn).last)
    #expect(row.actor == "machine" && row.machine == "desk-17" && row.address == "192.0.2.1" && row.account.isEmpty)
    #expect(
      row.detail
        == #"{"code":1,"group":"lab","device":"d1","policy":3,"locks":{"named":[{"account":"mina","type":"passcode","#
        + #""origin":"local"}],"more":0},"droppedLogins":5}"#)
  }

  @Test func `each login without the server has one audit row, however often it is reported`() async throws {
    let secret = try await joined()
    let alice = try server.accountSecret("alice", await server.registered("alice", deviceID: "d1"))
    let bob = try server.accountSecret("bob", await server.registered("bob", deviceID: "d2"))
    var report = TestServer.report(next: 1)
    let forged = OfflineLoginNote(
      account: "alice", service: "su", time: 5, number: 2, code: Array(repeating: 0, count: 32))
    report.offlineLogins = [
      try server.offlineLogin(1, of: "alice", on: secret, by: alice), forged,
      try server.offlineLogin(3, of: "bob", on: secret, by: bob),
    ]
    _ = try await server.checkIn(secret, report)
    // The server's reply was lost, so the machine sends the same report again with one more login.
    report.offlineLogins.append(try server.offlineLogin(4, of: "alice", on: secret, by: alice))
    _ = try await server.checkIn(secret, report)
    let all = try await rows(.offlineLogin)
    #expect(all.map(\.account) == ["alice", "", "", "alice"])
    let time = server.now - 60
    #expect(
      all.map(\.detail) == [
        #"{"code":1,"group":"lab","device":"d1","service":"sudo","time":\#(time),"number":1,"verified":true}"#,
        #"{"code":1,"group":"lab","device":"d1","service":"su","time":5,"number":2,"verified":false,"account":"alice"}"#,
        #"{"code":1,"group":"lab","device":"d1","service":"sudo","time":\#(time),"number":3,"verified":false,"account":"bob"}"#,
        #"{"code":1,"group":"lab","device":"d1","service":"sudo","time":\#(time),"number":4,"verified":true}"#,
      ])
    #expect(try await contact()?.offlineNumber == 4)
  }

  @Test func `a reported login or lock is accepted only with the secret that the account has on that very machine`()
    async throws
  {
    let (own, other) = (try await joined(), try await joined("d2"))
    let alice = try server.accountSecret("alice", await server.registered("alice", deviceID: "d1"))
    let elsewhere = try server.accountSecret("alice", await server.registered("alice", deviceID: "d2"))
    let mallory = try server.accountSecret("mallory", await server.registered("mallory", deviceID: "d1"))
    var report = TestServer.report(next: 1)
    // The secrets are those of the machine itself, of a different account on it, of a key on another machine, and twice the
    // right one. The last but one is for a different machine.
    let (secrets, places) = ([own, mallory, elsewhere, alice, alice], [own, own, own, other, own])
    report.offlineLogins = try secrets.indices.map {
      try server.offlineLogin(Int64($0 + 1), of: "alice", on: places[$0], by: secrets[$0])
    }
    report.locks = try secrets.indices.map { try ReportedLock.made(of: "alice", on: places[$0], by: secrets[$0]) }
    report.locks.append(ReportedLock(account: "alice", type: "passcode", origin: .remote, until: nil))
    _ = try await server.checkIn(own, report)
    #expect(try await rows(.offlineLogin).map(\.account) == ["", "", "", "", "alice"])
    let lock = ReportedLock(account: "alice", type: "passcode", origin: .local, until: nil)
    #expect(try await contact()?.locks == ReportedLocks([lock], more: 5))
  }

  @Test func `the proof of a reported login does not prove a different login with the same number`() async throws {
    let secret = try await joined()
    let mallory = try server.accountSecret("mallory", await server.registered("mallory", deviceID: "d1"))
    var report = TestServer.report(next: 1)
    let own = try server.offlineLogin(7, of: "mallory", on: secret, by: mallory)
    let code = [UInt8](repeating: 9, count: OfflineLoginNote.codeByteCount)
    report.offlineLogins = [
      own, OfflineLoginNote(account: "alice", service: "sudo", time: own.time, number: 7, code: code),
      OfflineLoginNote(account: "mallory", service: "su", time: own.time, number: 7, code: own.code),
    ]
    _ = try await server.checkIn(secret, report)
    #expect(try await rows(.offlineLogin).map(\.account) == ["mallory", "", ""])
  }

  @Test func `the secret of a revoked key no longer proves a reported login or lock`() async throws {
    let secret = try await joined()
    let alice = try server.accountSecret("alice", await server.registered("alice", deviceID: "d1"))
    try await server.database.execute(
      "UPDATE credential SET revokedAt = 1, revokedReason = 'lost' WHERE username = 'alice'")
    var report = TestServer.report(next: 1)
    report.offlineLogins = [try server.offlineLogin(1, of: "alice", on: secret, by: alice)]
    report.locks = [try ReportedLock.made(of: "alice", on: secret, by: alice)]
    _ = try await server.checkIn(secret, report)
    #expect(try await rows(.offlineLogin).map(\.account) == [""])
    #expect(try await contact()?.locks == ReportedLocks(more: 1))
  }

  // MARK: Locks, wrong values and findings as they happen

  @Test func `a new lock has one row of its account, and another one if the lock begins again after its end`()
    async throws
  {
    let secret = try await joined()
    let key = try server.accountSecret("mina", await server.registered("mina", deviceID: "d1"))
    func report(_ mark: UInt8?, _ next: UInt8, until: Int64?) throws -> MachineReport {
      var report = TestServer.report(mark: mark, next: next)
      report.locks = try until.map { [try ReportedLock.made(of: "mina", until: $0, on: secret, by: key)] } ?? []
      return report
    }
    let end = server.now + 60
    _ = try await server.checkIn(secret, report(nil, 1, until: end))
    _ = try await server.checkIn(secret, report(1, 2, until: end))
    let row = try #require(try await rows(.machineLock).first)
    #expect(try await rows(.machineLock).count == 1)
    #expect(row.account == "mina" && row.actor == "machine" && row.address == "192.0.2.1")
    #expect(
      row.detail
        == #"{"code":1,"group":"lab","device":"d1","type":"passcode","origin":"local","until":\#(end)}"#)
    server.advance(seconds: 61)
    _ = try await server.checkIn(secret, report(2, 3, until: server.now + 60))
    #expect(try await rows(.machineLock).count == 2)
    #expect(server.environment.troubles.figures.locks == 2)
  }

  @Test func `more wrong values in a row have a row of their account, and those without a right code are only counted`()
    async throws
  {
    let secret = try await joined()
    let key = try server.accountSecret("mina", await server.registered("mina", deviceID: "d1"))
    var report = TestServer.report(next: 1)
    let proved = try ReportedAttempts.made(of: "mina", count: 3, on: secret, by: key)
    report.wrongValues = [proved, ReportedAttempts(account: "jun", type: "passcode", origin: .local, count: 4)]
    report.moreWrongValues = 1
    _ = try await server.checkIn(secret, report)
    report.mark = report.nextMark
    _ = try await server.checkIn(secret, report)
    let kept = ReportedAttempts(account: "mina", type: "passcode", origin: .remote, count: 3)
    #expect(try await contact()?.wrongValues == ReportedWrongValues([kept], more: 2))
    let found = try await rows(.machineWrongValues)
    #expect(found.map(\.account) == ["mina"])
    #expect(
      found.map(\.detail) == [
        #"{"code":1,"group":"lab","device":"d1","type":"passcode","origin":"remote","count":3}"#
      ])
    #expect(
      try await rows(.machineCheckIn).map(\.detail) == [
        #"{"code":1,"group":"lab","device":"d1","module":"1.0","moreWrongValues":2}"#
      ])
    report.wrongValues = [try ReportedAttempts.made(of: "mina", count: 4, on: secret, by: key)]
    _ = try await server.checkIn(secret, report)
    #expect(try await rows(.machineWrongValues).count == 2)
    report.wrongValues = []
    _ = try await server.checkIn(secret, report)
    #expect(try await contact()?.wrongValues.named.isEmpty == true)
    #expect(try await rows(.machineWrongValues).count == 2)
    #expect(server.environment.troubles.figures.wrongValues == 2)
  }

  @Test func `what doctor found stays until doctor looks again, and the audit has each change`() async throws {
    let secret = try await joined()
    var report = TestServer.report(next: 1)
    report.findings = ["state-open", "log"]
    _ = try await server.checkIn(secret, report)
    let first = server.now
    let expected = MachineExamination(failures: ["state-open", "log"], at: first)
    #expect(try await contact()?.examination == expected)
    server.advance(seconds: 9)
    _ = try await server.checkIn(secret, TestServer.report(mark: 1, next: 2))
    #expect(try await contact()?.examination == expected)
    report = TestServer.report(mark: 2, next: 3)
    report.findings = []
    _ = try await server.checkIn(secret, report)
    #expect(try await contact()?.examination == MachineExamination(failures: [], at: first + 9))
    #expect(
      try await rows(.machineCheckIn).map(\.detail) == [
        #"{"code":1,"group":"lab","device":"d1","module":"1.0","failures":["state-open","log"]}"#,
        #"{"code":1,"group":"lab","device":"d1","failures":[]}"#,
      ])
    #expect(server.environment.troubles.figures.failures == 2)
  }

  // MARK: Copies

  @Test func `a copied machine is noticed at the copy's first report, with one audit row a day`() async throws {
    let secret = try await joined()
    _ = try await server.checkIn(secret, TestServer.report(next: 1))
    _ = try await server.checkIn(secret, TestServer.report(mark: 1, next: 2))
    #expect(try await contact()?.copySeenAt == nil)
    // The copy was made after the machine had announced nonce 1.
    #expect(try await server.checkIn(secret, TestServer.report(mark: 1, next: 3)) != nil)
    #expect(try await contact()?.copySeenAt == server.now)
    server.advance(seconds: 60)
    #expect(try await server.checkIn(secret, TestServer.report(mark: 2, next: 4)) != nil)
    #expect(try await contact()?.copySeenAt == server.now)
    #expect(
      try await rows(.machineCopied).map(\.detail) == [#"{"code":1,"group":"lab","device":"d1"}"#])
    server.advance(seconds: 86_400)
    #expect(try await server.checkIn(secret, TestServer.report(mark: 3, next: 5)) != nil)
    #expect(try await rows(.machineCopied).count == 2)
  }

  @Test func `after a restore a machine does not look like a copy of itself, and a copy is noticed at its next report`()
    async throws
  {
    let secret = try await joined()
    _ = try await server.checkIn(secret, TestServer.report(next: 1))
    // The machine reports twice after the backup, which the restored store does not know.
    try await server.store.write { [now = server.now] in try $0.settings.set(.restoredAt, to: String(now)) }
    server.advance(seconds: 1)
    #expect(try await server.checkIn(secret, TestServer.report(mark: 3, next: 4)) != nil)
    #expect(try await contact()?.copySeenAt == nil)
    #expect(try await server.checkIn(secret, TestServer.report(mark: 2, next: 5)) != nil)
    #expect(try await contact()?.copySeenAt == server.now)
  }

  @Test func `a report that was proved before a restore is refused, since the store does not know whether it was used`()
    async throws
  {
    let secret = try await joined()
    try await server.store.write { [now = server.now] in try $0.settings.set(.restoredAt, to: String(now)) }
    #expect(try await server.checkIn(secret, TestServer.report(next: 1)) == nil)
    server.advance(seconds: 1)
    #expect(try await server.checkIn(secret, TestServer.report(next: 1)) != nil)
  }

  @Test func `a machine does not look like a copy because replies of the server get lost`() async throws {
    let secret = try await joined()
    for report in [TestServer.report(next: 1), TestServer.report(next: 1), TestServer.report(mark: 1, next: 2)] {
      for _ in 0..<2 { #expect(try await server.checkIn(secret, report) != nil) }
    }
    #expect(try await contact()?.copySeenAt == nil)
    #expect(try await rows(.machineCopied).isEmpty)
  }

  @Test func `the logins of a machine that was restored are recorded, even if earlier logins had their numbers`()
    async throws
  {
    let secret = try await joined()
    var report = TestServer.report(next: 1)
    report.offlineLogins = [try server.offlineLogin(9, of: "alice", on: secret, by: secret)]
    _ = try await server.checkIn(secret, report)
    var restored = TestServer.report(mark: 8, next: 9)
    restored.offlineLogins = [try server.offlineLogin(2, of: "alice", on: secret, by: secret, service: "su")]
    _ = try await server.checkIn(secret, restored)
    #expect(try await rows(.offlineLogin).count == 2)
    #expect(try await contact()?.offlineNumber == 2)
  }

  @Test func `a machine that joins again starts with new numbers, and does not count as a copy`() async throws {
    let code = try await server.joinCode()
    let secret = try #require(try await server.joined(code, "d1"))
    var report = TestServer.report(next: 1)
    report.offlineLogins = [try server.offlineLogin(9, of: "alice", on: secret, by: secret)]
    _ = try await server.checkIn(secret, report)
    #expect(try await server.joined(code, "d1", proving: secret) == secret)
    let contact = try #require(try await contact())
    #expect(contact.mark == nil && contact.offlineNumber == nil && contact.module == "1.0")
    _ = try await server.checkIn(secret, TestServer.report(next: 7))
    #expect(try await self.contact()?.copySeenAt == nil)
  }
}
