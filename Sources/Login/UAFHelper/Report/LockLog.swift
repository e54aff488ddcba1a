import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFWire

/// Reports events of locks, as lines in the log and records for the kernel's audit.
final class LockLog {
  private let call: Call
  private let log: CallLog
  /// Whether this call has already logged that looser lock options have no effect yet (3015).
  private var hasToldOptions = false

  init(of call: Call, _ log: CallLog) {
    self.call = call
    self.log = log
  }

  /// Reports that a wrong entry has caused a lock.
  func made(_ lock: NewLock, of type: AuthenticatorType, _ account: AccountIdentity) {
    write(.lock, type, .warning) { line in
      switch lock {
      case .temporary(let time):
        line.add(.lock, "temporary")
        line.add(.seconds, String(time.secondsTold))
      case .permanent: line.add(.lock, "permanent")
      }
    }
    log.audit(.tooManyFailures, of: account)
    let event: AuditEvent =
      switch (call.caller.origin, lock) {
      case (.remote, _): .lockedFromAfar
      case (.otherUser, _): .lockedForOthers
      case (.local, .temporary): .lockedForAWhile
      case (.local, .permanent): .locked
      }
    log.audit(event, of: account)
  }

  /// Reports that an attempt was refused because of a lock.
  ///
  /// - Parameter time: how long the lock will still last; nil for a permanent one.
  func refused(_ type: AuthenticatorType, for time: Duration?) {
    write(.locked, type, .warning) { line in
      line.add(.lock, time == nil ? "permanent" : "temporary")
      line.add(.seconds, time.map { String($0.secondsTold) })
    }
  }

  /// Reports that a lock was found to have ended.
  func ended(_ type: AuthenticatorType, _ origin: AttemptOrigin, _ account: AccountIdentity) {
    let what =
      switch origin {
      case .local: "the lock"
      case .remote: "the lock of remote attempts"
      case .otherUser: "the lock of other users' attempts"
      }
    write(.unlocked, type, .notice) { line in
      line.add(.lock, "temporary")
      line.add(.detail, "\(what) is over")
    }
    log.audit(.unlockedByTime, of: account)
  }

  /// Reports that looser lock options have no effect yet, because wrong entries were counted under stricter ones (3015).
  ///
  /// This is logged only once in a call.
  func optionsWait(_ type: AuthenticatorType) {
    guard !hasToldOptions else { return }
    hasToldOptions = true
    let result = FidoResult.lockOptionsIgnored
    write(.policy, type, .notice) { line in
      line.add(.result, String(result.code))
      line.add(.name, result.name)
      line.add(.detail, "looser lock options do not apply until the count of wrong entries is zero")
    }
  }

  /// Reports that a lock was removed together with the authenticator that it protected.
  func removed(_ account: AccountIdentity) { log.audit(.unlockedByRemoval, of: account) }

  private func write(
    _ event: LogEvent, _ type: AuthenticatorType, _ level: LogLevel, _ parts: (inout LogLine) -> Void
  ) {
    log.write(event, level) { line in
      line.add(.type, type.rawValue)
      parts(&line)
    }
  }
}
