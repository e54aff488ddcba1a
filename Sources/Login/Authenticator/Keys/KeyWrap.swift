import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// The two seals between a person's secret and a UAF private key.
///
/// The secret is stretched with scrypt and then combined with the device key by HKDF. The result opens the authenticator's own
/// random key, and that key opens the private keys. So a change of the secret rewrites one row. From a stolen file, the secret
/// cannot be guessed without the device key; with it, each guess costs one scrypt. If a chip counts wrong secrets, the seal
/// also needs a share that the chip gives out.
struct KeyWrap {
  let identity: AccountIdentity
  let type: AuthenticatorType
  /// What stores the shares; nil if this machine uses none.
  var shares: (any ShareKeeper)?
  /// The file with the recovery key's public half, to which copies of shares are sealed; nil if no copies are made.
  var recovery: RecoveryPlace?

  private static let saltLength = 16
  private static let nonceLength = 12
  private static let keyLength = 32
  private static let valuesLength = 64

  /// A new random key for an authenticator.
  ///
  /// - Throws: ``StateError/cryptography``.
  static func makeKey() throws(StateError) -> Secret {
    do { return try RandomBytes.makeSecret(keyLength) } catch { throw .cryptography }
  }

  /// The right to make a share.
  ///
  /// The caller holds it until the share's record is on the disk. Nil if no share is to be made.
  ///
  /// - Throws: ``StateError``; `superseded` while a call of root removes shares of the account.
  func claim(in slots: borrowing TrustedDirectory) throws(StateError) -> ShareClaim? {
    guard type.isTyped, shares?.cost != nil else { return nil }
    return try ShareClaim(of: identity.uid, in: slots)
  }

  /// Seals an authenticator's key under a secret, with a share if `shares` makes one.
  ///
  /// - Parameter cost: the cost of the derivation if there is no share.
  /// - Throws: ``StateError``: `cryptography`, or `share` if root demands a share and none can be made.
  func seal(
    _ key: borrowing Secret, under value: borrowing Secret, cost: Scrypt.Parameters, deviceSecret: borrowing Secret
  ) throws(StateError) -> EnrolledAuthenticator {
    let salt: [UInt8]
    do { salt = try RandomBytes.make(Self.saltLength) } catch { throw .cryptography }
    // Only secrets that are typed get a share: others cannot be guessed.
    if type.isTyped, let shares, shares.cost == nil { try shares.allowNone() }
    if type.isTyped, let shares, let cost = shares.cost {
      let stretched = try stretched(value, salt, cost)
      let values = try chipValues(stretched, deviceSecret: deviceSecret)
      let mark = try Self.mark(of: identity.uid, type, deviceSecret: deviceSecret)
      if let made = try shares.make(values, for: type.rawValue, of: identity.uid, mark: mark) {
        let sealing = try sealingKey(stretched, share: made.share, deviceSecret: deviceSecret)
        let copy = copy(of: made, tellingOf: shares, deviceSecret: deviceSecret)
        return try seal(key, with: sealing, salt, cost, share: made.kept, copy: copy)
      }
    }
    let sealing = try sealingKey(try stretched(value, salt, cost), deviceSecret: deviceSecret)
    return try seal(key, with: sealing, salt, cost)
  }

  /// The copy of a new share under the recovery key; nil if no copy is made.
  private func copy(
    of made: borrowing NewShare, tellingOf shares: any ShareKeeper, deviceSecret: borrowing Secret
  ) -> [UInt8]? {
    guard let recovery else { return nil }
    switch CopyRecipient(at: recovery, deviceSecret: deviceSecret) {
    case .none: return nil
    case .publicKey(let key):
      if let copy = try? seal(of: made.kept).copy(made.share, to: key) { return copy }
    case .refused: break
    }
    shares.tellNoCopy(for: type.rawValue)
    return nil
  }

  private func seal(of kept: [UInt8]) -> ShareSeal { ShareSeal(identity: identity, type: type, kept: kept) }

