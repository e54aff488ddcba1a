/// What a row of the audit is about.
///
/// A name and no case of an enum: rows of a later version have further names, and are read all the same.
package struct AuditKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }
}

extension AuditKind {
  // What people did.
  package static let login = AuditKind(rawValue: "login")
  package static let confirmation = AuditKind(rawValue: "confirmation")
  package static let denial = AuditKind(rawValue: "denial")
  package static let registration = AuditKind(rawValue: "registration")
  package static let deregistration = AuditKind(rawValue: "deregistration")
  /// Refusals without a row of their own, counted.
  package static let refusals = AuditKind(rawValue: "refusals")
  // What was done to accounts.
  package static let enrolmentCode = AuditKind(rawValue: "enrolment-code")
  package static let enrolmentClosure = AuditKind(rawValue: "enrolment-closure")
  package static let approvalCode = AuditKind(rawValue: "approval-code")
  package static let approvalClosure = AuditKind(rawValue: "approval-closure")
  package static let accountCreation = AuditKind(rawValue: "account-creation")
  package static let accountDeletion = AuditKind(rawValue: "account-deletion")
  package static let revocation = AuditKind(rawValue: "revocation")
  package static let accountDisabled = AuditKind(rawValue: "account-disabled")
  package static let accountLocked = AuditKind(rawValue: "account-locked")
  package static let accountEnabled = AuditKind(rawValue: "account-enabled")
  /// An unlock for the account on one machine was given out.
  package static let unlock = AuditKind(rawValue: "unlock")
  // What was done with machines.
  package static let joinCode = AuditKind(rawValue: "join-code")
  package static let joinCodeClosure = AuditKind(rawValue: "join-code-closure")
  package static let machineJoin = AuditKind(rawValue: "machine-join")
  package static let machineLeave = AuditKind(rawValue: "machine-leave")
  /// What a machine says of itself has changed.
  package static let machineCheckIn = AuditKind(rawValue: "machine-checkin")
  /// Two machines have the state of one, or an older state of a machine was restored.
  package static let machineCopied = AuditKind(rawValue: "machine-copied")
  /// A machine says that it let somebody in without the server.
  package static let offlineLogin = AuditKind(rawValue: "offline-login")
  /// A policy for the workstations of a group was saved.
  package static let machinePolicy = AuditKind(rawValue: "machine-policy")
  // What was done to those who administer.
  package static let tokenCreation = AuditKind(rawValue: "token-creation")
  package static let tokenRevocation = AuditKind(rawValue: "token-revocation")
  package static let administratorChange = AuditKind(rawValue: "administrator-change")
  package static let administratorRemoval = AuditKind(rawValue: "administrator-removal")
  package static let consoleSignIn = AuditKind(rawValue: "console-sign-in")
  package static let consoleSignOut = AuditKind(rawValue: "console-sign-out")
  // What was done to the server.
  package static let serverStart = AuditKind(rawValue: "server-start")
  package static let serverStop = AuditKind(rawValue: "server-stop")
  package static let keysRead = AuditKind(rawValue: "keys-read")
  package static let policy = AuditKind(rawValue: "policy")
  package static let keyRotation = AuditKind(rawValue: "key-rotation")
  package static let decoysReplaced = AuditKind(rawValue: "decoys-replaced")
  package static let backup = AuditKind(rawValue: "backup")
  package static let storeExport = AuditKind(rawValue: "export")
  /// The store was made from an export: what happened at the old one since then is not in the audit.
  package static let storeImport = AuditKind(rawValue: "import")
  /// The store was moved here from another kind of store, with all its rows.
  package static let storeMove = AuditKind(rawValue: "migration")
  /// The store had been moved away, and was taken back as it was then.
  package static let moveAbandoned = AuditKind(rawValue: "migration-abandoned")
  /// The store was put in the place of a newer one: what happened between is not in the audit.
  package static let restore = AuditKind(rawValue: "restore")
  // What was done to the audit.
  package static let export = AuditKind(rawValue: "audit-export")
  package static let removal = AuditKind(rawValue: "audit-removal")
  /// The server has found that signed rows are gone or others.
  package static let broken = AuditKind(rawValue: "audit-broken")
  /// For a time nothing was signed: rows of that time could be written anew.
  package static let unsigned = AuditKind(rawValue: "audit-unsigned")
}
