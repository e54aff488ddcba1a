import UAFMessages

/// What a server's authentication request leaves to choose.
public struct AuthenticationOffer: Equatable, Sendable {
  /// The application.
  public let appID: String

  /// The challenge to be answered, base64url as the server sent it.
  public let challenge: String

  /// Sets of authenticators to be used together, with their keys, the server's favourite first; at least one.
  public let sets: [[AcceptableAuthenticator]]

  /// The text to be shown and confirmed, if a transaction was asked for.
  public let transaction: TransactionText?

  /// The authenticators whose keys the server does not know.
  public let leftOut: [AAID]

  /// How long the request is valid, as the server says; nil if it does not say.
  public let lifetimeMilliseconds: UInt32?
}
