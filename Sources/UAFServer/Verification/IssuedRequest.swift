import UAFMessages

/// A request the server sent and has not yet had an answer to.
struct IssuedRequest: Equatable, Sendable {
  let operation: Operation
  let username: String
  /// SHA-256 of the challenge; the challenge itself is not kept.
  let challengeHash: [UInt8]
  let appID: String
  let serverData: String
  let policy: Policy
  /// What has to be confirmed, as it is signed.
  let transaction: Transaction?
  let device: Device
  /// What a proof token for this authentication may be used for.
  let proofOperations: [Operation]
  /// Asks for keys that are made up, because the name has none, or not all that its policy wants.
  let isDecoy: Bool
  /// Seconds since 1970.
  let expiresAt: Int64
  /// What has to be confirmed, as it is shown.
  var transactionText: TransactionText?
  /// Keys of the account on the machine that asks, which says that it has lost them; a new key takes their place.
  var lostKeyIDs: [KeyID] = []
}
