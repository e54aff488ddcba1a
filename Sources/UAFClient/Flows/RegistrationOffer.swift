import UAFMessages

/// What a server's registration request leaves to choose.
public struct RegistrationOffer: Equatable, Sendable {
  /// The application.
  public let appID: String

  /// The challenge to be answered, base64url as the server sent it.
  public let challenge: String

  /// The account's name at the server.
  public let username: String

  /// Sets of authenticators to be registered together, the server's favourite first; at least one.
  public let sets: [[AcceptableAuthenticator]]

  /// How long the request is valid, as the server says; nil if it does not say.
  public let lifetimeMilliseconds: UInt32?
}
