/// What somebody says who allows new keys: for whom, in answer to which request, and exactly these keys.
///
/// Both ends make it of what they have seen themselves, so it is not sent.
public struct NewKeysStatement: Equatable, Sendable {
  /// A new key.
  public struct Key: Equatable, Sendable {
    /// The authenticator's model.
    public let aaid: AAID
    /// The new key.
    public let keyID: KeyID
    /// As the assertion of the registration has it.
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
  /// Its binding has the machine and the keys that are replaced.
  public let challenge: ServerChallenge
  /// In the order of the answer.
  public let keys: [Key]

  /// Makes a statement.
  public init(username: String, appID: String, challenge: ServerChallenge, keys: [Key]) {
    self.username = username
    self.appID = appID
    self.challenge = challenge
    self.keys = keys
  }

  /// What is hashed or authenticated.
  public var bytes: [UInt8] {
    var statement = Statement("pam-uaf new keys")
    statement.add(fields: [username, appID])
    statement.add(field: challenge.bytes)
    for key in keys {
      for field in [Array(key.aaid.text.utf8), key.keyID.bytes, key.publicKey] { statement.add(field: field) }
    }
    return statement.bytes
  }

  /// What a machine authenticates that has joined, and makes the keys.
  ///
  /// - Parameter deviceID: as its registration names it.
  public func machineStatement(deviceID: String) -> [UInt8] {
    var statement = Statement("pam-uaf machine keys")
    statement.add(fields: [deviceID])
    statement.add(bare: bytes)
    return statement.bytes
  }

  /// The challenge that a registered key signs to authorise them.
  ///
  /// Nobody sends it: both ends make it of the request's own challenge, which is answered once.
  ///
  /// - Parameter hash: SHA-256.
  /// - Throws: what `hash` throws; ``MessageError`` where it returns no 32 bytes.
  public func authorization(hash: ([UInt8]) throws -> [UInt8]) throws -> ServerChallenge {
    try PurposedChallenge(.newKeys, hash: hash(bytes), unique: hash(challenge.bytes)).challenge
  }
}
