import UAFMessages

/// The server's request in a deregistration: it names the keys that the server has already deleted on its side.
public struct DeregistrationOrder: Equatable, Sendable {
  /// The AppID.
  ///
  /// A wildcard covers only keys of this AppID, and the caller limits it to keys of the account.
  public let appID: String

  /// The KeyIDs and wildcards, at least one.
  public let authenticators: [DeregisterAuthenticator]

  /// The tokens that the server issued; they are secret and must never be logged.
  public let tokens: [Token]

  /// The account's name at the server.
  let username: String

  /// The keys whose removal was requested; empty for all keys of the machine.
  let askedKeyIDs: [KeyID]

  /// The machine's ID at the server; nil if none was sent.
  let deviceID: String?

  /// The UAF request as it was received.
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

  /// The server's token that proves that the keys are gone.
  public var token: String? { Token.passedOn(tokens) }

  /// Whether the order names a key of the AppID, by its KeyID or by a wildcard.
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
