import UAFService

/// Why an operation was not done; nothing was changed.
package enum AdministrationRefusal: Error, Equatable, Sendable {
  /// The caller's role does not allow it.
  case notAllowed(Permission)
  /// Only an administrator who signs it in the console may do it, or who is at the server.
  case signatureNeeded
  /// The account is privileged, and the caller's role does not reach those.
  case privileged(account: String)
  /// No administrator could sign in afterwards.
  case lastAdministrator
  /// There is no account, machine, token or other thing of this name.
  case unknown(_ kind: String, name: String)
  /// There is one already, or it changed meanwhile.
  case conflict(_ reason: String)
  /// The audit has not been signed for too long, so a row of what was asked for could be removed.
  case auditUnsigned
  /// A value of the request breaks a rule.
  case invalid(field: String, reason: String)

  /// A text has a character that nobody sees, or that moves others, such as `U+202E`.
  static func hidden(_ character: String, field: String) -> AdministrationRefusal {
    .invalid(field: field, reason: "must not have the character \(character), which is invisible or reorders text")
  }
}

extension AdministrationRefusal: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAllowed(let permission): "the role does not allow this: it needs the permission \(permission)"
    case .signatureNeeded:
      "this needs an administrator's signature: do it in the console, or with 'uaf-server' at the server itself"
    case .privileged(let account): "\(account) is privileged: an administrator has to do this"
    case .lastAdministrator:
      "no administrator could sign in after this: give another person the role first, or use 'uaf-server' on the server"
    case .unknown("account", let name): "no account \(name); 'uaf-server users' lists them"
    case .unknown(let kind, let name): "no \(kind) \(name)"
    case .conflict(let reason): reason
    case .auditUnsigned:
      "the audit has not been signed for \(AuditGap.bound / 60) minutes: no remote changes now; see the server's log"
    case .invalid(let field, let reason): "\(field) \(reason)"
    }
  }
}
