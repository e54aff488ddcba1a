import FidoResults
import Foundation
import Testing
import UAFClient
import UAFCrypto
import UAFMessages
import UAFWire

@testable import Authenticator
@testable import UAFHelper

/// How a joined machine reports its state to its server after a login.
@Suite final class CheckInTests {
  private static let offline = "[general]\noffline = \"allow\"\noffline_max_age = 86400"

  private let signer: VerdictSigner
  private let bench: HelperBench
  private let secret = [UInt8](repeating: 4, count: 32)
  /// The reports that have arrived, and the news number with which the server answers each.
  private var reports: [MachineReport] = []
  private var news: Int64?
  private var policy: (version: Int64, document: String)?

  init() throws {
    signer = try VerdictSigner()
    bench = try HelperBench()
    bench.configuration += "\n" + Self.offline
    try bench.demandSignature(signer.pem)
    bench.device.machineID = Array("0123456789abcdef0123456789abcdef".utf8)
    bench.device.hostName = "desk-17"
    bench.server.signed = { [unowned self] yes in
      try signer.token(for: yes, at: bench.now.wallSeconds)
    }
    bench.server.checkingIn = { [unowned self] in try answer($0) }
    _ = try StateDirectory.initialise(bench.folder + "/state", owner: getuid())
    #expect(try bench.run(bench.registration(), ["correct", "correct"]).result == 0)
    try join()
  }

  private var state: String { bench.folder + "/state" }

  private func join(with server: String = "https://localhost") throws {
    let place = try SHA256.hash(Array("\(server)/uaf/get\0\(server)/uaf/respond\0".utf8))
    let machine = MachineRecord(machineID: Array(repeating: 3, count: 16), secret: secret, place: place)
    try JoinRecord(machine, group: "lab").store(in: state, owner: getuid())
  }

  /// The server's reply to a report, with its signed statement.
  private func answer(
    _ request: TransportRequest, by other: VerdictSigner? = nil, nonce: [UInt8]? = nil
  ) throws -> TransportResponse {
    let (proof, code) = try #require(MachineProof.read(request.machineProof ?? ""))
    #expect(try proof.claim == .checkIn(bodyHash: SHA256.hash(request.body)))
    #expect(try code == HMACSHA256.authenticate(proof.authenticated, keyInOrdinaryMemory: secret))
    reports.append(try CheckInRequest(parsing: request.body).report)
    let asked = try #require(bench.server.asked.last?.context.deviceID ?? deviceID)
    let statement = CheckInStatement(
      CheckInClaims(
        deviceID: asked, machineID: proof.machineID, nonce: nonce ?? proof.nonce, issuedAt: bench.now.wallSeconds),
      policy: policy?.version, news: news)
    guard case .object(let claims) = statement.json else { throw MessageError.wrongOperation }
    let token = try (other ?? signer).token(claims, type: CheckInStatement.tokenType)
    let answer = CheckInAnswer(statusCode: .ok, token: token, policy: policy?.document)
    return TransportResponse(status: 200, contentType: "application/json", body: answer.jsonBytes)
  }

  private var deviceID: String? {
    bench.server.requests.compactMap { request in
      (try? GetUAFRequest(parsing: request.body)).flatMap { try? RequestContext(parsing: $0.context ?? "").deviceID }
    }.first ?? nil
  }

  private func login(_ entry: String = "correct") throws -> UInt32 {
    try bench.run(bench.begin(), [entry]).result
  }

  private func advance(_ seconds: Int64) {
    bench.now.nanoseconds += seconds * 1_000_000_000
    bench.now.wallSeconds += seconds
  }

  private func operation(peer: UInt32 = 0) throws -> Transcript {
    var begin = Begin(.checkIn)
    begin.service = Array("uafctl".utf8)
    if peer == 0 { begin.arguments = [Array("conf=\(bench.folder)/conf".utf8)] }
    return try bench.run(begin, peer: peer)
  }

  private var record: CheckInRecord { get throws { try CheckInRecord.read(in: state, owner: getuid()) } }
  private var waiting: OfflineLoginRecord { get throws { try OfflineLoginRecord.read(in: state, owner: getuid()) } }