  /// The record of a key whose share was recovered from its copy, so that it no longer needs the chip.
  ///
  /// - Returns: nil if there is no copy of the share, or `pair` does not open it.
  /// - Throws: ``StateError/cryptography``.
  func released(
    _ enrolled: EnrolledAuthenticator, with pair: borrowing P256.KeyPair, deviceSecret: borrowing Secret
  ) throws(StateError) -> EnrolledAuthenticator? {
    guard let kept = enrolled.chipShare, let copy = enrolled.copy else { return nil }
    guard let share = try seal(of: kept).open(copy: copy, with: pair) else { return nil }
    return EnrolledAuthenticator(enrolled, released: try seal(of: kept).release(share, under: deviceSecret))
  }

  private func seal(
    _ key: borrowing Secret, with sealing: borrowing Secret, _ salt: [UInt8], _ cost: Scrypt.Parameters,
    share: [UInt8]? = nil,
    copy: [UInt8]? = nil
  ) throws(StateError) -> EnrolledAuthenticator {
    do {
      let nonce = try RandomBytes.make(Self.nonceLength)
      let sealed = try AES256GCM.seal(
        key, key: sealing, nonce: nonce, additionalData: authenticatorData(salt, cost, share))
      return EnrolledAuthenticator(salt: salt, cost: cost, nonce: nonce, sealedKey: sealed, share: share, copy: copy)
    } catch { throw .cryptography }
  }

  /// An authenticator that no secret opens: its seal is random bytes, as long as a real one.
  ///
  /// - Throws: ``StateError/cryptography``.
  static func unopenable(cost: Scrypt.Parameters) throws(StateError) -> EnrolledAuthenticator {
    do {
      return EnrolledAuthenticator(
        salt: try RandomBytes.make(saltLength), cost: cost, nonce: try RandomBytes.make(nonceLength),
        sealedKey: try RandomBytes.make(keyLength + AES256GCM.tagByteCount))
    } catch { throw .cryptography }
  }

  /// Opens the authenticator's key with `value`.
  ///
  /// - Throws: ``StateError``: `cryptography` if the derivation failed, `share` if the chip did not give out the share. Neither
  ///   tells whether the secret was right.
  func open(
    _ enrolled: EnrolledAuthenticator, with value: borrowing Secret, deviceSecret: borrowing Secret
  ) throws(StateError) -> KeyOpening {
    let stretched = try stretched(value, enrolled.salt, enrolled.cost)
    guard let kept = enrolled.chipShare else {
      if type.isTyped, let shares { shares.openInVain(try chipValues(stretched, deviceSecret: deviceSecret)) }
      guard let kept = enrolled.share, let released = enrolled.released else {
        return try open(enrolled, with: try sealingKey(stretched, deviceSecret: deviceSecret))
      }
      let share = try seal(of: kept).open(released: released, under: deviceSecret)
      return try open(enrolled, with: try sealingKey(stretched, share: share, deviceSecret: deviceSecret))
    }
    guard let shares else { throw .share }
    switch try shares.open(kept, with: try chipValues(stretched, deviceSecret: deviceSecret)) {
    case .opened(let share):
      return try open(enrolled, with: try sealingKey(stretched, share: share, deviceSecret: deviceSecret))
    case .wrong: return .wrong
    case .exhausted: return .exhausted
    }
  }

  private func open(_ enrolled: EnrolledAuthenticator, with sealing: borrowing Secret) throws(StateError) -> KeyOpening
  {
    do throws(CryptoError) {
      return .opened(
        try AES256GCM.open(
          enrolled.sealedKey, key: sealing, nonce: enrolled.nonce,
          additionalData: authenticatorData(enrolled.salt, enrolled.cost, enrolled.share)))
    } catch {
      guard error == .authenticationFailed else { throw .cryptography }
      return .wrong
    }
  }

  // MARK: Derivations

