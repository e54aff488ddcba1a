import UAFMessages

/// A server's success.
public struct Acceptance: Equatable, Sendable, CustomStringConvertible {
  /// What the server handed out; secret, never for a log.
  public private(set) var tokens: [Token]
  /// The account's name at the server.
  public let username: String
  /// What was accepted.
  public let deed: Deed
  /// The challenge that was answered, base64url as the server sent it.
  public let challenge: String
  /// Keys that the server says it has forgotten, of those a registration named as lost.
  public var forgottenKeyIDs: [KeyID] = []
  /// By what the server knows this machine from now on; nil if it said nothing of that.
  public var machineSecret: MachineSecret?
  /// Another number than the last one says that a machine that has joined should check in; not signed.
  public var machineNews: Int64?

  /// The operation that was accepted.
  public var operation: UAFOperation { deed.operation }

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
