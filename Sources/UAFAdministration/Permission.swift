/// What a role is asked for.
package enum Permission: CaseIterable, Sendable {
  /// See accounts, machines, policies, the audit, and the server's state.
  case read
  /// Give out enrolment codes.
  case enrol
  /// Give out unlocks of accounts that machines have locked.
  case unlock
  /// Revoke keys and machines.
  case revoke
  /// Ask a person to confirm a text.
  case approve
  /// Issue and close the codes with which machines join.
  case joinMachines
  /// Add, disable, lock and delete accounts.
  case manageAccounts
  /// Take the whole audit out of the server.
  case exportAudit
  /// Change what authenticators accounts use.
  case managePolicies
  /// Change administrators and tokens.
  case manageAccess
  /// Rotate keys, make backups.
  case manageServer
}