  // MARK: When a machine reports

  @Test func `the first login reports the machine's properties, and the next login has nothing to report`() throws {
    #expect(try login() == 0, "\(bench.log.lines)")
    let report = try #require(reports.first)
    #expect(report.module == HelperVersion.current && report.deviceName == "desk-17" && report.policy == nil)
    #expect(report.mark == nil && report.locks.isEmpty && report.offlineLogins.isEmpty)
    #expect(try record.mark == report.nextMark && record.nextMark == nil && record.sentAt == nil)
    #expect(try login() == 0 && reports.count == 1)
  }

  @Test
  func `a machine reports again after an hour, and after its clock was set back to before the last report`() throws {
    _ = try login()
    advance(3599)
    #expect(try login() == 0 && reports.count == 1)
    advance(1)
    #expect(try login() == 0 && reports.count == 2)
    #expect(reports[1].mark == reports[0].nextMark && reports[1].nextMark != reports[0].nextMark)
    bench.now.wallSeconds -= 10
    bench.server.signed = { [unowned self] in try signer.token(for: $0, at: bench.now.wallSeconds) }
    #expect(try login() == 0 && reports.count == 3)
  }

  @Test func `a machine reports immediately if the login brought a new news number`() throws {
    bench.server.machineNews = 7
    news = 7
    _ = try login()
    #expect(try login() == 0 && reports.count == 1)
    bench.server.machineNews = 8
    #expect(try login() == 0 && reports.count == 2)
    news = 8
    _ = try login()
    #expect(try login() == 0 && reports.count == 3)
  }

  /// A policy that the server has signed for this machine.
  private func document(version: Int64, for device: String? = nil) throws -> String {
    let time = bench.now.wallSeconds
    let policy = WorkstationPolicy(
      deviceID: try #require(device ?? deviceID), group: try #require(MachineGroup("lab")), version: version,
      text: "[passcode]\nmin_length = 12\n", issuedAt: time, notBefore: time,
      expiresAt: time + WorkstationPolicy.standardLifetime)
    guard case .object(let claims) = policy.json else { throw MessageError.wrongOperation }
    return try signer.token(claims, type: WorkstationPolicy.tokenType)
  }

  @Test
  func `the first login after a policy was saved at the server fetches it, and it applies from the next call on`()
    throws
  {
    bench.configuration += "\n[policy]\nfollow = [\"passcode\"]"
    #expect(try login() == 0)
    #expect(reports.map(\.policy) == [0])
    (policy, news, bench.server.machineNews) = ((7, try document(version: 7)), 7, 7)
    #expect(try login() == 0)
    (policy, bench.server.machineNews) = (nil, 7)
    let change = try bench.run(bench.begin(.change), ["correct", "battery", nil])
    #expect(change.prompts.last?.errorMessage == "Use at least 12 characters.")
    #expect(try login() == 0)
    #expect(reports.map(\.policy) == [0, 0, 7])
  }

  @Test func `a machine uses no policy for a different machine, and none if root lets the server set nothing`() throws {
    #expect(try login() == 0)
    policy = (7, try document(version: 7))
    advance(3601)
    #expect(try login() == 0)
    #expect(reports.map(\.policy) == [nil, nil])
    #expect(try PolicyRecord.read(in: state, owner: getuid()) == nil)
    bench.configuration += "\n[policy]\nfollow = [\"passcode\"]"
    policy = (7, try document(version: 7, for: String(repeating: "0", count: 32)))
    #expect(try login() == 0)
    #expect(try PolicyRecord.read(in: state, owner: getuid()) == nil)
    #expect(bench.log.lines.contains { $0.contains("the server's policy is not used") })
  }

