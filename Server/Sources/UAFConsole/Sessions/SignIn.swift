import UAFAdministration
import UAFCrypto
import UAFMessages
import UAFService

/// The sign-in: the person confirms a text with a key of their account.
struct SignIn {
  /// The outcome of a sign-in.
  enum Outcome: Equatable {
    case waiting
    /// The sign-in has expired, was denied, or was used already.
    case ended
    /// The text was confirmed, but the account is not allowed to sign in.
    case refused
    case done(SessionToken)
  }

  let environment: ConsoleEnvironment

  /// Makes the code of a sign-in.
  ///
  /// The account is not looked up, so that an unknown name gets a code too.
  func code(for username: String) throws -> ConfirmationCode {
    ConfirmationCode(
      .signIn, for: username, random: try environment.administration.random(ConfirmationCode.idBytes + 2),
      now: environment.now)
  }

  /// The payload, as a line for `uafctl oob`.
  func payload(_ code: ConfirmationCode) throws -> String {
    let url = try environment.publicURL()
    return EnrolmentPayload(
      op: .authentication, server: url, username: code.username, authCode: try code.sealed(by: environment.keys),
      expires: code.expiresAt, ca: try environment.administration.authority(url)
    ).encoded
  }

  /// The code of the sign-in that a browser has begun; nil if there is none.
  ///
  /// - Parameter cookie: the cookie that the browser sends.
  func code(cookie: String?) throws -> ConfirmationCode? {
    guard let cookie else { return nil }
    let code = try ConfirmationCode(browserText: cookie, keys: environment.keys, now: environment.now)
    return code?.subject == .signIn ? code : nil
  }

  /// If the text was confirmed, opens the session and marks the code as used.
  ///
  /// Only the browser that began the sign-in has the code in the form that is needed here.
  func openSession(_ code: ConfirmationCode, address: String) async throws -> Outcome {
    let now = environment.now
    let challenges = try code.challenges(keys: environment.keys)
    let token = SessionToken(random: try environment.administration.random(SessionToken.randomBytes))
    let tokenHash = try token.hash()
    // Anybody can send this request, so a sign-in that still waits is found with a read, without the lock for writers.
    let unconfirmed = try await environment.administration.read { records -> Outcome? in
      if try challenges.contains(where: { try records.usedChallenges.contains($0) }) { return nil }
      return try records.usedProofs.contains(tokenID: code.usedName) ? .ended : .waiting
    }
    if let unconfirmed { return unconfirmed }
    return try await environment.administration.writeCallerRecords { records in
      guard try records.usedProofs.use(tokenID: code.usedName, expiresAt: code.expiresAt, now: now) else {
        return .ended
      }
      let role = try records.administrators.administrator(code.username)?.role
      let refusal = role == nil ? "no-role" : try Self.refusal(of: code, in: records, now: now)
      try records.audit.append([
        AuditEntry(
          time: now, kind: .consoleSignIn, outcome: refusal ?? AuditEntry.done, account: code.username,
          actor: .administrator(code.username), address: address)
      ])
      guard let role, refusal == nil else { return .refused }
      let session = ConsoleSession(
        tokenHash: tokenHash, username: code.username, role: role, startedAt: now, lastUsedAt: now)
      try records.consoleSessions.add(session, now: now)
      return .done(token)
    }
  }

  /// Why no session is opened although the text was confirmed, as the audit's outcome; nil if one is opened.
  ///
  /// If a key that was used since the code was made is revoked now, it may be the one that confirmed the text.
  private static func refusal(
    of code: ConfirmationCode, in records: any StoreTransaction, now: Int64
  ) throws -> String? {
    if try records.accounts.block(of: code.username)?.refusal(at: now) != nil { return "blocked" }
    let earliest = code.expiresAt - ConfirmationCode.lifetime - InstanceClocks.mostApart
    let isRevoked = try records.credentials.records(of: code.username).contains { key in
      key.revocation != nil && key.lastUsedAt.map { $0 >= earliest } == true
    }
    return isRevoked ? "key-revoked" : nil
  }

  /// Ends a session.
  func end(_ signedIn: SignedIn) async throws {
    let entry = AuditEntry(
      time: environment.now, kind: .consoleSignOut, account: signedIn.session.username, actor: signedIn.caller.actor,
      address: signedIn.caller.address)
    try await environment.administration.writeCallerRecords { records in
      try records.consoleSessions.remove(tokenHash: signedIn.session.tokenHash)
      try records.audit.append([entry])
    }
  }
}

/// A person who has signed in, in the state that a request finds.
struct SignedIn: Sendable {
  let session: ConsoleSession
  let caller: Caller
  let csrf: String
}

/// Finds the session that a request belongs to.
struct SessionCheck {
  let environment: ConsoleEnvironment

  /// The person who has signed in; nil if nobody has, or if the session has ended.
  ///
  /// Role and block of the account are read with each request. In addition, a change of either, or the revocation of a key of
  /// the account, ends the session in the same transaction.
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
      try await administration.writeCallerRecords { try $0.consoleSessions.remove(tokenHash: hash) }
      return nil
    }
    let session = found.session
    if now - session.lastUsedAt >= ConsoleSession.useInterval {
      try await administration.writeCallerRecords { try $0.consoleSessions.use(tokenHash: hash, at: now) }
    }
    let caller = Caller(actor: .administrator(session.username), role: role, address: address, session: hash)
    return SignedIn(session: session, caller: caller, csrf: try token.csrf())
  }
}

/// The token of a session, which only the browser has, and the values that are derived from it.
struct SessionToken: Equatable {
  /// 256 random bits in base64url.
  let text: String

  static let randomBytes = 32

  init(random: [UInt8]) { text = Base64URL.encode(random) }

  /// Reads a cookie; nil if it does not have the form of a token, so that the store is not searched for it.
  init?(cookie: String?) {
    guard let cookie, cookie.utf8.count == 43, (try? Base64URL.decode(cookie, maximumCount: 32)) != nil else {
      return nil
    }
    text = cookie
  }

  /// The hash that is stored.
  func hash() throws -> [UInt8] { try SHA256.hash(Array(text.utf8)) }

  /// The token against cross-site request forgery, which each form of the session contains and no other site knows.
  func csrf() throws -> String { Base64URL.encode(try SHA256.hash(Array("csrf \(text)".utf8))) }
}
