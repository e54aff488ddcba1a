import AuthenticatorTypes
import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

/// Reports this machine's condition to the server that it has joined (docs/protocol.md, "Check-in").
struct CheckIn {
  let folder: StateFolder
  let server: ServerAccess
  let followed: FollowedPolicy
  let maker: ReportMaker
  let log: CallLog
  let now: () -> BootTime

  /// How long to wait for the server after a login.
  private static let patience = Duration.seconds(3)

  /// After a login that the server accepted, reports to the server if a report is due.
  ///
  /// The person is already logged in, so failures are only logged.
  ///
  /// - Parameter news: the number of the server's latest notice, which came with the login.
  func afterLogin(news: Int64?) {
    afterwards { (record, joined, settings) throws(Ending) in
      let rule = CheckInRule(record: record, news: news, now: now().wallSeconds)
      guard !rule.isTooSoon else { return }
      let report = try self.report(try offlineLogins(), joined, settings)
      let hasLogins = !report.offlineLogins.isEmpty || report.droppedLogins > 0
      guard rule.isDue(hasLogins: hasLogins) || maker.hash(report).map(rule.isDue) ?? true else { return }
      try tellPatiently(report, record, joined, settings)
    }
  }

  /// After a login that ended here with a wrong value or a lock, reports to the server if there is something new to tell about
  /// locks and wrong values.
  ///
  /// The person has the answer already, so failures are only logged. At most one such report is sent in
  /// ``CheckInRule/pause`` seconds.
  ///
  /// - Parameter hidesState: whether the caller must not learn whether the account exists. Then a report is sent, now or after
  ///   the next login, whatever there is to tell: an observer of the network sees the same after a wrong value for a made-up
  ///   name.
  func afterRefusal(hidesState: Bool) {
    afterwards { (before, joined, settings) throws(Ending) in
      var record = before
      record.owesReport = before.owesReport || hidesState
      guard !CheckInRule(record: record, news: nil, now: now().wallSeconds).isTooSoonAfterRefusal else {
        if record != before { try store(record) }
        return
      }
      let report = try self.report(try offlineLogins(), joined, settings)
      guard hidesState || maker.hasNewTroubles(report, since: record.told) else { return }
      try tellPatiently(report, record, joined, settings)
    }
  }

  /// Does the work of a check-in that nobody waits for, unless this machine reports nothing, or another check-in is under way.
  ///
  /// The machine cannot join or leave meanwhile.
  private func afterwards(_ work: (CheckInRecord, JoinRecord, ServerSettings) throws(Ending) -> Void) {
    guard let settings = try? server.settings(), settings.sendsDevice, (try? server.joined(settings)) != nil
    else { return }
    do throws(Ending) {
      guard let turn = try turn() else { return }
      defer { withExtendedLifetime(turn) {} }
      // Before this call had its turn, the machine may have left the server, or joined again.
      guard let joined = try server.joined(settings) else { return }
      try work(try record(), joined, settings)
    } catch { log.write(.checkIn, error.log, .warning) }
  }

  private func tellPatiently(
    _ report: MachineReport, _ record: CheckInRecord, _ joined: JoinRecord, _ settings: ServerSettings
  ) throws(Ending) {
    let answer = try tell(report, record, joined, settings.waiting(atMost: Self.patience))
    _ = learn(answer)
  }

  /// Reports to the server now.
  ///
  /// - Parameter findings: the IDs of doctor's failures; nil if doctor has not looked.
  /// - Throws: ``Ending`` if the machine has not joined a server, is not allowed to report, or the server did not accept the
  ///   report.
  func atOnce(_ settings: ServerSettings, findings: [String]? = nil) throws(Ending) -> CheckInFlow.Answer {
    guard settings.sendsDevice else {
      throw Ending(.invalidParameter, because: .joinUntold, log: "check-in: server.send_device = false")
    }
    _ = try requireJoined(settings)
    guard let turn = try turn() else {
      throw Self.ending("another one is under way; try again in a moment", korean: "이미 알리는 중입니다. 잠시 뒤 다시 시도하십시오")
    }
    defer { withExtendedLifetime(turn) {} }
    // Before this call had its turn, the machine may have left the server, or joined again.
    let joined = try requireJoined(settings)
    var report = try self.report(try offlineLogins(), joined, settings)
    report.findings = findings
    let answer = try tell(report, try record(), joined, settings)
    // So the server knows at once that this machine has what it announced. A login leaves that to the next one.
    if learn(answer) {
      do throws(Ending) {
        var report = try self.report(try offlineLogins(), joined, settings)
        report.findings = findings
        _ = try tell(report, try record(), joined, settings)
      } catch { log.write(.checkIn, error.log, .warning) }
    }
    return answer
  }

