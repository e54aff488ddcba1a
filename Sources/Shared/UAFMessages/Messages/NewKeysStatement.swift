/// A statement that allows new keys: it names the account, the request and exactly these keys.
///
/// Each end makes it from what it has seen itself, so it is not sent.
public struct NewKeysStatement: Equatable, Sendable {
  /// A new key.
  public struct Key: Equatable, Sendable {
    /// The authenticator's model.
    public let aaid: AAID
    /// The new key.
    public let keyID: KeyID
    /// The public key, as in the assertion of the registration.
    public let publicKey: [UInt8]

    /// Makes the description of a new key.
    public init(aaid: AAID, keyID: KeyID, publicKey: [UInt8]) {
      self.aaid = aaid
      self.keyID = keyID
      self.publicKey = publicKey
    }
  }

  /// The account's name at the server.
  public let username: String
  /// The application.
  public let appID: String
  /// The challenge of the registration.
  ///
  /// Its binding covers the machine and the keys that are replaced.
  public let challenge: ServerChallenge
  /// The new keys, in the order of the response.
  public let keys: [Key]

  /// Makes a statement.
  public init(username: String, appID: String, challenge: ServerChallenge, keys: [Key]) {
    self.username = username
    self.appID = appID
    self.challenge = challenge
    self.keys = keys
  }

  /// The bytes that are hashed or authenticated.
  public var bytes: [UInt8] {
    var statement = Statement("pam-uaf new keys")
    statement.add(fields: [username, appID])
    statement.add(field: challenge.bytes)
    for key in keys {
      for field in [Array(key.aaid.text.utf8), key.keyID.bytes, key.publicKey] { statement.add(field: field) }
    }
    return statement.bytes
  }

  /// The statement that a joined machine authenticates when it makes the keys.
  ///
  /// - Parameter deviceID: the device ID, as in its registration.
  public func machineStatement(deviceID: String) -> [UInt8] {
    var statement = Statement("pam-uaf machine keys")
    statement.add(fields: [deviceID])
    statement.add(bare: bytes)
    return statement.bytes
  }

  /// The challenge that a registered key signs to authorise them.
  ///
  /// It is never sent: both ends make it from the request's own challenge, which is answered once.
  ///
  /// - Parameter hash: SHA-256.
  /// - Throws: what `hash` throws; ``MessageError`` if that does not return 32 bytes.
  public func authorization(hash: ([UInt8]) throws -> [UInt8]) throws -> ServerChallenge {
    try PurposedChallenge(.newKeys, hash: hash(bytes), unique: hash(challenge.bytes)).challenge
  }
}
