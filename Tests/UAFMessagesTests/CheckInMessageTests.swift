import Testing

@testable import UAFMessages

/// What a machine reports to a server at a check-in, and what the server replies.
@Suite struct CheckInMessageTests {
  private static let mark = [UInt8](repeating: 1, count: 16)
  private static let next = [UInt8](repeating: 2, count: 16)

  private func note(_ number: Int64, account: String = "mina") -> OfflineLoginNote {
    OfflineLoginNote(account: account, service: "sudo", time: 9, number: number, code: Array(repeating: 5, count: 32))
  }

  private func report() -> MachineReport {
    var report = MachineReport(module: "1.0", nextMark: Self.next)
    (report.deviceName, report.deviceModel, report.deviceOS) = ("desk-17", "x86_64", "Linux 6.1")
    report.policy = 4
    report.locks = [
      ReportedLock(account: "mina", type: "passcode", origin: .remote, until: 1_800_000_000),
      ReportedLock(account: "jun", type: "pattern", origin: .otherUser, until: nil),
    ]
    report.deviceID = "d-17"
    report.wrongValues = [ReportedAttempts(account: "mina", type: "passcode", origin: .remote, count: 4)]
    (report.moreWrongValues, report.findings) = (2, ["state-open", "log"])
    (report.moreLocks, report.droppedLogins, report.mark) = (3, 7, Self.mark)
    report.offlineLogins = [note(1), note(2)]
    return report
  }

  @Test func `a machine's report is read back as it was written`() throws {
    let request = CheckInRequest(report())
    #expect(try CheckInRequest(parsing: request.jsonBytes) == request)
    let short = CheckInRequest(MachineReport(module: "1.0", nextMark: Self.next))
    #expect(short.jsonText == #"{"v":1,"report":{"module":"1.0","nextMark":"AgICAgICAgICAgICAgICAg"}}"#)
    #expect(try CheckInRequest(parsing: short.jsonBytes) == short)
  }

  @Test(arguments: [
    #"{"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg"}}"#,
    #"{"v":2,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg"}}"#,
    #"{"v":1,"report":{"nextMark":"AgICAgICAgICAgICAgICAg"}}"#,
    #"{"v":1,"report":{"module":"","nextMark":"AgICAgICAgICAgICAgICAg"}}"#,
    #"{"v":1,"report":{"module":"1\u0000","nextMark":"AgICAgICAgICAgICAgICAg"}}"#,
    #"{"v":1,"report":{"module":"1"}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAgIC"}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","mark":""}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","policy":-1}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","moreLocks":-1}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","droppedLogins":4294967296}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","locks":[{"account":"a","type":"t","origin":"x"}]}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","locks":[{"account":"","type":"t","origin":"local"}]}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","offlineLogins":[{}]}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","deviceID":7}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","wrongValues":[{"account":"a","type":"t","origin":"local"}]}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","wrongValues":[{"account":"a","type":"t","origin":"local","count":0}]}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","moreWrongValues":-1}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","findings":"log"}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","findings":["Log in /etc"]}}"#,
    #"{"v":1,"report":{"module":"1","nextMark":"AgICAgICAgICAgICAgICAg","findings":[""]}}"#,
  ]) func `refuses a machine's report in another format`(_ text: String) {
    #expect(throws: MessageError.self) { try CheckInRequest(parsing: text) }
  }

  @Test func `refuses a report with too many locks or logins, or with a login that has no number`() throws {
    var report = report()
    report.locks = Array(repeating: report.locks[0], count: 33)
    #expect(throws: MessageError.self) { try CheckInRequest(parsing: CheckInRequest(report).jsonBytes) }
    report.locks = []
    report.offlineLogins = (1...33).map { note($0) }
    #expect(throws: MessageError.self) { try CheckInRequest(parsing: CheckInRequest(report).jsonBytes) }
    report.offlineLogins = []
    report.wrongValues = Array(repeating: report.wrongValues[0], count: 33)
    #expect(throws: MessageError.self) { try CheckInRequest(parsing: CheckInRequest(report).jsonBytes) }
    report.wrongValues = []
    report.findings = Array(repeating: "log", count: 33)
    #expect(throws: MessageError.self) { try CheckInRequest(parsing: CheckInRequest(report).jsonBytes) }
    report.findings = []
    _ = try CheckInRequest(parsing: CheckInRequest(report).jsonBytes)
    report.offlineLogins = [note(0)]
    #expect(throws: MessageError.self) { try CheckInRequest(parsing: CheckInRequest(report).jsonBytes) }
  }

