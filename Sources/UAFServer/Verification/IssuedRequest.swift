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
  /// The text that has to be confirmed, if any.
  let transaction: Transaction?
  let device: Device
  /// What a proof token for this authentication may be used for.
  let proofOperations: [Operation]
  /// Made up for a name that has no keys.
  let isDecoy: Bool
  /// Seconds since 1970.
  let expiresAt: Int64
}
