import UAFService

/// Somebody who requests an operation.
package struct Caller: Equatable, Sendable {
  /// The caller, as the audit records them.
  package let actor: AuditActor
  package let role: Role
  /// The caller's address for the audit; empty on this machine.
  package let address: String
  /// SHA-256 of the token of the caller's console session; nil for callers who do not use the console.
  package let session: [UInt8]?
  /// Whether the caller has signed the current request.
  private let hasSigned: Bool

  package init(
    actor: AuditActor, role: Role, address: String, session: [UInt8]? = nil, hasSigned: Bool = false
  ) {
    self.actor = actor
    self.role = role
    self.address = address
    self.session = session
    self.hasSigned = hasSigned
  }

  /// The server itself, for example when it withdraws codes that nobody has received.
  static let server = Caller(actor: .server, role: .administrator, address: "")

  /// The same caller after they have signed the step that is performed next.
  package var havingSigned: Caller {
    Caller(actor: actor, role: role, address: address, session: session, hasSigned: true)
  }

  /// Whether the caller could change the store directly: root, or the server's own user.
  var isAtServer: Bool {
    switch actor {
    case .commandLine, .server: true
    case .person, .machine, .token, .administrator, .directory: false
    }
  }

  /// Whether this caller can issue codes for privileged accounts.
  ///
  /// A key that is registered with such a code is accepted for the steps of administrators.
  ///
  /// A token or a session is not enough: a thief could use the code to register a key of their own and become an administrator.
  var vouches: Bool { role.reachesPrivileged && (hasSigned || isAtServer) }

  /// The words in an approval's text that say who asks.
  var introduction: String {
    switch actor {
    case .administrator(let name): "\(role.rawValue) \(name)"
    case .commandLine(let uid, _): uid == 0 ? "root at the server" : "uid \(uid) at the server"
    case .person, .server, .machine, .token, .directory: actor.text
    }
  }

  /// - Throws: ``AdministrationRefusal/notAllowed(_:)``.
  @discardableResult
  package func require(_ permission: Permission) throws(AdministrationRefusal) -> PermittedCaller {
    guard role.allows(permission) else { throw .notAllowed(permission) }
    return PermittedCaller(caller: self, permission: permission)
  }

  /// - Throws: ``AdministrationRefusal/signatureNeeded``.
  func requireSignature() throws(AdministrationRefusal) {
    guard hasSigned || isAtServer else { throw .signatureNeeded }
  }
}

/// A caller whose role allows an operation.
///
/// Changes are made only for such callers.
///
/// Only ``Caller/require(_:)`` makes one. So no operation can forget to check its permission.
package struct PermittedCaller: Sendable {
  let caller: Caller
  let permission: Permission

  fileprivate init(caller: Caller, permission: Permission) {
    self.caller = caller
    self.permission = permission
  }
}

/// The role of an administrator or a token.
package enum Role: String, CaseIterable, Sendable {
  case auditor
  case helpdesk
  case `operator`
  case administrator
  /// The role of programs that provision accounts by SCIM, which may do nothing else. No person has it.
  case provisioning

  /// The roles that a person may have.
  package static let ofPeople: [Role] = [.auditor, .helpdesk, .operator, .administrator]

  /// Whether this role has a permission.
  package func allows(_ permission: Permission) -> Bool {
    switch permission {
    case .read: self != .provisioning
    case .enrol, .unlock: self == .helpdesk || self == .administrator
    case .revoke, .approve, .joinMachines, .manageAccounts: self == .operator || self == .administrator
    case .exportAudit: self == .auditor || self == .administrator
    case .managePolicies, .manageAccess, .manageServer: self == .administrator
    case .provision: self == .provisioning
    }
  }

  /// Whether this role may act on accounts in the group ``AccountGroup/privileged``, and on administrators' accounts.
  package var reachesPrivileged: Bool { self == .administrator }

  /// The longest lifetime of a token with this role, in seconds: the more the role may do, the shorter.
  package var longestToken: Int64 {
    switch self {
    // Somebody changes it by hand in the organisation's identity provider.
    case .auditor, .provisioning: 31_622_400
    case .helpdesk: 7_776_000
    case .operator: 2_592_000
    case .administrator: 604_800
    }
  }
}

/// The permission that an operation requires.
package enum Permission: CaseIterable, Sendable {
  /// See accounts, machines, policies, the audit, and the server's state.
  case read
  /// Issue enrolment codes.
  case enrol
  /// Issue unlocks for accounts that machines have locked.
  case unlock
  /// Revoke keys and machines.
  case revoke
  /// Ask a person to confirm a text.
  case approve
  /// Issue and close the codes with which machines join.
  case joinMachines
  /// Add, disable, lock and delete accounts.
  case manageAccounts
  /// Export the whole audit from the server.
  case exportAudit
  /// Change which authenticators accounts use.
  case managePolicies
  /// Change administrators and tokens.
  case manageAccess
  /// Rotate keys, make backups.
  case manageServer
  /// Bring accounts and groups of people into line with the organisation's identity provider.
  case provision
}

/// Checks, within a transaction of the store, that a caller's role, session or token is still valid.
struct CallerStanding {
  /// The longest chain of tokens that were each made with the previous one.
  ///
  /// The limit ends loops, which an imported store may contain.
  private static let longestChain = 16

  let records: any StoreTransaction
  /// Seconds since 1970.
  let now: Int64

  /// Whether a caller may still act: the role is unchanged, and the session or the token is still valid.
  func isGood(_ caller: Caller) throws -> Bool {
    switch caller.actor {
    case .commandLine, .server: true
    case .person, .machine, .directory: false
    case .token(let name):
      try records.accessTokens.token(named: name).map { try $0.role == caller.role.rawValue && isGood($0) } ?? false
    case .administrator(let name): try isGood(sessionOf: name, caller)
    }
  }

  private func isGood(sessionOf name: String, _ caller: Caller) throws -> Bool {
    guard let hash = caller.session, let session = try records.consoleSessions.session(tokenHash: hash),
      session.username == name, session.role == caller.role.rawValue
    else { return false }
    return session.isGood(role: try role(of: name), isBlocked: try isBlocked(name), now: now)
  }

  /// Whether a token is valid: it was not revoked, has not expired, and its maker may still make tokens.
  ///
  /// The longest lifetime of its role applies even if the token's row says that it expires later.
  func isGood(_ token: AccessToken) throws -> Bool { try isGood(token, chain: 1) }

  private func isGood(_ token: AccessToken, chain: Int) throws -> Bool {
    guard chain <= Self.longestChain, token.revokedAt == nil, let role = Role(rawValue: token.role),
      token.expiresAt > now, now - token.createdAt < role.longestToken
    else { return false }
    switch AuditActor(text: token.createdBy) {
    case .commandLine, .server: return true
    case .administrator(let name): return try self.role(of: name) == Role.administrator.rawValue && !isBlocked(name)
    case .token(let name):
      guard let maker = try records.accessTokens.token(named: name), maker.role == Role.administrator.rawValue else {
        return false
      }
      return try isGood(maker, chain: chain + 1)
    case .person, .machine, .directory, nil: return false
    }
  }

  private func role(of name: String) throws -> String? { try records.administrators.administrator(name)?.role }

  private func isBlocked(_ name: String) throws -> Bool {
    try records.accounts.block(of: name)?.refusal(at: now) != nil
  }
}
