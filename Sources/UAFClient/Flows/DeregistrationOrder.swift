import UAFMessages

/// What the server named, having deleted it on its side.
public struct DeregistrationOrder: Equatable, Sendable {
  /// The application; a wildcard covers only this application, and the caller limits it to the account.
  public let appID: String

  /// Keys and wildcards, at least one.
  public let authenticators: [DeregisterAuthenticator]

  /// The server's token for it, as evidence that the keys are gone.
  public internal(set) var token: String?

  /// Whether a key of the AppID is named, by itself or by a wildcard.
  public func names(_ aaid: AAID, _ keyID: KeyID) -> Bool {
    authenticators.contains { entry in
      switch entry {
      case .key(let namedAAID, let namedKeyID): namedAAID == aaid && namedKeyID == keyID
      case .allKeys(let named): named == aaid
      case .everything: true
      }
    }
  }
}
