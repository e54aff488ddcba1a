import UAFMessages

/// What the core did, which a server's success has to be for.
///
/// A signed verdict is compared with each part. A server of another make marks no challenges, and its verdicts say less.
public struct Deed: Equatable, Sendable {
  /// The operation.
  public let operation: UAFOperation
  /// What the challenge was for; nil at a server of another make.
  public let purpose: ChallengePurpose?
  /// The keys that signed, were registered or were to be removed.
  public let keyIDs: [KeyID]
  /// SHA-256 of the text that was confirmed, as it was shown; nil without one.
  public let textHash: [UInt8]?
  /// The machine's id, where the deed is about its keys; nil where none was sent.
  public let deviceID: String?

  /// Makes a deed.
  public init(
    _ operation: UAFOperation, for purpose: ChallengePurpose?, keyIDs: [KeyID], textHash: [UInt8]? = nil,
    deviceID: String? = nil
  ) {
    self.operation = operation
    self.purpose = purpose
    self.keyIDs = keyIDs
    self.textHash = textHash
    self.deviceID = deviceID
  }

  /// The operations that a verdict on it may authorise, and no others.
  var use: [UAFOperation] {
    switch purpose {
    case .furtherKeys: [.registration]
    case .removal where operation == .authentication: [.deregistration]
    default: []
    }
  }
}