  private func requireJoined(_ settings: ServerSettings) throws(Ending) -> JoinRecord {
    guard let joined = try server.joined(settings) else {
      throw Ending(.requestNotExist, because: .notJoined, log: "check-in: this machine has not joined this server")
    }
    return joined
  }

  private func report(
    _ offline: OfflineLoginRecord, _ joined: JoinRecord, _ settings: ServerSettings
  ) throws(Ending) -> MachineReport {
    var report = try maker.report(try server.clientSettings(settings).device, offline, as: joined)
    report.trust = server.trust?.known
    return report
  }

  // MARK: The server's keys

  /// Takes what the server has said about its keys and authorities.
  ///
  /// A statement that is not used is only logged: the check-in itself has succeeded.
  ///
  /// - Returns: whether the machine knows more or less than before.
  private func learn(_ answer: CheckInFlow.Answer) -> Bool {
    func refuse(_ why: String) -> Bool {
      log.write(.serverKeys, "the server's statement about its keys is not used: \(why)", .warning)
      return false
    }
    let (trust, outcome): (ServerTrust, TrustIntake.Outcome)
    switch answer.trust {
    case nil: return false
    case .refused(let fault)?: return refuse("it \(fault.rawValue)")
    case .signed(let statement, let signer)?:
      do throws(StateError) {
        guard let stored = try server.storedTrust() else { return false }
        trust = stored
      } catch { return refuse("\(error)") }
      // Another call may have learned in the meantime that this key has ended.
      guard trust.keys?.contains(signer) == true else { return refuse("it \(SignedTrust.Fault.unsigned.rawValue)") }
      do throws(TrustIntake.Refusal) {
        outcome = try TrustIntake(trust: trust).outcome(of: statement, signedBy: signer)
      } catch { return refuse(error.rawValue) }
    }
    if outcome.leavesOutAuthorities {
      log.write(.serverKeys, "the server's new authorities are left out: there would be too many", .warning)
    }
    let record = outcome.record
    // What root's files have made void is written too, so that it is reported once.
    let isNew = record.keys != trust.record.keys || record.authorities != trust.record.authorities
    guard isNew || trust.note != nil else { return false }
    do throws(StateError) { try server.learn(record) } catch {
      log.write(.serverKeys, "the server's keys are not stored: \(error)", .warning)
      return false
    }
    log.write(.serverKeys, "the server's keys and authorities: \(record.summary)", .notice)
    return true
  }

  // MARK: One report

  /// Sends a report, and stores the server's answer.
  ///
  /// The report's nonce is on the disk before the report is sent. So if no answer arrives, the next report carries the same
  /// nonce.
  private func tell(
    _ content: MachineReport, _ before: CheckInRecord, _ joined: JoinRecord, _ settings: ServerSettings
  ) throws(Ending) -> CheckInFlow.Answer {
    let hash = maker.hash(content)
    var (record, report) = (before, content)
    guard let next = before.nextMark ?? (try? RandomBytes.make(MachineReport.markByteCount)) else {
      throw Self.ending("no random bytes", korean: "난수를 얻지 못했습니다")
    }
    (record.nextMark, record.sentAt) = (next, now().wallSeconds)
    try store(record)
    (report.mark, report.nextMark) = (record.mark, next)
    let request = CheckInRequest(report).fitting
    let answer = try exchange(request, joined, settings)
    record = CheckInRecord()
    record.mark = next
    record.told = hash.map { .init(hash: $0, at: now().wallSeconds, news: answer.statement.news) }
    try store(record)
    forgetUnknown()
    try removeTold(request.report)
    do throws(Ending) { try followed.take(answer) } catch {
      log.write(.checkIn, "the server's policy is not used: \(error.log)", .warning)
    }
    return answer
  }

