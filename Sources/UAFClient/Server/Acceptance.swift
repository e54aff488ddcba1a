import UAFMessages

/// A server's yes.
public struct Acceptance: Equatable, Sendable {
  /// What the server handed out; secret, never for a log.
  public let tokens: [Token]

  /// The token to pass on: the first JWT, else the first of any kind.
  public var token: String? {
    (tokens.first { $0.type == Token.jwt } ?? tokens.first)?.value
  }
}
