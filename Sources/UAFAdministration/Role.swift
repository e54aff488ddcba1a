/// What an administrator or a token may do, from little to everything.
package enum Role: String, CaseIterable, Sendable {
  case auditor
  case helpdesk
  case `operator`
  case administrator

  /// Whether somebody with this role may do something.
  package func allows(_ permission: Permission) -> Bool {
    switch permission {
    case .read: true
    case .enrol, .unlock: self == .helpdesk || self == .administrator
    case .revoke, .approve, .joinMachines, .manageAccounts: self == .operator || self == .administrator
    case .exportAudit: self == .auditor || self == .administrator
    case .managePolicies, .manageAccess, .manageServer: self == .administrator
    }
  }

  /// Whether somebody with this role may enrol accounts of the group ``AccountGroup/privileged``, and administrators.
  package var reachesPrivileged: Bool { self == .administrator }
}
