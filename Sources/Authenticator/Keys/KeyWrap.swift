import SecretMemory
import UAFCrypto

/// The two seals between a person's secret and a UAF private key.
///
/// scrypt of the secret, then HKDF with the device key, opens the authenticator's own random key; that key opens the
/// private keys. So a change of the secret rewrites one row. A stolen file without the device key allows no guessing;
/// with it, each guess costs one scrypt.
struct KeyWrap {
  let identity: AccountIdentity
  let type: AuthenticatorType

  private static let saltLength = 16
  private static let nonceLength = 12
  private static let keyLength = 32

  /// A new random key for an authenticator.
  ///
  /// - Throws: ``StateError/cryptography``.
  static func makeKey() throws(StateError) -> Secret {
    do { return try RandomBytes.makeSecret(keyLength) } catch { throw .cryptography }
  }

  /// Seals an authenticator's key under a secret.
  ///
  /// - Throws: ``StateError/cryptography``.
  func seal(
    _ key: borrowing Secret, under value: borrowing Secret, cost: Scrypt.Parameters, deviceSecret: borrowing Secret
  ) throws(StateError) -> EnrolledAuthenticator {
    do {
      let salt = try RandomBytes.make(Self.saltLength)
      let nonce = try RandomBytes.make(Self.nonceLength)
      let sealing = try sealingKey(value, salt: salt, cost: cost, deviceSecret: deviceSecret)
      let sealed = try AES256GCM.seal(key, key: sealing, nonce: nonce, additionalData: authenticatorData(salt, cost))
      return EnrolledAuthenticator(salt: salt, cost: cost, nonce: nonce, sealedKey: sealed)
    } catch { throw .cryptography }
  }

  /// A seal of random bytes: as long as a real one, and no secret opens it.
  ///
  /// - Throws: ``StateError/cryptography``.
  static func unopenable(cost: Scrypt.Parameters) throws(StateError) -> EnrolledAuthenticator {
    do {
      return EnrolledAuthenticator(
        salt: try RandomBytes.make(saltLength), cost: cost, nonce: try RandomBytes.make(nonceLength),
        sealedKey: try RandomBytes.make(keyLength + AES256GCM.tagByteCount))
    } catch { throw .cryptography }
  }

  /// The authenticator's key, opened with `value`; nil if the secret is not correct.
  ///
  /// - Throws: ``StateError/cryptography`` when the derivation could not be done, which says nothing about the secret.
  func open(
    _ enrolled: EnrolledAuthenticator, with value: borrowing Secret, deviceSecret: borrowing Secret
  ) throws(StateError) -> Secret? {
    let sealing: Secret
    do {
      sealing = try sealingKey(value, salt: enrolled.salt, cost: enrolled.cost, deviceSecret: deviceSecret)
    } catch { throw .cryptography }
    do throws(CryptoError) {
      return try AES256GCM.open(
        enrolled.sealedKey, key: sealing, nonce: enrolled.nonce,
        additionalData: authenticatorData(enrolled.salt, enrolled.cost))
    } catch {
      guard error == .authenticationFailed else { throw .cryptography }
      return nil
    }
  }

  private func sealingKey(
    _ value: borrowing Secret, salt: [UInt8], cost: Scrypt.Parameters, deviceSecret: borrowing Secret
  ) throws(CryptoError) -> Secret {
    let stretched = try Scrypt.derive(value: value, salt: salt, parameters: cost, length: Self.keyLength)
    var info = RecordWriter(version: 1)
    info.put("pam-uaf authenticator key")
    info.put(identity.uid)
    info.put(type.rawValue)
    return try HKDFSHA256.derive(secret: stretched, salt: deviceSecret, info: info.bytes, length: Self.keyLength)
  }

  /// What the seal of the authenticator's key is bound to.
  private func authenticatorData(_ salt: [UInt8], _ cost: Scrypt.Parameters) -> [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(identity.record)
    writer.put(type.aaid)
    writer.put(salt)
    for number in [cost.logN, cost.r, cost.p] { writer.put(UInt8(clamping: number)) }
    return writer.bytes
  }

  /// What the seal of a private key is bound to.
  func keyData(appID: String, keyID: [UInt8]) -> [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(identity.record)
    writer.put(type.aaid)
    writer.put(appID)
    writer.put(keyID)
    return writer.bytes
  }
}
