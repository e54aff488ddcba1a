import UAFService

/// Who asks for an operation.
package struct Caller: Equatable, Sendable {
  /// As the audit names them.
  package let actor: AuditActor
  package let role: Role
  /// Where they are, as the audit has it; empty on this machine.
  package let address: String
  /// SHA-256 of the token of their session in the console; nil for everybody who is not there.
  package let session: [UInt8]?
  /// Whether they have signed what they ask for now.
  private let isSigned: Bool

  package init(
    actor: AuditActor, role: Role, address: String, session: [UInt8]? = nil, hasSigned isSigned: Bool = false
  ) {
    self.actor = actor
    self.role = role
    self.address = address
    self.session = session
    self.isSigned = isSigned
  }

  /// The server itself, which takes back what it has made for somebody.
  static let server = Caller(actor: .server, role: .administrator, address: "")

  /// The same caller, who has signed the one step that is done next.
  package var signing: Caller {
    Caller(actor: actor, role: role, address: address, session: session, hasSigned: true)
  }

  /// Whether they could change the store itself: root, or the server's own user.
  var isAtServer: Bool {
    switch actor {
    case .commandLine, .server: true
    case .person, .machine, .token, .administrator: false
    }
  }

  /// Whether a code that they issue may be for a privileged account, and makes a key that counts for the steps of administrators.
  ///
  /// Neither a token nor a session is enough: whoever had got hold of one could make themselves an administrator who signs.
  var vouches: Bool { role.reachesPrivileged && (isSigned || isAtServer) }

  /// Who asks, in a text that a person confirms.
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
    guard isSigned || isAtServer else { throw .signatureNeeded }
  }
}

/// A caller whose role allows something: nothing is changed for anybody else.
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

/// Whether callers still are what they were when their requests came, as one transaction of the store sees it.
struct CallerStanding {
  /// How long a chain of tokens may be, each made with the one before; an imported store may have a circle.
  private static let longestChain = 16

  let records: any StoreTransaction
  /// Seconds since 1970.
  let now: Int64

  /// Whether a caller may still act: with the same role, in a session that goes on, or with a token that is good.
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

  /// Whether a token is good: not revoked, within its time, and made by somebody who may still make tokens.
  ///
  /// The time that its role allows counts also for a token whose row says more.
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
