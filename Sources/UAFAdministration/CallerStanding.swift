import UAFService

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
