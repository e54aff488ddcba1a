import UAFMessages

/// A request that the server has sent and that was not answered yet.
package struct IssuedRequest: Equatable, Sendable {
  /// Seconds within which a request can be answered.
  package static let lifetime: Int64 = 120
  /// The most requests for a registration that are open at once.
  ///
  /// Each needs a code or a proof.
  static let maximumOpen: Int64 = 100_000

  package let operation: UAFOperation
  package let username: String
  /// SHA-256 of the challenge; the challenge itself is not kept.
  package let challengeHash: [UInt8]
  package let appID: String
  package let serverData: String
  package let policy: Policy
  /// What has to be confirmed, as it is signed.
  package let transaction: Transaction?
  package let device: Device
  /// Seconds since 1970.
  package let expiresAt: Int64
  /// Keys that the asking machine says it has lost; a new key replaces them.
  package var lostKeyIDs: [KeyID] = []

  package init(
    operation: UAFOperation, username: String, challengeHash: [UInt8], appID: String, serverData: String,
    policy: Policy, transaction: Transaction?, device: Device, expiresAt: Int64,
    lostKeyIDs: [KeyID] = []
  ) {
    self.operation = operation
    self.username = username
    self.challengeHash = challengeHash
    self.appID = appID
    self.serverData = serverData
    self.policy = policy
    self.transaction = transaction
    self.device = device
    self.expiresAt = expiresAt
    self.lostKeyIDs = lostKeyIDs
  }
}

/// A challenge of a request, as a store knows it.
///
/// It is known by the bytes that make it another one than all others: requests that have them in common are answered once
/// together.
///
/// The expiry is sealed with the challenge or is part of what the challenge is made of. So one challenge has one expiry, and a
/// store may look for it by both.
package struct IssuedChallenge: Equatable, Sendable {
  /// SHA-256 of the challenge's unique bytes.
  package let hash: [UInt8]
  /// When its request expires, in seconds since 1970.
  package let expiresAt: Int64

  package init(hash: [UInt8], expiresAt: Int64) {
    self.hash = hash
    self.expiresAt = expiresAt
  }
}

/// The challenges that were answered with success, until their requests would have expired anyway.
package protocol UsedChallenges {
  /// Whether a request was answered with success before.
  func contains(_ challenge: IssuedChallenge) throws -> Bool
}

/// The proof tokens that were used, until they would have expired anyway.
package protocol UsedProofs {
  /// Whether a token was used.
  func contains(tokenID: String) throws -> Bool

  /// Marks a token as used.
  ///
  /// - Parameters:
  ///   - expiresAt: seconds since 1970; the token can be forgotten then.
  ///   - now: seconds since 1970.
  /// - Returns: false if it was used before.
  func use(tokenID: String, expiresAt: Int64, now: Int64) throws -> Bool
}

/// The requests for a registration that wait for their answer.
///
/// Only a person with a code or a proof gets one. Requests for an authentication are not kept: see ``ServerData``.
package protocol OpenRegistrations {
  /// Keeps a request, and removes those that nobody answered in time.
  ///
  /// - Parameters:
  ///   - enrolmentID: the number of the enrolment code that it was asked for with; nil for a proof.
  ///   - now: seconds since 1970.
  ///   - maximumOpen: of more open requests than this the oldest are removed.
  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws

  /// Finds a request.
  ///
  /// - Parameters:
  ///   - hash: SHA-256 of the challenge.
  ///   - serverData: as the answer brings it back, and as it was checked; it is not stored.
  /// - Returns: nil if there is none, or it was taken already.
  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)?

  /// Takes a request out: a challenge serves once.
  ///
  /// - Parameter hash: SHA-256 of the challenge.
  /// - Returns: false if there is none, or it was taken already.
  func take(hash: [UInt8]) throws -> Bool

  /// Removes all requests: none can be answered any more.
  func removeAll() throws
}

/// A request that a client may send again without having it done twice.
package struct RepeatableRequest: Equatable, Sendable {
  /// Who has sent it, as the audit names them.
  package let caller: String
  /// SHA-256 of the client's key.
  package let key: [UInt8]
  /// SHA-256 of what is asked for: another request under the same key is refused.
  package let digest: [UInt8]
  /// When it is forgotten, in seconds since 1970.
  package let expiresAt: Int64
  /// What was answered, without what is shown once; nil while it is under way.
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
  /// Notes that a request is under way, and forgets those that have expired.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: the request that this caller has sent before under the same key; nil if there is none, and then this one is
  ///   noted.
  func begin(_ request: RepeatableRequest, now: Int64) throws -> RepeatableRequest?

  /// Keeps what was answered to a request that is under way.
  func finish(_ request: RepeatableRequest) throws

  /// Forgets a request that was refused: it may be sent again.
  func forget(_ request: RepeatableRequest) throws
}
