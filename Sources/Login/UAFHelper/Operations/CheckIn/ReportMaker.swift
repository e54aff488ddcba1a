import AuthenticatorTypes
import Authenticator
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages

/// Makes the report that this machine sends about itself.
struct ReportMaker {
  let policy: CallPolicy
  let folder: StateFolder
  let followed: FollowedPolicy
  let now: () -> BootTime

  /// How many accounts' files are read at most.
  ///
  /// If a machine has more accounts, some locks are not reported.
  private static let mostAccounts = 256
  /// From how many wrong values in a row on an authenticator is reported.
  ///
  /// One or two are a person's slips.
  static let wrongValuesTold = 3

  /// The locks and the wrong values in a row of one or all accounts.
  private struct Troubles {
    var locks: [ReportedLock] = []
    var wrongValues: [ReportedAttempts] = []
  }

  /// The report without its nonces.
  ///
  /// - Throws: ``Ending`` if the state folder cannot be opened.
  func report(
    _ device: DeviceContext, _ offline: OfflineLoginRecord, as joined: JoinRecord
  ) throws(Ending) -> MachineReport {
    var report = MachineReport(module: HelperVersion.current, nextMark: [])
    report.deviceID = device.id
    (report.deviceName, report.deviceModel, report.deviceOS) = (device.name, device.model, device.operatingSystem)
    report.policy = followed.version
    let troubles = try troubles(as: joined)
    // What is hidden comes last, so that it does not change which of the others are named.
    let locks = troubles.locks.filter { !isHidden($0.origin) } + troubles.locks.filter { isHidden($0.origin) }
    let wrongValues =
      troubles.wrongValues.filter { !isHidden($0.origin) } + troubles.wrongValues.filter { isHidden($0.origin) }
    report.locks = Array(locks.prefix(MachineReport.mostLocks))
    report.moreLocks = locks.count - report.locks.count
    report.wrongValues = Array(wrongValues.prefix(MachineReport.mostLocks))
    report.moreWrongValues = wrongValues.count - report.wrongValues.count
    report.offlineLogins = offline.logins.prefix(MachineReport.mostOfflineLogins).map {
      OfflineLoginNote(
        account: $0.account, service: $0.service, time: $0.time, number: $0.number, code: $0.code)
    }
    report.droppedLogins = Int(clamping: min(offline.dropped, UInt32(Int32.max)))
    return report
  }

  // MARK: What makes a report due

  /// The SHA-256 of a report's content: without nonces, offline logins and doctor's findings, without what is hidden, and
  /// without the times at which locks end, because setting the clock changes those.
  ///
  /// If a lock that is hidden began, ended, or was never there, the hash is the same. So an observer of the network, who sees
  /// whether a login is followed by a report, does not learn which names have an account.
  func hash(_ report: MachineReport) -> [UInt8]? {
    var report = shown(report)
    (report.mark, report.nextMark, report.offlineLogins, report.droppedLogins) = (nil, [], [], 0)
    report.findings = nil
    report.locks = report.locks.map {
      ReportedLock(account: $0.account, type: $0.type, origin: $0.origin, until: $0.until == nil ? nil : 0)
    }
    return try? SHA256.hash(report.json.bytes)
  }

  /// Whether a report says something about locks or wrong values that is not hidden, and differs from the last report.
  func hasNewTroubles(_ report: MachineReport, since told: CheckInRecord.Told?) -> Bool {
    let shown = shown(report)
    guard !shown.locks.isEmpty || !shown.wrongValues.isEmpty else { return false }
    return hash(report).map { $0 != told?.hash } ?? true
  }

  /// A report without the locks and wrong values of attempts for which some service hides the state of accounts.
  private func shown(_ report: MachineReport) -> MachineReport {
    var shown = report
    shown.locks.removeAll { isHidden($0.origin) }
    shown.wrongValues.removeAll { isHidden($0.origin) }
    // What is beyond the lists may be hidden, too.
    if ReportedLock.Origin.allCases.contains(where: isHidden) { (shown.moreLocks, shown.moreWrongValues) = (0, 0) }
    return shown
  }

  private func isHidden(_ origin: ReportedLock.Origin) -> Bool {
    policy.configuration.hidesStates(remote: origin == .remote)
  }

  // MARK: Locks and wrong values

  /// The locks and wrong values of all accounts.
  ///
  /// A file that cannot be read is skipped: the logins of that account report the failure.
  private func troubles(as joined: JoinRecord) throws(Ending) -> Troubles {
    let directory = try folder.open()
    var all = Troubles()
    guard let numbers = try? AccountNumbers.all(in: directory) else { return all }
    for uid in numbers.prefix(Self.mostAccounts) {
      guard let account = try? AccountFile.open(in: directory, uid: uid, name: nil, serverUserName: { _ in nil })
      else { continue }
      let codes = AccountCodes(of: account, on: joined)
      all.locks += locks(of: account, codes)
      all.wrongValues += wrongValues(of: account, codes)
    }
    return all
  }

  private func wrongValues(of account: AccountFile, _ codes: AccountCodes) -> [ReportedAttempts] {
    policy.enabledTypes.flatMap { type -> [ReportedAttempts] in
      guard let ledger = try? account.ledger(type) else { return [] }
      return AttemptOrigin.allCases.compactMap { origin in
        let count = ledger.wrongEntries(origin)
        guard count >= Self.wrongValuesTold else { return nil }
        var attempts = ReportedAttempts(
          account: account.identity.serverUserName, type: type.rawValue, origin: Self.origin(origin), count: count)
        attempts.code = codes.code(of: attempts)
        return attempts
      }
    }
  }

  private func locks(of account: AccountFile, _ codes: AccountCodes) -> [ReportedLock] {
    let moment = now()
    return policy.enabledTypes.flatMap { type -> [ReportedLock] in
      guard let ledger = try? account.ledger(type) else { return [] }
      func status(_ origin: AttemptOrigin) -> LockStatus {
        ledger.status(origin, at: moment, policy: policy.lockPolicy(type, uid: account.identity.uid, origin))
      }
      let local = status(.local)
      return AttemptOrigin.allCases.compactMap { origin in
        let found = status(origin)
        // A local lock stops the attempts of every origin, so it is reported only once.
        guard found.isLocked, origin == .local || found != local else { return nil }
        var lock = ReportedLock(
          account: account.identity.serverUserName, type: type.rawValue, origin: Self.origin(origin),
          until: found.isPermanent ? nil : moment.wallSeconds &+ Int64(found.remainingLock?.secondsTold ?? 0))
        lock.code = codes.code(of: lock)
        return lock
      }
    }
  }

  private static func origin(_ origin: AttemptOrigin) -> ReportedLock.Origin {
    switch origin {
    case .local: .local
    case .remote: .remote
    case .otherUser: .otherUser
    }
  }
}
