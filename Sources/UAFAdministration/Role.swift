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

  /// Whether somebody with this role may act on accounts of the group ``AccountGroup/privileged``, and on administrators'.
  package var reachesPrivileged: Bool { self == .administrator }

  /// How long a token with this role may be good for, in seconds: the more it may do, the shorter.
  package var longestToken: Int64 {
    switch self {
    case .auditor: 31_622_400
    case .helpdesk: 7_776_000
    case .operator: 2_592_000
    case .administrator: 604_800
    }
  }
}
