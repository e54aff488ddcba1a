import UAFMessages

/// A server's success.
public struct Acceptance: Equatable, Sendable, CustomStringConvertible {
  /// What the server handed out; secret, never for a log.
  public let tokens: [Token]
  /// The account's name at the server.
  public let username: String
  /// What was accepted.
  public let operation: UAFOperation
  /// The challenge that was answered, base64url as the server sent it.
  public let challenge: String
  /// Keys that the server says it has forgotten, of those a registration named as lost.
  public var forgottenKeyIDs: [KeyID] = []
  /// By what the server knows this machine from now on; nil if it said nothing of that.
  public var machineSecret: MachineSecret?
  /// Another number than the last one says that a machine that has joined should check in; not signed.
  public var machineNews: Int64?

  /// The token to pass on.
  public var token: String? { Token.passedOn(tokens) }

  /// How many tokens there are, and nothing of them.
  public var description: String { "accepted with \(tokens.count) tokens" }
}
