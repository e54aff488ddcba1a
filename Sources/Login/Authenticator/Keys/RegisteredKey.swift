import AuthenticatorTypes

/// A registered key of an account: a UAF key or a WebAuthn credential.
///
/// Its private part is sealed by the authenticator's key.
public struct RegisteredKey: Equatable, Sendable {
  /// The type of the authenticator that the key belongs to.
  public let type: AuthenticatorType
  /// The only protocol for which the key signs.
  public let keyProtocol: KeyProtocol
  /// The only algorithm by which the key signs.
  public let algorithm: KeyAlgorithm
  /// The application that the key was made for: the AppID of UAF, or the rpId of WebAuthn.
  public let appID: String
  /// The account's handle at the relying party of WebAuthn, at most 64 bytes; empty for UAF.
  public let userHandle: [UInt8]
  /// The KeyID: 32 random bytes.
  public let keyID: [UInt8]
  /// The public key: 65 bytes, `04 | X | Y`, or the 32 bytes of Ed25519.
  public let publicKey: [UInt8]
  let nonce: [UInt8]
  let sealedPrivateKey: [UInt8]
  /// The last counter that was used in a signature (UAF: SignCounter).
  public internal(set) var signCounter: UInt32
  /// The last status other than success that the server gave for this key; 0 if there was none.
  ///
  /// This machine only stores the status, and never deletes the key because of it.
  public private(set) var serverStatus: UInt32

  var record: [UInt8] {
    // The lowest version that has all needed fields is written, so that an earlier program can read a key that it can use.
    var writer = RecordWriter(version: algorithm != .es256 ? 3 : keyProtocol != .uaf ? 2 : 1)
    writer.put(type.rawValue)
    writer.put(appID)
    writer.put(keyID)
    writer.put(publicKey)
    writer.put(nonce)
    writer.put(sealedPrivateKey)
    writer.put(signCounter)
    writer.put(serverStatus)
    if keyProtocol != .uaf {
      writer.put(keyProtocol.rawValue)
      writer.put(userHandle)
    }
    if algorithm != .es256 { writer.put(algorithm.rawValue) }
    return writer.bytes
  }

  /// Stores the status that the server gave for the key.
  mutating func note(serverStatus: UInt32) { self.serverStatus = serverStatus }

  /// Counts one more signature.
  ///
  /// - Returns: the counter to sign with.
  /// - Throws: ``StateError/absent`` if the counter has reached its maximum.
  public mutating func countSignature() throws(StateError) -> UInt32 {
    let (next, overflow) = signCounter.addingReportingOverflow(1)
    guard !overflow else { throw .absent }
    signCounter = next
    return next
  }

  init(record: [UInt8]) throws(StateError) {
    let version = record.first ?? 0
    guard (1...3).contains(version) else { throw .damaged }
    var reader = try RecordReader(record, version: version)
    guard let type = AuthenticatorType(rawValue: try reader.text()) else { throw .damaged }
    self.type = type
    appID = try reader.text()
    keyID = try reader.data()
    publicKey = try reader.data()
    nonce = try reader.data()
    sealedPrivateKey = try reader.data()
    signCounter = try reader.integer()
    serverStatus = try reader.integer()
    if version == 1 {
      (keyProtocol, userHandle) = (.uaf, [])
    } else {
      guard try reader.integer(UInt8.self) == KeyProtocol.webAuthn.rawValue else { throw .damaged }
      keyProtocol = .webAuthn
      userHandle = try reader.data()
    }
    algorithm = version == 3 ? .ed25519 : .es256
    if version == 3 {
      guard try reader.integer(UInt8.self) == algorithm.rawValue else { throw .damaged }
    }
    try reader.finish()
  }

  init(
    type: AuthenticatorType, keyProtocol: KeyProtocol = .uaf, algorithm: KeyAlgorithm = .es256, appID: String,
    userHandle: [UInt8] = [], keyID: [UInt8], publicKey: [UInt8], nonce: [UInt8], sealedPrivateKey: [UInt8]
  ) {
    self.type = type
    self.algorithm = algorithm
    self.keyProtocol = keyProtocol
    self.userHandle = userHandle
    self.appID = appID
    self.keyID = keyID
    self.publicKey = publicKey
    self.nonce = nonce
    self.sealedPrivateKey = sealedPrivateKey
    signCounter = 0
    serverStatus = 0
  }
}

/// The account that a file belongs to.
///
/// It is bound into every seal and every MAC, so an account with a reused uid or a different name opens nothing.
public struct AccountIdentity: Equatable, Sendable {
  /// The account's uid.
  public let uid: UInt32
  /// The account's canonical name, as bytes.
  public let name: [UInt8]
  /// The server's name for the account.
  public let serverUserName: String

  /// Makes an identity.
  public init(uid: UInt32, name: [UInt8], serverUserName: String) {
    self.uid = uid
    self.name = name
    self.serverUserName = serverUserName
  }

  var record: [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(uid)
    writer.put(name)
    writer.put(serverUserName)
    return writer.bytes
  }

  init(record: [UInt8]) throws(StateError) {
    var reader = try RecordReader(record, version: 1)
    uid = try reader.integer()
    name = try reader.data()
    serverUserName = try reader.text()
    try reader.finish()
  }
}

/// A key that the server has accepted, with the authenticator that made it, ready to be stored.
public struct NewRegistration {
  /// The key.
  public let key: RegisteredKey
  let enrolled: EnrolledAuthenticator
  /// Whether the authenticator is new too.
  let isNew: Bool
}

/// The protocol for which a key signs.
///
/// It is bound into the seal of the private key. So a key of one protocol does not open for the other, even if its record is
/// changed.
public enum KeyProtocol: UInt8, Sendable {
  /// FIDO UAF: the key belongs to an AppID.
  case uaf = 1
  /// WebAuthn: the key is a credential of the relying party with that rpId.
  case webAuthn = 2
}

/// The algorithm by which a key signs.
///
/// It is bound into the seal of the private key, as the protocol is.
public enum KeyAlgorithm: UInt8, Sendable {
  /// ECDSA on P-256 with SHA-256: every key of UAF, and of WebAuthn wherever the server takes it.
  case es256 = 1
  /// Ed25519, for WebAuthn alone.
  case ed25519 = 2
}