  @Test(arguments: [[1, 1], [2, 1], [1, 3, 2], [Int64.max, 1]])
  func `refuses a report whose login numbers do not ascend`(
    _ numbers: [Int64]
  ) throws {
    var report = report()
    report.offlineLogins = numbers.sorted().enumerated().map { note(Int64($0) + 1, account: "a\($1)") }
    _ = try CheckInRequest(parsing: CheckInRequest(report).jsonBytes)
    report.offlineLogins = numbers.map { note($0) }
    #expect(throws: MessageError.self) { try CheckInRequest(parsing: CheckInRequest(report).jsonBytes) }
  }

  @Test
  func `a report that is too long keeps its first logins and locks, and only counts the locks that it leaves out`() {
    let long = String(repeating: "\u{10FFFF}", count: 128)
    var report = report()
    report.moreLocks = 1
    report.locks = (1...32).map { _ in ReportedLock(account: long, type: "passcode", origin: .local, until: nil) }
    report.offlineLogins = (1...32).map { note($0, account: long) }
    let fitting = CheckInRequest(report).fitting
    #expect(fitting.jsonBytes.count <= CheckInRequest.maximumBytes)
    #expect(fitting.report.offlineLogins.isEmpty && fitting.report.locks.count + fitting.report.moreLocks == 33)
    report.locks = []
    let logins = CheckInRequest(report).fitting.report.offlineLogins
    #expect(logins == Array(report.offlineLogins.prefix(logins.count)) && !logins.isEmpty)
    #expect(CheckInRequest(self.report()).fitting == CheckInRequest(self.report()))
  }

  @Test func `the length of a report that is sent does not show whether it has a lock, and the spaces do not matter`()
    throws
  {
    var report = MachineReport(module: "1.0", nextMark: Self.next)
    let short = CheckInRequest(report)
    report.locks = [ReportedLock(account: "mina", type: "passcode", origin: .local, until: 9)]
    let long = CheckInRequest(report)
    #expect(short.paddedBytes.count == 16_384 && long.paddedBytes.count == 16_384)
    #expect(try CheckInRequest(parsing: long.paddedBytes) == long)
    report.locks = (1...32).map { _ in
      ReportedLock(account: String(repeating: "\u{10FFFF}", count: 128), type: "passcode", origin: .local, until: nil)
    }
    #expect(CheckInRequest(report).fitting.paddedBytes.count == 16_384)
  }

