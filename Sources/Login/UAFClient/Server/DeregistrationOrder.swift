import UAFMessages

/// The keys that the server named after it deleted them on its side.
public struct DeregistrationOrder: Equatable, Sendable {
  /// The application; a wildcard covers only this application, and the caller limits it to the account.
  public let appID: String

  /// Keys and wildcards, at least one.
  public let authenticators: [DeregisterAuthenticator]

  /// The tokens that the server issued; secret, never for a log.
  public let tokens: [Token]

  /// The account's name at the server.
  let username: String

  /// The keys that were to be deleted; empty for all keys of the machine.
  let askedKeyIDs: [KeyID]

  /// The machine's id at the server; nil if none was sent.
  let deviceID: String?

  /// The request as it came.
  let message: [UInt8]

  init(
    appID: String, authenticators: [DeregisterAuthenticator], tokens: [Token] = [], username: String = "",
    askedKeyIDs: [KeyID] = [], deviceID: String? = nil, message: [UInt8] = []
  ) {
    self.appID = appID
    self.authenticators = authenticators
    self.tokens = tokens
    self.username = username
    self.askedKeyIDs = askedKeyIDs
    self.deviceID = deviceID
    self.message = message
  }

  /// The server's token for it, as evidence that the keys are gone.
  public var token: String? { Token.passedOn(tokens) }

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