  private func exchange(
    _ request: CheckInRequest, _ joined: JoinRecord, _ settings: ServerSettings
  ) throws(Ending) -> CheckInFlow.Answer {
    guard let publicKeys = server.verdictKeys else {
      throw .configuration("check-in: server.require_signed_verdict and server.verdict_key are needed")
    }
    let client = try server.clientSettings(settings)
    let body = request.paddedBytes
    guard let url = OwnRoute.machine.url(beside: client.authentication.requestURL), let deviceID = client.device.id,
      let hash = try? SHA256.hash(body), let prover = try? MachineProver(joined.machine, from: .local, now: now),
      let proof = prover.make(.checkIn(bodyHash: hash))
    else { throw Self.ending("no proof could be sent to the server", korean: "서버에 증명할 수 없습니다") }
    let network = try server.network(settings, for: nil)
    let flow = CheckInFlow(deviceID: deviceID, publicKeys: publicKeys)
    do throws(CheckInFlow.Fault) {
      return try flow.tell(body, at: url, proof: proof, over: network) { now().wallSeconds }
    } catch {
      if error == .unknown { noteUnknown() }
      throw Self.ending(error)
    }
  }

  /// Records that the server does not know this machine, for `uafctl doctor`; the first time stays.
  private func noteUnknown() {
    do throws(StateError) {
      guard try UnknownRecord.read(in: folder.path, owner: folder.owner) == nil else { return }
      try UnknownRecord(since: now().wallSeconds).store(in: folder.path, owner: folder.owner)
    } catch {
      log.write(.checkIn, "it could not be recorded that the server does not know this machine: \(error)", .warning)
    }
  }

  /// Removes that record, because the server has accepted a report.
  ///
  /// A failure is only logged: the check-in itself has succeeded.
  private func forgetUnknown() {
    do throws(StateError) { try UnknownRecord.remove(in: folder.path, owner: folder.owner) } catch {
      log.write(.checkIn, "it could not be recorded that the server knows this machine: \(error)", .warning)
    }
  }

  // MARK: The files

  private func turn() throws(Ending) -> MachineTurn? {
    do throws(StateError) { return try MachineTurn(for: .checkIn, in: folder.path, owner: folder.owner) } catch {
      guard error != .superseded else { return nil }
      throw Self.ending(error)
    }
  }

  private func record() throws(Ending) -> CheckInRecord {
    do throws(StateError) { return try CheckInRecord.read(in: folder.path, owner: folder.owner) } catch {
      throw Self.ending(error)
    }
  }

  private func store(_ record: CheckInRecord) throws(Ending) {
    do throws(StateError) { try record.store(in: folder.path, owner: folder.owner) } catch {
      throw Self.ending(error)
    }
  }

  private func offlineLogins() throws(Ending) -> OfflineLoginRecord {
    do throws(StateError) { return try OfflineLoginRecord.read(in: folder.path, owner: folder.owner) } catch {
      throw Self.ending(error)
    }
  }

  /// Removes the logins that were reported to the server from the list.
  ///
  /// If another call is writing the list at this moment, they stay, and are reported again. That does no harm, because the
  /// server accepts each login only once.
  private func removeTold(_ report: MachineReport) throws(Ending) {
    guard !report.offlineLogins.isEmpty || report.droppedLogins > 0 else { return }
    do throws(StateError) {
      let turn = try MachineTurn(for: .offlineLogins, in: folder.path, owner: folder.owner)
      defer { withExtendedLifetime(turn) {} }
      var offline = try OfflineLoginRecord.read(in: folder.path, owner: folder.owner)
      offline.removeTold(
        through: report.offlineLogins.last?.number, dropped: UInt32(clamping: report.droppedLogins))
      try offline.store(in: folder.path, owner: folder.owner)
    } catch {
      guard error != .superseded else { return }
      throw Self.ending(error)
    }
  }

  /// The ending of a failed check-in.
  ///
  /// Only root's uafctl and the log show the reason.
  private static func ending(_ why: String, korean: String) -> Ending {
    Ending(.cannotUse, detail: told(RootText(why, korean: korean)), log: "check-in: \(why)")
  }

  private static func ending(_ error: StateError) -> Ending {
    Ending(.cannotUse, detail: told(RootText(error)), log: "check-in: \(error)")
  }

  private static func ending(_ fault: CheckInFlow.Fault) -> Ending {
    Ending(.noAnswer, detail: told(RootText("\(fault)", korean: fault.korean)), log: "check-in: \(fault)")
  }

  private static func told(_ why: RootText) -> RootText { why.after(english: "check-in", korean: "상태 알리기") }
}

