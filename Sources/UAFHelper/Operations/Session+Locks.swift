import Authenticator
import FidoResults
import UAFWire

/// What is told of locks: a line of its own in the log, and a record for the kernel's audit.
extension Session {
  /// A wrong entry has brought about a lock.
  func tell(_ lock: NewLock, of type: AuthenticatorType) {
    var line = lockLine(.lock, type)
    switch lock {
    case .temporary(let time):
      line.add(.lock, "temporary")
      line.add(.seconds, String(Self.seconds(time)))
    case .permanent: line.add(.lock, "permanent")
    }
    surroundings.log.write(line, .warning)
    audit(.tooManyFailures)
    let record: AuditEvent =
      switch (caller.origin, lock) {
      case (.remote, _): .lockedFromAfar
      case (.otherUser, _): .lockedForOthers
      case (.local, .temporary): .lockedForAWhile
      case (.local, .permanent): .locked
      }
    audit(record)
  }

  /// An attempt was refused because of a lock; nil for one without an end.
  func tellRefused(_ type: AuthenticatorType, for time: Duration?) {
    var line = lockLine(.locked, type)
    line.add(.lock, time == nil ? "permanent" : "temporary")
    line.add(.seconds, time.map { String(Self.seconds($0)) })
    surroundings.log.write(line, .warning)
  }

  /// A lock was found to be over.
  func tellEnded(_ type: AuthenticatorType, _ origin: AttemptOrigin) {
    var line = lockLine(.unlocked, type)
    line.add(.lock, "temporary")
    let what =
      switch origin {
      case .local: "the lock"
      case .remote: "the lock of remote attempts"
      case .otherUser: "the lock of other users' attempts"
      }
    line.add(.detail, "\(what) is over")
    surroundings.log.write(line, .notice)
    audit(.unlockedByTime)
  }

  /// Looser lock options wait while wrong entries stand (3015): said once a call, however often it is found.
  func tellWaitingLockOptions(of type: AuthenticatorType) {
    guard !hasToldLockOptions else { return }
    hasToldLockOptions = true
    let result = FidoResult.lockOptionsIgnored
    var line = lockLine(.policy, type)
    line.add(.result, String(result.code))
    line.add(.name, result.name)
    line.add(.detail, "looser lock options wait while wrong entries stand")
    surroundings.log.write(line, .notice)
  }

  /// Does what may take an account's values away, and has the audit told of a lock that went with one.
  func tellingRemovedLocks<Result>(
    of account: AccountFile, _ change: () throws(StateError) -> Result
  ) throws(StateError) -> Result {
    let before = locks(of: account)
    let result = try change()
    if !before.isSubset(of: locks(of: account)) { audit(.unlockedByRemoval) }
    return result
  }

  /// The authenticators that are locked, for attempts of any origin; none where that cannot be read, as it is for telling alone.
  func locks(of account: AccountFile?) -> Set<AuthenticatorType> {
    guard let account else { return [] }
    let now = surroundings.now()
    let locked = AuthenticatorType.allCases.filter { type in
      guard let ledger = try? account.ledger(type, at: now) else { return false }
      return AttemptOrigin.allCases.contains { origin in
        let policy = lockPolicy(type, uid: account.identity.uid, origin)
        return ledger.status(origin, at: now, policy: policy).isLocked
      }
    }
    return Set(locked)
  }

  /// Has the kernel's audit told of this account; after the end, because a kernel that is behind lets writers wait.
  func audit(_ event: AuditEvent) {
    guard let account else { return }
    auditRecords.append(
      AuditRecord(
        event: event, account: account.identity.name, terminal: caller.terminal, remoteHost: caller.remoteHost))
  }

  /// Writes the records.
  ///
  /// Where there is no audit that is no failure, and told to who looks for it.
  func writeAuditRecords() {
    guard !auditRecords.isEmpty else { return }
    let failure = surroundings.audit.write(auditRecords)
    auditRecords = []
    guard failure != 0 else { return }
    log(.audit, "the kernel takes no audit records (errno \(failure))", .debug)
  }

  private func lockLine(_ event: LogEvent, _ type: AuthenticatorType) -> LogLine {
    var line = LogLine(event)
    caller.describe(in: &line)
    line.add(.type, type.rawValue)
    return line
  }
}
