import UAFMessages

/// A request the server sent and has not yet had an answer to.
package struct IssuedRequest: Equatable, Sendable {
  package let operation: Operation
  package let username: String
  /// SHA-256 of the challenge; the challenge itself is not kept.
  package let challengeHash: [UInt8]
  package let appID: String
  package let serverData: String
  package let policy: Policy
  /// What has to be confirmed, as it is signed.
  package let transaction: Transaction?
  package let device: Device
  /// What a proof token for this authentication may be used for.
  package let proofOperations: [Operation]
  /// Asks for keys that are made up, because the name has none, or not all that its policy wants.
  package let isDecoy: Bool
  /// Seconds since 1970.
  package let expiresAt: Int64
  /// What has to be confirmed, as it is shown.
  package var transactionText: TransactionText?
  /// Keys of the account on the machine that asks, which says that it has lost them; a new key takes their place.
  package var lostKeyIDs: [KeyID] = []

  package init(
    operation: Operation, username: String, challengeHash: [UInt8], appID: String, serverData: String, policy: Policy,
    transaction: Transaction?, device: Device, proofOperations: [Operation], isDecoy: Bool, expiresAt: Int64,
    transactionText: TransactionText? = nil, lostKeyIDs: [KeyID] = []
  ) {
    self.operation = operation
    self.username = username
    self.challengeHash = challengeHash
    self.appID = appID
    self.serverData = serverData
    self.policy = policy
    self.transaction = transaction
    self.device = device
    self.proofOperations = proofOperations
    self.isDecoy = isDecoy
    self.expiresAt = expiresAt
    self.transactionText = transactionText
    self.lostKeyIDs = lostKeyIDs
  }
}
