import UAFAdministration
import UAFService

/// Finds out whose session a request is of.
struct SessionCheck {
  let environment: ConsoleEnvironment

  /// Who has signed in; nil if nobody has, or the session has ended.
  ///
  /// Role and block are read with each request. Whoever changes them, or revokes a key of the account, ends the session in
  /// the same transaction.
  ///
  /// - Throws: ``StoreFailure``.
  func signedIn(cookie: String?, address: String) async throws -> SignedIn? {
    guard let token = SessionToken(cookie: cookie) else { return nil }
    let hash = try token.hash()
    let now = environment.now
    let administration = environment.administration
    let found = try await administration.read { records -> (session: ConsoleSession, isGood: Bool)? in
      guard let session = try records.consoleSessions.session(tokenHash: hash) else { return nil }
      let role = try records.administrators.administrator(session.username)?.role
      let isBlocked = try records.accounts.block(of: session.username)?.refusal(at: now) != nil
      return (session, session.isGood(role: role, isBlocked: isBlocked, now: now))
    }
    guard let found else { return nil }
    guard found.isGood, let role = Role(rawValue: found.session.role) else {
      try await administration.note { try $0.consoleSessions.remove(tokenHash: hash) }
      return nil
    }
    let session = found.session
    if now - session.lastUsedAt >= ConsoleSession.useInterval {
      try await administration.note { try $0.consoleSessions.use(tokenHash: hash, at: now) }
    }
    let caller = Caller(actor: .administrator(session.username), role: role, address: address, session: hash)
    return SignedIn(session: session, caller: caller, csrf: try token.csrf())
  }
}
