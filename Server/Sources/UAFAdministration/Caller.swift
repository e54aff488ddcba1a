import UAFService

/// Who asks for an operation.
package struct Caller: Equatable, Sendable {
  /// The name that the audit uses for the caller.
  package let actor: AuditActor
  package let role: Role
  /// Where the caller is, as the audit records it; empty on this machine.
  package let address: String
  /// SHA-256 of the token of the caller's session in the console; nil for callers elsewhere.
  package let session: [UInt8]?
  /// Whether the caller has signed the present request.
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

  /// The server itself, which undoes what it has made for somebody.
  static let server = Caller(actor: .server, role: .administrator, address: "")

  /// The same caller, after signing the one step that follows.
  package var havingSigned: Caller {
    Caller(actor: actor, role: role, address: address, session: session, hasSigned: true)
  }

  /// Whether the caller could change the store itself: root, or the server's own user.
  var isAtServer: Bool {
    switch actor {
    case .commandLine, .server: true
    case .person, .machine, .token, .administrator: false
    }
  }

  /// Whether a code from this caller may be for a privileged account, and makes a key that is valid for administrators' steps.
  ///
  /// Neither a token nor a session is enough: whoever had stolen one could become an administrator who signs.
  var vouches: Bool { role.reachesPrivileged && (hasSigned || isAtServer) }

  /// The words that say who asks, in a text that a person confirms.
  var introduction: String {
    switch actor {
    case .administrator(let name): "\(role.rawValue) \(name)"
    case .commandLine(let uid, _): uid == 0 ? "root at the server" : "uid \(uid) at the server"
    case .person, .server, .machine, .token: actor.text
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

/// A caller whose role allows an operation: nothing is changed for any other caller.
///
/// Only ``Caller/require(_:)`` makes one, so that each operation checks its permission, and checks it once.
package struct PermittedCaller: Sendable {
  let caller: Caller
  let permission: Permission

  fileprivate init(caller: Caller, permission: Permission) {
    self.caller = caller
    self.permission = permission
  }
}

/// The role of an administrator or a token, from few permissions to all.
package enum Role: String, CaseIterable, Sendable {
  case auditor
  case helpdesk
  case `operator`
  case administrator

  /// Whether this role has a permission.
  package func allows(_ permission: Permission) -> Bool {
    switch permission {
    case .read: true
    case .enrol, .unlock: self == .helpdesk || self == .administrator
    case .revoke, .approve, .joinMachines, .manageAccounts: self == .operator || self == .administrator
    case .exportAudit: self == .auditor || self == .administrator
    case .managePolicies, .manageAccess, .manageServer: self == .administrator
    }
  }

  /// Whether this role may act on accounts of the group ``AccountGroup/privileged``, and on administrators.
  package var reachesPrivileged: Bool { self == .administrator }

  /// How long a token with this role may be valid, in seconds: the more it may do, the shorter.
  package var longestToken: Int64 {
    switch self {
    case .auditor: 31_622_400
    case .helpdesk: 7_776_000
    case .operator: 2_592_000
    case .administrator: 604_800
    }
  }
}

/// What an operation requires of a role.
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
}

/// Whether callers still have what their requests came with, as one transaction of the store sees it.
struct CallerStanding {
  /// How long a chain of tokens may be, each made with the one before; an imported store may contain a loop.
  private static let longestChain = 16

  let records: any StoreTransaction
  /// Seconds since 1970.
  let now: Int64

  /// Whether a caller may still act: with the same role, in a valid session, or with a valid token.
  func isGood(_ caller: Caller) throws -> Bool {
    switch caller.actor {
    case .commandLine, .server: true
    case .person, .machine: false
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

  /// Whether a token is valid: not revoked, not expired, and made by somebody who may still make tokens.
  ///
  /// The limit of its role applies even to a token whose row says more.
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
    case .person, .machine, nil: return false
    }
  }

  private func role(of name: String) throws -> String? { try records.administrators.administrator(name)?.role }

  private func isBlocked(_ name: String) throws -> Bool {
    try records.accounts.block(of: name)?.refusal(at: now) != nil
  }
}