  @Test func `a machine reports the lock of any of its accounts, and later the end of it`() throws {
    _ = try login()
    bench.passwd += "jun:x:4343:4343::/:/bin/sh\n"
    func as43(_ operation: UAFWire.Operation) -> Begin {
      var begin = bench.begin(operation)
      (begin.uid, begin.account, begin.typedName) = (4343, Array("jun".utf8), Array("jun".utf8))
      return begin
    }
    var registration = as43(.register)
    registration.service = Array("uafctl".utf8)
    registration.authenticator = Array("passcode".utf8)
    registration.payload = Array(bench.server.payload(username: "jun").encoded.utf8)
    #expect(try bench.run(registration, ["another", "another"]).result == 0, "\(bench.log.lines)")
    for _ in 0..<3 { try bench.run(as43(.authenticate), ["wrong"]) }
    #expect(try login() == 0)
    // The account jun has no machine secret.
    #expect(
      reports.last?.locks
        == [
          ReportedLock(account: "jun", type: "passcode", origin: .local, until: bench.now.wallSeconds + 60)
        ])
    advance(30)
    #expect(try login() == 0 && reports.count == 2)
    advance(31)
    #expect(try login() == 0 && reports.count == 3 && reports[2].locks.isEmpty)
  }

  // MARK: After a refused login

  private func lockLater() {
    bench.configuration = bench.configuration.replacing("retry_count_to_lock = 3", with: "retry_count_to_lock = 9")
  }

  @Test func `a lock is reported as soon as it begins, after the person has the answer`() throws {
    for _ in 0..<2 { #expect(try login("wrong") != 0) }
    #expect(reports.isEmpty)
    #expect(try login("wrong") != 0)
    #expect(reports.count == 1 && reports[0].locks.map(\.account) == ["mina"] && reports[0].wrongValues.isEmpty)
    advance(300)
    #expect(try login("wrong") != 0)
    #expect(reports.count == 1, "the lock has ended, and one wrong value is nothing to tell")
  }

  @Test func `three wrong values in a row are reported, and one or two are not`() throws {
    lockLater()
    try giveSecret(Array(repeating: 9, count: 32))
    for _ in 0..<2 { #expect(try login("wrong") != 0) }
    #expect(reports.isEmpty)
    #expect(try login("wrong") != 0)
    let wrong = try #require(reports.first?.wrongValues.first)
    #expect(reports.count == 1 && reports[0].wrongValues.count == 1 && reports[0].locks.isEmpty)
    #expect(wrong.account == "mina" && wrong.type == "passcode" && wrong.origin == .local && wrong.count == 3)
    let message = wrong.authenticated(on: Array(repeating: 3, count: 16))
    #expect(
      try wrong.code
        == HMACSHA256.authenticate(message, keyInOrdinaryMemory: Array(repeating: 9, count: 32)))
  }

  @Test func `wrong values cause at most one report in five minutes, and none that says nothing new`() throws {
    lockLater()
    for _ in 0..<5 { #expect(try login("wrong") != 0) }
    #expect(reports.map { $0.wrongValues.first?.count } == [3])
    advance(300)
    #expect(try login("wrong") != 0)
    #expect(reports.map { $0.wrongValues.first?.count } == [3, 6])
    #expect(try login() == 0)
    #expect(reports.count == 3 && reports[2].wrongValues.isEmpty)
  }

  @Test func `a failed report after wrong values is logged, and is not tried again for five minutes`() throws {
    bench.server.checkingIn = nil
    for _ in 0..<4 { #expect(try login("wrong") != 0) }
    #expect(bench.log.lines.filter { $0.contains("event=checkIn") }.count == 1)
  }

  @Test func `if the state of accounts is hidden, a made-up name causes the same report as the name of an account`()
    throws
  {
    bench.configuration = bench.configuration.replacing("[general]", with: "[general]\nhide_state = true")
    #expect(try login("wrong") != 0)
    #expect(reports.count == 1 && reports[0].wrongValues.isEmpty && reports[0].locks.isEmpty)
    advance(300)
    bench.passwd += "jun:x:4343:4343::/:/bin/sh\n"
    var begin = bench.begin()
    (begin.uid, begin.account, begin.typedName) = (4343, Array("jun".utf8), Array("jun".utf8))
    for _ in 0..<2 { #expect(try bench.run(begin, ["wrong", nil]).result != 0) }
    #expect(reports.count == 2 && reports[1].locks.isEmpty)
  }

  /// With states hidden, attempts for an account with a key (sora) and for a name without one (jun) look alike to an observer
  /// who sees which logins are followed by a report.
  @Test(arguments: [true, false])
  func `if the state of accounts is hidden, a report after a later login does not show which name was attacked`(
    _ isRegistered: Bool
  ) throws {
    bench.passwd += "sora:x:4343:4343::/:/bin/sh\njun:x:4344:4344::/:/bin/sh\n"
    func begin(_ name: String, _ uid: UInt32, _ operation: UAFWire.Operation) -> Begin {
      var begin = bench.begin(operation)
      (begin.uid, begin.account, begin.typedName) = (uid, Array(name.utf8), Array(name.utf8))
      return begin
    }
    var registration = begin("sora", 4343, .register)
    (registration.service, registration.authenticator) = (Array("uafctl".utf8), Array("passcode".utf8))
    registration.payload = Array(bench.server.payload(username: "sora").encoded.utf8)
    #expect(try bench.run(registration, ["another", "another"]).result == 0, "\(bench.log.lines)")
    bench.configuration = bench.configuration.replacing("[general]", with: "[general]\nhide_state = true")
    #expect(try login() == 0 && reports.count == 1)
    advance(300)
    func attack(times: Int) throws {
      let attack = isRegistered ? begin("sora", 4343, .authenticate) : begin("jun", 4344, .authenticate)
      for _ in 0..<times { #expect(try bench.run(attack, ["wrong", nil]).result != 0) }
    }
    try attack(times: 1)
    #expect(reports.count == 2)
    try attack(times: 3)
    #expect(reports.count == 2, "at most one in five minutes")
    #expect(try login() == 0)
    #expect(reports.count == 3, "the next login reports what happened in between")
    #expect(reports[2].locks.map(\.account) == (isRegistered ? ["sora"] : []))
    advance(61)
    #expect(try login() == 0)
    #expect(reports.count == 3, "the end of a hidden lock is no reason for a report")
    advance(3600)
    #expect(try login() == 0 && reports.count == 4 && reports[3].locks.isEmpty)
  }

  @Test func `if the state of accounts is hidden, a report that is owed is sent after the pause, even if one failed`()
    throws
  {
    bench.configuration = bench.configuration.replacing("[general]", with: "[general]\nhide_state = true")
    bench.server.checkingIn = nil
    #expect(try login("wrong") != 0)
    #expect(try record.owesReport && record.sentAt != nil)
    bench.server.checkingIn = { [unowned self] in try answer($0) }
    #expect(try login() == 0 && reports.isEmpty)
    advance(300)
    #expect(try login() == 0 && reports.count == 1)
    #expect(try !record.owesReport)
  }

  @Test func `doctor's failures that root sends are reported once, and a malformed list is refused`() throws {
    var begin = Begin(.checkIn)
    begin.service = Array("uafctl".utf8)
    begin.arguments = [Array("conf=\(bench.folder)/conf".utf8)]
    begin.payload = Array(#"["state-open","log"]"#.utf8)
    #expect(try bench.run(begin, peer: 0).result == 0)
    #expect(reports.last?.findings == ["state-open", "log"])
    #expect(try login() == 0 && reports.count == 1, "the findings alone make no report due")
    #expect(try operation().result == 0 && reports.last?.findings == nil)
    for bad in ["", "{}", #"["A b"]"#, "[\(Array(repeating: #""a""#, count: 33).joined(separator: ","))]"] {
      begin.payload = Array(bad.utf8)
      #expect(try bench.run(begin, peer: 0).result == FidoResult.invalidParameter.code, "\(bad)")
    }
    #expect(reports.count == 2)
  }

  // MARK: When nothing is reported

  @Test
  func `a machine reports nothing if it has not joined, has joined another server, or root forbids reports`()
    throws
  {
    try JoinRecord.remove(in: state, owner: getuid())
    #expect(try login() == 0)
    try join(with: "https://another.test")
    #expect(try login() == 0)
    try join()
    bench.configuration = bench.configuration.replacing("[state]", with: "send_device = false\n[state]")
    #expect(try login() == 0 && reports.isEmpty)
    #expect(bench.log.lines.allSatisfy { !$0.contains("event=checkIn") })
  }

  @Test func `a machine reports nothing after a refused or offline login, or after any other operation`() throws {
    #expect(try login("wrong") != 0)
    try bench.run(bench.begin(.status))
    #expect(reports.isEmpty)
    _ = try login()
    bench.server.lateFailure = .noHandshake(.refused)
    let asked = bench.server.requests.count
    #expect(try login() == 0 && bench.server.requests.count == asked + 1)
  }

  @Test func `nothing is reported after a login whose front end waits for the core, and a later check-in carries it`()
    throws
  {
    bench.isAwaited = true
    #expect(try login() == 0)
    for _ in 0..<3 { #expect(try login("wrong") != 0) }
    #expect(reports.isEmpty)
    #expect(try record == CheckInRecord())
    #expect(try operation().result == 0)
    #expect(reports.count == 1 && reports[0].locks.map(\.account) == ["mina"])
  }

  // MARK: Failures

  @Test
  func `a report that the server refuses does not affect the login, and is sent again after five minutes`() throws {
    bench.server.checkingIn = nil
    #expect(try login() == 0)
    let lines = bench.log.lines.filter { $0.contains("event=checkIn") }
    #expect(lines.count == 1 && lines[0].contains("the server does not accept reports from machines"))
    let mark = try #require(try record.nextMark)
    bench.server.checkingIn = { [unowned self] in try answer($0) }
    advance(299)
    #expect(try login() == 0 && reports.isEmpty)
    advance(1)
    #expect(try login() == 0 && reports.count == 1)
    #expect(reports[0].nextMark == mark && reports[0].mark == nil)
    #expect(bench.log.lines.filter { $0.contains("event=checkIn") }.count == 1)
  }

  @Test(arguments: [1, 2]) func `a machine believes no reply that was not signed for its own report`(_ fault: Int)
    throws
  {
    let stranger = try VerdictSigner()
    bench.server.checkingIn = { [unowned self] request in
      fault == 1
        ? try answer(request, by: stranger) : try answer(request, nonce: Array(repeating: 0, count: 16))
    }
    #expect(try login() == 0)
    #expect(try record.mark == nil && record.told == nil && record.nextMark == reports.last?.nextMark)
    #expect(bench.log.lines.contains { $0.contains("event=checkIn") && $0.contains("not signed with verdict_key") })
  }

  /// The server's signed refusal of a machine that it does not know.
  private func denial(_ request: TransportRequest, by other: VerdictSigner? = nil) throws -> TransportResponse {
    let hash = try SHA256.hash(Array((request.machineProof ?? "").utf8))
    let statement = UnknownMachineStatement(proofHash: hash, issuedAt: bench.now.wallSeconds)
    guard case .object(let claims) = statement.json else { throw MessageError.wrongOperation }
    let token = try (other ?? signer).token(claims, type: UnknownMachineStatement.tokenType)
    let answer = CheckInAnswer(statusCode: .forbidden, token: token)
    return TransportResponse(status: 403, contentType: "application/json", body: answer.jsonBytes)
  }

  private func unknownSince() throws -> Int64? {
    let text = try #require(try bench.run(bench.begin(.status)).finished.document)
    guard case .object(let status) = try JSONValue(parsing: Array(text.utf8)),
      case .integer(let since)? = status["serverUnknownSince"]
    else { return nil }
    return since
  }

  @Test
  func `a machine remembers since when its server says that it does not know it, until the server knows it again`()
    throws
  {
    #expect(try unknownSince() == nil)
    bench.server.checkingIn = { [unowned self] in try denial($0) }
    #expect(try login() == 0)
    let first = bench.now.wallSeconds
    #expect(try unknownSince() == first)
    #expect(bench.log.lines.contains { $0.contains("has signed that it does not know this machine") })
    advance(300)
    #expect(try login() == 0 && unknownSince() == first)
    bench.server.checkingIn = { [unowned self] in try answer($0) }
    advance(300)
    #expect(try login() == 0 && unknownSince() == nil)
    #expect(reports.last?.deviceID == deviceID)
  }

  @Test func `a machine does not believe a stranger or an unsigned refusal that its server does not know it`() throws {
    let stranger = try VerdictSigner()
    bench.server.checkingIn = { [unowned self] in try denial($0, by: stranger) }
    #expect(try login() == 0 && unknownSince() == nil)
    advance(300)
    bench.server.checkingIn = { _ in TransportResponse(status: 403, contentType: "", body: []) }
    #expect(try login() == 0 && unknownSince() == nil)
  }

  @Test func `a machine does not report while another call is reporting, and does not wait for it`() throws {
    let turn = try MachineTurn(for: .checkIn, in: state, owner: getuid())
    defer { withExtendedLifetime(turn) {} }
    #expect(try login() == 0 && reports.isEmpty)
    #expect(try operation().finished.text?.contains("another one is under way") == true)
  }

  @Test
  func `if others could have written the files for a report, nothing is reported and the login continues`() throws {
    _ = try login()
    advance(3600)
    #expect(unsafe chmod(state + "/machine.checkin", 0o644) == 0)
    #expect(try login() == 0 && reports.count == 1)
    #expect(bench.log.lines.contains { $0.contains("event=checkIn") && $0.contains("open to others") })
  }

  @Test func `a damaged record of the last report counts as no record`() throws {
    _ = try login()
    try Data([9, 9]).write(to: URL(fileURLWithPath: state + "/machine.checkin"))
    #expect(unsafe chmod(state + "/machine.checkin", 0o600) == 0)
    #expect(try login() == 0 && reports.count == 2 && reports[1].mark == nil)
  }

  @Test func `the record of an earlier version, which ends before what is owed, is read`() throws {
    _ = try login()
    let path = URL(fileURLWithPath: state + "/machine.checkin")
    let bytes = try Data(contentsOf: path)
    #expect(bytes.last == 0)
    try bytes.dropLast().write(to: path)
    #expect(unsafe chmod(state + "/machine.checkin", 0o600) == 0)
    advance(3600)
    #expect(try login() == 0 && reports.count == 2)
    #expect(reports[1].mark == reports[0].nextMark)
  }

  @Test func `an accepted check-in succeeds even if it cannot be recorded that the server knows the machine`()
    throws
  {
    _ = try login()
    #expect(try loginAway() == 0)
    try FileManager.default.createDirectory(atPath: state + "/machine.unknown", withIntermediateDirectories: false)
    #expect(try operation().result == 0, "\(bench.log.lines)")
    #expect(bench.log.lines.contains { $0.contains("could not be recorded that the server knows this machine") })
    #expect(try reports.last?.offlineLogins.count == 1 && waiting.logins.isEmpty)
  }

  // MARK: Offline logins

  /// The result of a login while the server cannot be reached.
  private func loginAway() throws -> UInt32 {
    bench.server.lateFailure = .noHandshake(.refused)
    defer { bench.server.lateFailure = nil }
    return try login()
  }

  @Test
  func `each offline login is recorded with its authentication code, and reported once with the next login`() throws {
    let own = [UInt8](repeating: 9, count: 32)
    try giveSecret(own)
    _ = try login()
    var times: [Int64] = []
    for _ in 0..<2 {
      advance(10)
      times.append(bench.now.wallSeconds)
      #expect(try loginAway() == 0)
    }
    #expect(try login() == 0 && reports.count == 2)
    let logins = reports[1].offlineLogins
    #expect(logins.map(\.time) == times && logins.map(\.account) == ["mina", "mina"])
    #expect(logins.map(\.service) == ["login", "login"] && logins[1].number == logins[0].number + 1)
    let machineID = [UInt8](repeating: 3, count: 16)
    for login in logins {
      let message = login.authenticated(on: machineID)
      #expect(try login.code == HMACSHA256.authenticate(message, keyInOrdinaryMemory: own))
      #expect(try login.code != HMACSHA256.authenticate(message, keyInOrdinaryMemory: secret))
    }
    #expect(try waiting.logins.isEmpty)
    #expect(try login() == 0 && reports.count == 2)
    #expect(try loginAway() == 0)
    #expect(try waiting.logins.map(\.number) == [logins[1].number + 1])
  }

  /// Gives the machine a secret for mina, as a registration at the server does.
  private func giveSecret(_ secret: [UInt8]) throws {
    let directory = try StateDirectory(state, owner: getuid())
    let account = try #require(try AccountFile.open(in: directory, uid: 4242, name: nil, serverUserName: { _ in nil }))
    let place = try #require(try JoinRecord.read(in: state, owner: getuid())).machine.place
    try MachineRecord(machineID: Array(repeating: 8, count: 16), secret: secret, place: place).store(in: account)
  }

  @Test
  func `a reported lock has a code made with the account's secret, unless that secret is another server's`() throws {
    let own = [UInt8](repeating: 9, count: 32)
    try giveSecret(own)
    for _ in 0..<3 { _ = try login("wrong") }
    #expect(try operation().result == 0)
    let lock = try #require(reports.last?.locks.first)
    let message = lock.authenticated(on: Array(repeating: 3, count: 16))
    #expect(try lock.account == "mina" && lock.code == HMACSHA256.authenticate(message, keyInOrdinaryMemory: own))
  }

  @Test
  func `offline logins that do not fit into one report are sent in several, and those that were dropped are counted`()
    throws
  {
    _ = try login()
    var record = OfflineLoginRecord()
    let code = [UInt8](repeating: 0, count: 32)
    for _ in 0..<300 {
      record.add(
        .init(account: "mina", service: "su", time: 1, number: record.nextNumber(at: 1), code: code))
    }
    #expect(record.logins.count == 256 && record.dropped == 44 && record.logins.first?.number == 45)
    try record.store(in: state, owner: getuid())
    #expect(try waiting == record)
    for count in 1...8 {
      #expect(try login() == 0 && reports.count == count + 1)
      #expect(reports[count].offlineLogins.count == 32 && reports[count].droppedLogins == (count == 1 ? 44 : 0))
    }
    #expect(try waiting.logins.isEmpty && waiting.lastNumber == 300)
    #expect(reports.flatMap(\.offlineLogins).map(\.number) == Array(45...300))
  }

  @Test
  func `an offline login that cannot be recorded still succeeds, and none is recorded before the machine has joined`()
    throws
  {
    _ = try login()
    let turn = try MachineTurn(for: .offlineLogins, in: state, owner: getuid())
    #expect(try loginAway() == 0)
    withExtendedLifetime(turn) {}
    #expect(bench.log.lines.contains { $0.contains("the login without the server could not be recorded for a report") })
    try JoinRecord.remove(in: state, owner: getuid())
    #expect(try loginAway() == 0)
    #expect(try waiting == OfflineLoginRecord())
  }

  // MARK: uafctl check-in

  @Test func `uafctl check-in reports immediately, and prints the server's reply`() throws {
    _ = try login()
    (policy, news) = ((3, "a.b.c"), 9)
    let transcript = try operation()
    #expect(transcript.result == 0 && reports.count == 2)
    let time = bench.now.wallSeconds
    let device = try #require(deviceID)
    #expect(transcript.finished.document == #"{"device":"\#(device)","policy":3,"news":9,"time":\#(time)}"#)
    #expect(try record.told?.news == 9)
  }

  @Test func `uafctl check-in tells root why nothing is reported, and nobody else can use it`() throws {
    #expect(try operation(peer: 4242).result == 1001)
    bench.server.checkingIn = nil
    #expect(try operation().finished.text == "check-in: the server does not accept reports from machines")
    try JoinRecord.remove(in: state, owner: getuid())
    #expect(try operation().finished.text?.hasPrefix("This machine has not joined a server.") == true)
    bench.configuration = bench.configuration.replacing("[state]", with: "send_device = false\n[state]")
    #expect(try operation().result == 1001)
    #expect(reports.isEmpty)
  }

  @Test func `a machine that leaves its server forgets what it had not reported yet`() throws {
    _ = try login()
    #expect(try loginAway() == 0)
    bench.server.joining = { _ in
      TransportResponse(status: 200, contentType: "application/json", body: JoinAnswer(statusCode: .ok).jsonBytes)
    }
    var begin = bench.begin(.leave)
    begin.service = Array("uafctl".utf8)
    #expect(try bench.run(begin).result == 0)
    #expect(try record == CheckInRecord() && waiting == OfflineLoginRecord())
  }
}
