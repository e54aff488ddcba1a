import UAFMessages

/// A server's success.
public struct Acceptance: Equatable, Sendable, CustomStringConvertible {
  /// What the server handed out; secret, never for a log.
  public private(set) var tokens: [Token]
  /// The account's name at the server.
  public let username: String
  /// What was done here, which the success is for.
  public let expected: ExpectedVerdict
  /// The challenge that was answered, base64url as the server sent it.
  public let challenge: String
  /// Keys that the server says it has forgotten, of those a registration named as lost.
  public var forgottenKeyIDs: [KeyID] = []
  /// By what the server knows this machine from now on; nil if it said nothing of that.
  public var machineSecret: MachineSecret?
  /// Another number than the last one says that a machine that has joined should check in; not signed.
  public var machineNews: Int64?

  /// The operation that was accepted.
  public var operation: UAFOperation { expected.operation }

  /// The token to pass on.
  public var token: String? { Token.passedOn(tokens) }

  /// The same, with nothing that could be passed on.
  var withoutTokens: Acceptance {
    var acceptance = self
    acceptance.tokens = []
    return acceptance
  }

  /// How many tokens there are, and nothing of them.
  public var description: String { "accepted with \(tokens.count) tokens" }
}

/// What the core did, which a server's success has to be for.
///
/// A signed verdict is compared with each part. A server of another make marks no challenges, and its verdicts say less.
public struct ExpectedVerdict: Equatable, Sendable {
  /// The operation.
  public let operation: UAFOperation
  /// What the challenge was for; nil at a server of another make.
  public let purpose: ChallengePurpose?
  /// The keys that signed, were registered or were to be removed.
  public let keyIDs: [KeyID]
  /// SHA-256 of the text that was confirmed, as it was shown; nil without one.
  public let textHash: [UInt8]?
  /// The machine's id, where it is about its keys; nil where none was sent.
  public let deviceID: String?

  /// Makes one.
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
    guard operation == .authentication, let authorized = purpose?.authorizedOperation else { return [] }
    return [authorized]
  }
}
