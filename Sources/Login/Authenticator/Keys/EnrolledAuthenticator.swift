import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// What is stored of an authenticator to check an entry against the current secret.
///
/// Neither the secret nor a hash of it is stored: the correct secret is the one that opens the seal.
public struct EnrolledAuthenticator: Equatable, Sendable {
  let salt: [UInt8]
  let cost: Scrypt.Parameters
  let nonce: [UInt8]
  /// The authenticator's own random key, sealed.
  let sealedKey: [UInt8]
  /// The chip's record of the share that the key needs; nil for a key that needs none.
  let share: [UInt8]?
  /// A copy of the share, which the recovery key opens; nil if there is no copy.
  let copy: [UInt8]?
  /// The share itself, sealed under the device key because the chip that had it was lost; nil while the chip has it.
  let released: [UInt8]?
  /// Counts registrations with this authenticator (UAF: RegCounter).
  public internal(set) var registrationCounter: UInt32

  /// Whether the key needs a share that the chip has.
  ///
  /// If so, the chip counts wrong secrets.
  public var hasShare: Bool { chipShare != nil }

  /// The chip's record of the share; nil for a key without a share, and for one whose share was released from the chip.
  var chipShare: [UInt8]? { released == nil ? share : nil }

  var record: [UInt8] {
    // Each version adds one field. The lowest version that has all needed fields is written, so that an earlier program can
    // read the record if it can use the authenticator.
    var writer = RecordWriter(version: released != nil ? 4 : copy != nil ? 3 : share != nil ? 2 : 1)
    writer.put(salt)
    for number in [cost.logN, cost.r, cost.p] { writer.put(UInt8(clamping: number)) }
    writer.put(nonce)
    writer.put(sealedKey)
    writer.put(registrationCounter)
    if let share { writer.put(share) }
    if let further = released ?? copy { writer.put(further) }
    return writer.bytes
  }

  init(record: [UInt8]) throws(StateError) {
    let version = record.first ?? 0
    guard (1...4).contains(version) else { throw .damaged }
    var reader = try RecordReader(record, version: version)
    salt = try reader.data()
    cost = Scrypt.Parameters(
      logN: Int(try reader.integer(UInt8.self)), r: Int(try reader.integer(UInt8.self)),
      p: Int(try reader.integer(UInt8.self)))
    nonce = try reader.data()
    sealedKey = try reader.data()
    registrationCounter = try reader.integer()
    share = version >= 2 ? try reader.data() : nil
    copy = version == 3 ? try reader.data() : nil
    released = version == 4 ? try reader.data() : nil
    try reader.finish()
  }

  init(
    salt: [UInt8], cost: Scrypt.Parameters, nonce: [UInt8], sealedKey: [UInt8], share: [UInt8]? = nil,
    copy: [UInt8]? = nil
  ) {
    self.salt = salt
    self.cost = cost
    self.nonce = nonce
    self.sealedKey = sealedKey
    self.share = share
    self.copy = copy
    released = nil
    registrationCounter = 0
  }

  /// The same authenticator, with its share released from the chip.
  init(_ other: EnrolledAuthenticator, released: [UInt8]) {
    salt = other.salt
    cost = other.cost
    nonce = other.nonce
    sealedKey = other.sealedKey
    share = other.share
    copy = nil
    self.released = released
    registrationCounter = other.registrationCounter
  }
}

/// An authenticator whose secret was entered: its keys can be used as long as this exists.
///
/// It comes either from opening an existing seal or from making a new one.
public struct UnlockedAuthenticator: ~Copyable {
  let wrap: KeyWrap
  let enrolled: EnrolledAuthenticator
  /// Whether the authenticator was made in this call and is not stored yet.
  public let isNew: Bool
  private let key: Secret
  /// The right to have a share in the chip that no record names yet; held for as long as this exists.
  private let claim: ShareClaim?

  private init(
    wrap: KeyWrap, enrolled: EnrolledAuthenticator, isNew: Bool, key: consuming Secret, claim: ShareClaim? = nil
  ) {
    self.wrap = wrap
    self.enrolled = enrolled
    self.isNew = isNew
    self.key = key
    self.claim = claim
  }

  /// Makes an authenticator with a new random key, sealed under `value`; nothing is stored yet.
  ///
  /// - Throws: ``StateError``: `cryptography`, `share`, or `superseded` while a call of root removes shares of the account.
  static func enrol(
    _ value: borrowing Secret, wrap: KeyWrap, cost: Scrypt.Parameters, in directory: borrowing StateDirectory
  ) throws(StateError) -> UnlockedAuthenticator {
    let key = try KeyWrap.makeKey()
    let claim = try wrap.claim(in: directory.slots)
    let enrolled = try wrap.seal(key, under: value, cost: cost, deviceSecret: directory.deviceSecret)
    return UnlockedAuthenticator(wrap: wrap, enrolled: enrolled, isNew: true, key: key, claim: claim)
  }

  /// Opens an authenticator with `value`.
  ///
  /// - Throws: ``StateError`` as ``KeyWrap/open(_:with:deviceSecret:)``.
  static func open(
    _ enrolled: EnrolledAuthenticator, wrap: KeyWrap, with value: borrowing Secret, deviceSecret: borrowing Secret
  ) throws(StateError) -> Opening {
    switch try wrap.open(enrolled, with: value, deviceSecret: deviceSecret) {
    case .opened(let key):
      return .opened(UnlockedAuthenticator(wrap: wrap, enrolled: enrolled, isNew: false, key: key))
    case .wrong: return .wrong
    case .exhausted: return .exhausted
    }
  }

