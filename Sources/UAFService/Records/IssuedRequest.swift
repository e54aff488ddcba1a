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
