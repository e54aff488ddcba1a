/// The administrators: accounts whose people may administer the server.
package protocol Administrators {
  /// Adds an administrator, or changes the role of one.
  func set(_ administrator: StoredAdministrator) throws

  func administrator(_ name: String) throws -> StoredAdministrator?

  /// All administrators in the order of their names.
  func all() throws -> [StoredAdministrator]

  /// - Returns: false if there is no administrator with this name.
  func remove(_ name: String) throws -> Bool
}

/// An account whose person may sign in to administer the server.
package struct StoredAdministrator: Equatable, Sendable {
  package let name: String
  package let role: String
  /// In the form of ``AuditActor/text``.
  package let addedBy: String
  /// Seconds since 1970.
  package let addedAt: Int64
  /// The number of the group of people by whose mapping the person has the role; nil if the role was given by hand.
  package let group: Int64?

  package init(name: String, role: String, addedBy: String, addedAt: Int64, group: Int64? = nil) {
    self.name = name
    self.role = role
    self.addedBy = addedBy
    self.addedAt = addedAt
    self.group = group
  }
}

/// A token with which a program uses the API; the token itself is kept nowhere.
package struct AccessToken: Equatable, Sendable {
  package let name: String
  package let role: String
  /// In the form of ``AuditActor/text``.
  package let createdBy: String
  /// In seconds since 1970, like the times below.
  package let createdAt: Int64
  package let expiresAt: Int64
  /// The ranges of addresses from which it is accepted; empty if every address is.
  package let addresses: [String]
  /// To the minute.
  package var lastUsedAt: Int64?
  package var revokedAt: Int64?

  package init(
    name: String, role: String, createdBy: String, createdAt: Int64, expiresAt: Int64, addresses: [String],
    lastUsedAt: Int64? = nil, revokedAt: Int64? = nil
  ) {
    self.name = name
    self.role = role
    self.createdBy = createdBy
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.addresses = addresses
    self.lastUsedAt = lastUsedAt
    self.revokedAt = revokedAt
  }
}

/// The tokens of the API.
///
/// A store keeps only the SHA-256 of a token. A plain hash is enough, because a token has 256 random bits. A name is never used
/// again, so that each name in the audit means one token.
package protocol AccessTokens {
  /// - Returns: false if there is or was a token with this name.
  func add(_ token: AccessToken, hash: [UInt8]) throws -> Bool

  /// The token with a hash; nil if there is none.
  func token(hash: [UInt8]) throws -> AccessToken?

  /// The token with a name, even if it has expired or was revoked; nil if there is none.
  func token(named name: String) throws -> AccessToken?

  /// All tokens in the order of their names.
  func all() throws -> [AccessToken]

  /// Notes that a token was used.
  func markUsed(_ name: String, now: Int64) throws

  /// - Returns: false if there is no token with this name, or it was revoked before.
  func revoke(_ name: String, now: Int64) throws -> Bool
}