  /// The result of opening an authenticator.
  enum Opening: ~Copyable {
    case opened(UnlockedAuthenticator)
    case wrong
    /// Not checked: the chip has counted too many wrong secrets.
    case exhausted
  }

  /// The chip's record of the authenticator's share; nil if it has none.
  public var share: [UInt8]? { enrolled.share }

  /// The authenticator's type.
  public var type: AuthenticatorType { wrap.type }

  /// The number of the next registration with this authenticator (UAF: RegCounter).
  public var nextRegistrationCounter: UInt32 { enrolled.registrationCounter &+ 1 }

  /// The same authenticator sealed under a different secret; nothing is stored yet.
  ///
  /// - Throws: ``StateError/cryptography``.
  borrowing func sealed(
    under value: borrowing Secret, cost: Scrypt.Parameters, deviceSecret: borrowing Secret
  ) throws(StateError) -> EnrolledAuthenticator {
    var sealed = try wrap.seal(key, under: value, cost: cost, deviceSecret: deviceSecret)
    sealed.registrationCounter = enrolled.registrationCounter
    return sealed
  }

  /// The registration to store for `key` and this authenticator, once the server has accepted the key.
  public borrowing func registration(of key: RegisteredKey) -> NewRegistration {
    NewRegistration(key: key, enrolled: enrolled, isNew: isNew)
  }

  /// A key for something else than keys of applications, which only this authenticator's own key gives.
  ///
  /// - Parameter purpose: what the key is for; each purpose has a key of its own.
  /// - Throws: `CryptoError`.
  borrowing func derivedKey(for purpose: String) throws(CryptoError) -> Secret {
    let salt: Secret
    do { salt = try Secret(capacity: 0) } catch { throw .outOfMemory }
    return try HKDFSHA256.derive(secret: key, salt: salt, info: bound(to: purpose), length: AES256GCM.keyByteCount)
  }

  /// The account, the authenticator and a purpose as bytes, to which a key or a seal is bound.
  borrowing func bound(to purpose: String) -> [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(purpose)
    writer.put(wrap.identity.record)
    writer.put(wrap.type.aaid)
    return writer.bytes
  }

  /// Makes a key pair for an application; nothing is stored yet.
  ///
  /// - Parameters:
  ///   - keyProtocol: the only protocol for which the key will sign.
  ///   - algorithm: the only algorithm by which it will sign; for UAF, ``KeyAlgorithm/es256`` alone.
  ///   - appID: the AppID, or the rpId of a relying party.
  ///   - userHandle: the account's handle at the relying party.
  /// - Throws: ``StateError/cryptography``.
  public borrowing func makeKey(
    _ keyProtocol: KeyProtocol = .uaf, _ algorithm: KeyAlgorithm = .es256, appID: String, userHandle: [UInt8] = []
  ) throws(StateError) -> RegisteredKey {
    guard keyProtocol == .webAuthn || algorithm == .es256 else { throw .cryptography }
    do {
      let pair = try NewPair(algorithm)
      let keyID = try RandomBytes.make(32)
      let nonce = try RandomBytes.make(12)
      let sealed = try AES256GCM.seal(
        pair.privateKey, key: key, nonce: nonce,
        additionalData: wrap.keyData(keyProtocol, algorithm, appID: appID, keyID: keyID, userHandle: userHandle))
      return RegisteredKey(
        type: type, keyProtocol: keyProtocol, algorithm: algorithm, appID: appID, userHandle: userHandle, keyID: keyID,
        publicKey: pair.publicKey, nonce: nonce, sealedPrivateKey: sealed)
    } catch { throw .cryptography }
  }

  /// Signs with a key of this authenticator: ECDSA P-256 with SHA-256, raw r | s, or Ed25519; 64 bytes in both cases.
  ///
  /// - Parameter keyProtocol: the protocol that the message belongs to. A key of the other protocol does not open.
  /// - Throws: ``StateError/damaged`` if the key does not open, ``StateError/cryptography`` otherwise.
  public borrowing func sign(
    _ message: [UInt8], with uafKey: RegisteredKey, as keyProtocol: KeyProtocol = .uaf
  ) throws(StateError) -> [UInt8] {
    do throws(CryptoError) {
      let privateKey = try AES256GCM.open(
        uafKey.sealedPrivateKey, key: key, nonce: uafKey.nonce,
        additionalData: wrap.keyData(
          keyProtocol, uafKey.algorithm, appID: uafKey.appID, keyID: uafKey.keyID, userHandle: uafKey.userHandle))
      return switch uafKey.algorithm {
      case .es256: try P256.sign(message, privateKey: privateKey)
      case .ed25519: try Ed25519.sign(message, privateKey: privateKey)
      }
    } catch { throw error == .authenticationFailed ? .damaged : .cryptography }
  }
}

/// The two parts of a new key, before the private one is sealed.
private struct NewPair: ~Copyable {
  let privateKey: Secret
  let publicKey: [UInt8]

  /// - Throws: ``CryptoError``.
  init(_ algorithm: KeyAlgorithm) throws(CryptoError) {
    switch algorithm {
    case .es256:
      let pair = try P256.generate()
      publicKey = pair.publicKey
      privateKey = pair.privateKey
    case .ed25519:
      let secret = try RandomBytes.makeSecret(Ed25519.privateKeyByteCount)
      publicKey = try Ed25519.publicKey(of: secret)
      privateKey = secret
    }
  }
}

/// The result of opening an authenticator's key with a secret.
enum KeyOpening: ~Copyable {
  /// The authenticator's key.
  case opened(Secret)
  /// The secret is wrong.
  case wrong
  /// The secret was not checked: the chip has counted too many wrong ones.
  case exhausted
}