extension TrustRecord {
  /// What the server has announced and ended, by name.
  var summary: String {
    func names(_ entries: [Entry], _ name: ([UInt8]) -> String?) -> [String] {
      entries.map { "\($0.endedAt == nil ? "accepted" : "ended") \(name($0.bytes) ?? "?")" }
    }
    return (names(keys, TrustName.keyID) + names(authorities, TrustName.fingerprint)).joined(separator: ", ")
  }
}

/// Reports this machine's condition to the server now, even if nothing has changed; only root may do this.
struct CheckInOperation: CallOperation {
  let call: Call
  let folder: StateFolder
  let server: ServerAccess
  let checkIn: CheckIn

  func run() throws(Ending) -> Success {
    _ = try folder.open()
    let settings = try server.settings()
    let answer = try checkIn.atOnce(settings, findings: try findings())
    var document: JSONObject = ["device": .string(answer.statement.claims.deviceID)]
    document.set("policy", answer.statement.policy.map(JSONValue.integer))
    document.set("news", answer.statement.news.map(JSONValue.integer))
    document.set("time", .integer(answer.statement.claims.issuedAt))
    return Success(document: JSONValue.object(document).text)
  }

  /// The IDs of doctor's failures, which root's `uafctl` sends; nil if it sends none.
  private func findings() throws(Ending) -> [String]? {
    guard let payload = call.begin.payload else { return nil }
    guard let json = try? JSONValue(parsing: payload), let ids = try? FindingList.read(json, path: "findings") else {
      throw Ending(.invalidParameter, log: "check-in: the payload is no list of findings")
    }
    return ids
  }
}

/// Decides whether a machine checks in after a login.
struct CheckInRule {
  /// After this many seconds, a machine checks in even if nothing has changed.
  static let interval: Int64 = 3600
  /// If the server did not answer a report, no other report is sent for this many seconds.
  static let pause: Int64 = 300

  /// What the machine has reported before.
  let record: CheckInRecord
  /// The number of the server's latest notice, which came with the login; nil if there is none.
  let news: Int64?
  /// The current time, in seconds since 1970.
  let now: Int64

  /// Whether it is too soon to send another report.
  ///
  /// If the clock was set back, it is not.
  var isTooSoon: Bool { record.sentAt.map { (0..<Self.pause).contains(now &- $0) } ?? false }

  /// Whether it is too soon to report after a login that was refused here.
  ///
  /// Anybody can cause such logins.
  var isTooSoonAfterRefusal: Bool {
    isTooSoon || record.told.map { (0..<Self.pause).contains(now &- $0.at) } ?? false
  }

  /// Whether a report is due regardless of its content.
  ///
  /// After a refused login whose account's state is hidden, one always is.
  ///
  /// - Parameter hasLogins: whether there are logins without the server to report.
  func isDue(hasLogins: Bool) -> Bool {
    guard let told = record.told, !record.owesReport else { return true }
    let isRecent = (0..<Self.interval).contains(now &- told.at)
    return !isRecent || hasLogins || news != nil && news != told.news
  }

  /// Whether a report is due because its content differs from the last one.
  ///
  /// - Parameter hash: the hash of the report.
  func isDue(hash: [UInt8]) -> Bool { record.told?.hash != hash }
}

/// The workstation policy of the server that this machine has joined: a check-in reports its version, and may bring a new one.
struct FollowedPolicy {
  let keeper: PolicyKeeper
  let standing: PolicyStanding
  let server: ServerAccess
  let log: CallLog
  let now: () -> BootTime

  /// The version to report to the server: 0 requests the server's current policy, nil requests none
  /// (``PolicyKeeper/toldVersion(_:at:)``).
  var version: Int64? { keeper.toldVersion(standing.policy, at: now().wallSeconds) }

  /// Stores the policy in the server's answer, if there is one.
  ///
  /// It applies from the next call on.
  ///
  /// - Throws: ``Ending`` if the policy is not acceptable. The check-in itself has succeeded even then.
  func take(_ answer: CheckInFlow.Answer) throws(Ending) {
    guard let token = answer.policy else { return }
    switch keeper.take(Array(token.utf8), publicKeys: server.verdictKeys ?? [], at: now().wallSeconds) {
    case .kept(let version): log.write(.serverPolicy, "policy \(version) applies from the next call on", .notice)
    case .refused(let why): throw Ending(.invalidParameter, log: why)
    }
  }
}