  private func stretched(
    _ value: borrowing Secret, _ salt: [UInt8], _ cost: Scrypt.Parameters
  ) throws(StateError) -> Secret {
    do { return try Scrypt.derive(value: value, salt: salt, parameters: cost, length: Self.keyLength) } catch {
      throw .cryptography
    }
  }

  private func sealingKey(_ stretched: borrowing Secret, deviceSecret: borrowing Secret) throws(StateError) -> Secret {
    try derived(stretched, salt: deviceSecret, "pam-uaf authenticator key", Self.keyLength)
  }

  /// The key that seals an authenticator's key if a share is needed for it as well.
  private func sealingKey(
    _ stretched: borrowing Secret, share: borrowing Secret, deviceSecret: borrowing Secret
  ) throws(StateError) -> Secret {
    let sealing = try sealingKey(stretched, deviceSecret: deviceSecret)
    return try derived(share, salt: sealing, "pam-uaf authenticator key with a share", Self.keyLength)
  }

  /// The two values that the chip checks.
  ///
  /// Neither of them is the secret that was entered, and neither opens a seal.
  private func chipValues(_ stretched: borrowing Secret, deviceSecret: borrowing Secret) throws(StateError) -> Secret {
    try derived(stretched, salt: deviceSecret, "pam-uaf chip values", Self.valuesLength)
  }

  private func derived(
    _ secret: borrowing Secret, salt: borrowing Secret, _ purpose: String, _ length: Int
  ) throws(StateError) -> Secret {
    do {
      return try HKDFSHA256.derive(
        secret: secret, salt: salt, info: Self.info(purpose, identity.uid, type), length: length)
    } catch { throw .cryptography }
  }

  private static func info(_ purpose: String, _ uid: UInt32, _ type: AuthenticatorType) -> [UInt8] {
    var info = RecordWriter(version: 1)
    info.put(purpose)
    info.put(uid)
    info.put(type.rawValue)
    return info.bytes
  }

  /// The identifier by which the chip finds the shares of an authenticator; it reveals nothing about the device key.
  ///
  /// - Throws: ``StateError/cryptography``.
  static func mark(
    of uid: UInt32, _ type: AuthenticatorType, deviceSecret: borrowing Secret
  ) throws(StateError) -> [UInt8] {
    do {
      let mark = try HKDFSHA256.derive(
        secret: deviceSecret, salt: Secret(capacity: 0), info: info("pam-uaf mark in the chip", uid, type),
        length: keyLength)
      return mark.withBytes { span in span.indices.map { span[$0] } }
    } catch { throw .cryptography }
  }

  /// The additional authenticated data of the seal of the authenticator's key.
  private func authenticatorData(_ salt: [UInt8], _ cost: Scrypt.Parameters, _ share: [UInt8]?) -> [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(identity.record)
    writer.put(type.aaid)
    writer.put(salt)
    for number in [cost.logN, cost.r, cost.p] { writer.put(UInt8(clamping: number)) }
    if let share { writer.put(share) }
    return writer.bytes
  }

  /// The additional authenticated data of the seal of a private key.
  ///
  /// Its first byte differs by protocol and algorithm, so a key of one never opens as a key of the other.
  func keyData(
    _ keyProtocol: KeyProtocol, _ algorithm: KeyAlgorithm, appID: String, keyID: [UInt8], userHandle: [UInt8]
  ) -> [UInt8] {
    // For the keys of earlier versions, the data stays as those made it.
    var writer = RecordWriter(version: algorithm != .es256 ? 3 : keyProtocol != .uaf ? 2 : 1)
    writer.put(identity.record)
    writer.put(type.aaid)
    writer.put(appID)
    writer.put(keyID)
    if keyProtocol != .uaf {
      writer.put(keyProtocol.rawValue)
      writer.put(userHandle)
    }
    if algorithm != .es256 { writer.put(algorithm.rawValue) }
    return writer.bytes
  }
}