  @Test func `the authentication code of reported wrong values covers all their parts, and is no code of a lock`() {
    func attempts(
      _ account: String, _ type: String, _ origin: ReportedLock.Origin, _ count: Int
    ) -> ReportedAttempts {
      ReportedAttempts(account: account, type: type, origin: origin, count: count)
    }
    let all = [
      attempts("mina", "passcode", .local, 3), attempts("mina", "passcode", .local, 4),
      attempts("mina", "passcode", .remote, 3), attempts("mina", "pattern", .local, 3),
      attempts("minap", "asscode", .local, 3),
    ]
    let machineID = [UInt8](repeating: 7, count: 16)
    let lock = ReportedLock(account: "mina", type: "passcode", origin: .local, until: 3)
    #expect(Set(all.map { $0.authenticated(on: machineID) } + [lock.authenticated(on: machineID)]).count == 6)
    #expect(
      all[0].authenticated(on: machineID) == Array("pam-uaf wrong values\0".utf8) + machineID
        + [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4] + Array("mina".utf8) + [0, 0, 0, 8] + Array("passcode".utf8)
        + [0, 0, 0, 5] + Array("local".utf8))
  }

  @Test func `the statement that a server does not know a machine is read back, and refused with a malformed claim`()
    throws
  {
    let statement = UnknownMachineStatement(proofHash: Self.mark + Self.next, issuedAt: 5)
    guard case .object(let claims) = statement.json else { throw MessageError.wrongOperation }
    #expect(UnknownMachineStatement(claims: claims) == statement)
    for name in ["proof", "iat"] {
      var other = claims
      other.set(name, .bool(true))
      #expect(UnknownMachineStatement(claims: other) == nil, "\(name)")
    }
    var short = claims
    short.set("proof", .string("AgI"))
    #expect(UnknownMachineStatement(claims: short) == nil)
  }

  @Test func `the authentication code of a reported login covers all its parts, and separates them`() {
    let first = note(1)
    let others = [
      note(2), note(1, account: "min"),
      OfflineLoginNote(account: "mina", service: "asudo", time: 9, number: 1, code: first.code),
      OfflineLoginNote(account: "minas", service: "udo", time: 9, number: 1, code: first.code),
      OfflineLoginNote(account: "mina", service: "sudo", time: 10, number: 1, code: first.code),
    ]
    let machineID = [UInt8](repeating: 7, count: 16)
    #expect(Set(([first] + others).map { $0.authenticated(on: machineID) }).count == 6)
    #expect(first.authenticated(on: machineID) != first.authenticated(on: Array(repeating: 8, count: 16)))
    #expect(
      first.authenticated(on: machineID) == Array("pam-uaf offline login\0".utf8) + machineID + [
        0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1,
      ]
        + [0, 0, 0, 4] + Array("mina".utf8) + [0, 0, 0, 4] + Array("sudo".utf8))
  }

  @Test func `the authentication code of a reported lock covers all its parts, and whether it has an end`()
    throws
  {
    func lock(_ account: String, _ type: String, _ origin: ReportedLock.Origin, _ until: Int64?) -> ReportedLock {
      ReportedLock(account: account, type: type, origin: origin, until: until)
    }
    let locks = [
      lock("mina", "passcode", .local, 0), lock("mina", "passcode", .local, nil), lock("mina", "passcode", .remote, 0),
      lock("mina", "pattern", .local, 0), lock("minap", "asscode", .local, 0), lock("mina", "passcode", .local, 1),
    ]
    let machineID = [UInt8](repeating: 7, count: 16)
    #expect(Set(locks.map { $0.authenticated(on: machineID) }).count == 6)
    #expect(
      locks[1].authenticated(on: machineID) == Array("pam-uaf standing lock\0".utf8) + machineID
        + Array(repeating: 0xFF, count: 8) + [0, 0, 0, 4] + Array("mina".utf8) + [0, 0, 0, 8] + Array("passcode".utf8)
        + [0, 0, 0, 5] + Array("local".utf8))
    var coded = locks[0]
    for (code, isRead) in [(32, true), (31, false), (33, false), (0, false)] {
      coded.code = Array(repeating: 1, count: code)
      #expect((try? ReportedLock(parsing: coded.jsonBytes)) == (isRead ? coded : nil))
    }
  }

  @Test func `the reply to a report is read back as it was written, and refused if its policy is too long`()
    throws
  {
    let policy = String(repeating: "p", count: CheckInAnswer.maximumPolicyBytes)
    let answer = CheckInAnswer(statusCode: .ok, token: "t", policy: policy)
    #expect(try CheckInAnswer(parsing: answer.jsonBytes) == answer)
    for policy in [policy + "p", String(repeating: "한", count: 8193), ""] {
      let long = CheckInAnswer(statusCode: .ok, token: "t", policy: policy)
      #expect(throws: MessageError.self) { try CheckInAnswer(parsing: long.jsonBytes) }
    }
  }

  @Test
  func `the server's statement about a report is read back as it was written, and refused with a malformed claim`()
    throws
  {
    for (policy, news) in [(nil, nil), (3, 4)] as [(Int64?, Int64?)] {
      let statement = CheckInStatement(
        CheckInClaims(deviceID: "d", machineID: Self.mark, nonce: Self.next, issuedAt: 5), policy: policy, news: news)
      guard case .object(let claims) = statement.json else { throw MessageError.wrongOperation }
      #expect(CheckInStatement(claims: claims) == statement)
      for name in ["sub", "machine", "nonce", "policy", "news", "iat"] {
        var other = claims
        other.set(name, .bool(true))
        #expect(CheckInStatement(claims: other) == nil, "\(name)")
      }
    }
  }

  @Test func `a proof for a report cannot be used for a request about an account's state or for a different report`() {
    let claim = MachineClaim.checkIn(bodyHash: Self.mark + Self.next)
    #expect(claim.isCheckIn && !claim.asksForState && claim != .checkIn(bodyHash: Self.next + Self.mark))
    #expect(!MachineClaim.state(of: "check-in").isCheckIn && MachineClaim.state(of: "check-in").asksForState)
    let answer = MachineClaim(operation: .authentication, isAnswer: true, username: claim.username)
    #expect(!answer.isCheckIn)
  }
}
