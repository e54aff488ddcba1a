/// What is written to the kernel's audit: the record types of libaudit.h, and their `op=`.
enum AuditEvent: CaseIterable {
  /// AUDIT_ANOM_LOGIN_FAILURES: the limit of wrong entries is reached.
  case tooManyFailures
  /// AUDIT_RESP_ACCT_LOCK_TIMED: locked for a while.
  case lockedForAWhile
  /// AUDIT_RESP_ACCT_LOCK: locked until somebody unlocks.
  case locked
  /// AUDIT_RESP_ACCT_REMOTE: locked for attempts over the network.
  case lockedFromAfar
  /// AUDIT_RESP_ACCT_LOCK_TIMED: locked for other local users for a while.
  case lockedForOthers
  /// AUDIT_RESP_ACCT_UNLOCK_TIMED: a lock was found to be over.
  case unlockedByTime
  /// AUDIT_ACCT_UNLOCK: root has unlocked.
  case unlockedByRoot
  /// AUDIT_ACCT_UNLOCK: an unlock of the server's helpdesk was used.
  case unlockedByHelpdesk
  /// AUDIT_ACCT_UNLOCK: a lock was removed together with the value it protected.
  case unlockedByRemoval
  /// AUDIT_USER_MGMT: another name of the account has taken its registration over.
  case renamed

  /// The record's number.
  var type: UInt16 {
    switch self {
    case .tooManyFailures: 2100
    case .lockedForAWhile, .lockedForOthers: 2205
    case .locked: 2207
    case .lockedFromAfar: 2204
    case .unlockedByTime: 2206
    case .unlockedByRoot, .unlockedByHelpdesk, .unlockedByRemoval: 1136
    case .renamed: 1102
    }
  }

  /// What was done.
  var operation: String {
    switch self {
    case .tooManyFailures: "pam_uaf:failures"
    case .lockedForAWhile: "pam_uaf:lock-timed"
    case .locked: "pam_uaf:lock"
    case .lockedFromAfar: "pam_uaf:lock-remote"
    case .lockedForOthers: "pam_uaf:lock-other-user"
    case .unlockedByTime: "pam_uaf:unlock-timed"
    case .unlockedByRoot: "pam_uaf:unlock"
    case .unlockedByHelpdesk: "pam_uaf:unlock-helpdesk"
    case .unlockedByRemoval: "pam_uaf:unlock-removed"
    case .renamed: "pam_uaf:rename"
    }
  }
}