/// A session of somebody who has signed in to the console.
package struct ConsoleSession: Equatable, Sendable {
  /// SHA-256 of the token that the browser has; the server does not keep the token itself.
  package let tokenHash: [UInt8]
  package let username: String
  /// The role that the account had at the sign-in.
  package let role: String
  /// In seconds since 1970, like the times below.
  package let startedAt: Int64
  package let lastUsedAt: Int64
  /// The step that waits to be confirmed.
  package var step: WaitingStep?

  /// A dangerous step that waits until its text is confirmed.
  package struct WaitingStep: Equatable, Sendable {
    /// The id of its ``ConfirmationCode``.
    package let id: [UInt8]
    /// The text to be confirmed.
    package let text: String
    /// The action that follows the confirmation, with all its parameters, as JSON.
    package let action: String
    /// The code as the browser has it.
    package let code: String

    package init(id: [UInt8], text: String, action: String, code: String) {
      self.id = id
      self.text = text
      self.action = action
      self.code = code
    }
  }

  /// After how many seconds without a request a session ends.
  package static let idle: Int64 = 900
  /// After how many seconds a session ends in any case.
  package static let lifetime: Int64 = 28_800
  /// How many seconds must pass before a use is noted again.
  package static let useInterval: Int64 = 30
  /// The most sessions of an account; a further one ends the oldest.
  package static let mostOfAccount = 8

  package init(
    tokenHash: [UInt8], username: String, role: String, startedAt: Int64, lastUsedAt: Int64, step: WaitingStep? = nil
  ) {
    self.tokenHash = tokenHash
    self.username = username
    self.role = role
    self.startedAt = startedAt
    self.lastUsedAt = lastUsedAt
    self.step = step
  }

  /// Whether the session is still valid.
  ///
  /// - Parameters:
  ///   - role: the account's present role; nil if it has none.
  ///   - isBlocked: whether the account is disabled or locked now.
  ///   - now: seconds since 1970, by the clock of any instance of the server.
  package func isGood(role: String?, isBlocked: Bool, now: Int64) -> Bool {
    guard lastUsedAt - now <= InstanceClocks.mostApart, now - lastUsedAt < Self.idle, now - startedAt < Self.lifetime
    else {
      return false
    }
    return !isBlocked && role == self.role
  }
}

/// The sessions of those who have signed in to the console.
package protocol ConsoleSessions {
  /// Adds a session. Removes the sessions that have ended, and the account's oldest ones if there are more than
  /// ``ConsoleSession/mostOfAccount``.
  ///
  /// - Parameter now: seconds since 1970.
  func add(_ session: ConsoleSession, now: Int64) throws

  /// - Parameter tokenHash: SHA-256 of the token.
  func session(tokenHash: [UInt8]) throws -> ConsoleSession?

  /// Notes that a session was used; a time before the noted one changes nothing.
  ///
  /// - Parameter time: seconds since 1970.
  func use(tokenHash: [UInt8], at time: Int64) throws

  /// Sets the step that waits in a session, instead of an earlier one.
  ///
  /// - Parameter step: nil if none waits any longer.
  func setStep(_ step: ConsoleSession.WaitingStep?, tokenHash: [UInt8]) throws

  func remove(tokenHash: [UInt8]) throws

  /// Ends all sessions.
  func removeAll() throws

  /// Ends all sessions of an account.
  func removeAll(of username: String) throws

  /// The text of a step that waits in a session of an account; nil if there is none.
  ///
  /// - Parameter id: the id of its ``ConfirmationCode``.
  func stepText(id: [UInt8], of username: String) throws -> String?
}

/// A request with an idempotency key: a client may send it again, and it is carried out once.
package struct RepeatableRequest: Equatable, Sendable {
  /// Who has sent it, in the form of ``AuditActor/text``.
  package let caller: String
  /// SHA-256 of the client's key.
  package let key: [UInt8]
  /// SHA-256 of the request: a different request under the same key is refused.
  package let digest: [UInt8]
  /// When the server forgets the request, in seconds since 1970.
  package let expiresAt: Int64
  /// The answer, without the codes and tokens that are shown only once; nil while the request is being carried out.
  package var answer: String?

  package init(caller: String, key: [UInt8], digest: [UInt8], expiresAt: Int64, answer: String? = nil) {
    self.caller = caller
    self.key = key
    self.digest = digest
    self.expiresAt = expiresAt
    self.answer = answer
  }
}

/// The requests that clients may send again.
package protocol RepeatableRequests {
  /// Notes that a request is being carried out, and forgets requests that have expired.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: the request that this caller sent before under the same key; nil if there is none, and then the new one is
  ///   noted.
  func begin(_ request: RepeatableRequest, now: Int64) throws -> RepeatableRequest?

  /// Keeps the answer to a request.
  func finish(_ request: RepeatableRequest) throws

  /// Forgets a request that was refused, so that the client may send it again under the same key.
  func forget(_ request: RepeatableRequest) throws
}
