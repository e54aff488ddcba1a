import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// The two seals of a share outside the chip: a copy that only the recovery key opens, and a released share that the device key
/// opens.
///
/// Both are bound to the account, the type, and the chip's record of the share.
struct ShareSeal {
  let identity: AccountIdentity
  let type: AuthenticatorType
  /// The chip's record of the share.
  let kept: [UInt8]

  private static let shareByteCount = 32
  private static let copyVersion: UInt8 = 1
  private static let copyPurpose = "pam-uaf copy of a share"
  private static let releasedPurpose = "pam-uaf released share"

  // MARK: The copy

  /// Seals a share to a public key: ECDH with a key pair made for this copy alone, and HKDF over the shared secret.
  ///
  /// - Returns: a version (1 byte), the pair's public key (65 bytes), a nonce (12 bytes), and the sealed share.
  /// - Throws: ``StateError/cryptography``.
  func copy(_ share: borrowing Secret, to publicKey: [UInt8]) throws(StateError) -> [UInt8] {
    do {
      let pair = try P256.generate()
      let shared = try P256Agreement.sharedSecret(privateKey: pair.privateKey, with: publicKey)
      let key = try Self.copyKey(shared, from: pair.publicKey, to: publicKey)
      let nonce = try RandomBytes.make(AES256GCM.nonceByteCount)
      let sealed = try AES256GCM.seal(share, key: key, nonce: nonce, additionalData: data(Self.copyPurpose))
      return [Self.copyVersion] + pair.publicKey + nonce + sealed
    } catch { throw .cryptography }
  }

  /// Opens a copy.
  ///
  /// - Parameter pair: the key pair that the words of the recovery key give.
  /// - Returns: nil if the copy is damaged, or was made for another key pair, account, type or share.
  /// - Throws: ``StateError/cryptography``.
  func open(copy: [UInt8], with pair: borrowing P256.KeyPair) throws(StateError) -> Secret? {
    let nonceStart = 1 + P256.publicKeyByteCount
    let sealedStart = nonceStart + AES256GCM.nonceByteCount
    guard copy.first == Self.copyVersion, copy.count == sealedStart + Self.shareByteCount + AES256GCM.tagByteCount
    else { return nil }
    let sender = Array(copy[1..<nonceStart])
    guard P256.isOnCurve(sender) else { return nil }
    let key: Secret
    do {
      let shared = try P256Agreement.sharedSecret(privateKey: pair.privateKey, with: sender)
      key = try Self.copyKey(shared, from: sender, to: pair.publicKey)
    } catch { throw .cryptography }
    return try opened(
      Array(copy[sealedStart...]), key: key, nonce: Array(copy[nonceStart..<sealedStart]), Self.copyPurpose)
  }

  private static func copyKey(
    _ shared: borrowing Secret, from sender: [UInt8], to recipient: [UInt8]
  ) throws -> Secret {
    var info = RecordWriter(version: 1)
    info.put(copyPurpose)
    info.put(sender)
    info.put(recipient)
    return try HKDFSHA256.derive(
      secret: shared, salt: Secret(capacity: 0), info: info.bytes, length: AES256GCM.keyByteCount)
  }

  // MARK: The released share

  /// Seals a share under the device key.
  ///
  /// - Returns: a nonce (12 bytes), and the sealed share.
  /// - Throws: ``StateError/cryptography``.
  func release(_ share: borrowing Secret, under deviceSecret: borrowing Secret) throws(StateError) -> [UInt8] {
    do {
      let nonce = try RandomBytes.make(AES256GCM.nonceByteCount)
      return nonce
        + (try AES256GCM.seal(
          share, key: try releasedKey(deviceSecret), nonce: nonce, additionalData: data(Self.releasedPurpose)))
    } catch { throw .cryptography }
  }

  /// Opens a released share.
  ///
  /// - Throws: ``StateError/damaged`` if the share is damaged, or belongs to a different account, type or share;
  ///   `cryptography`.
  func open(released: [UInt8], under deviceSecret: borrowing Secret) throws(StateError) -> Secret {
    let start = AES256GCM.nonceByteCount
    guard released.count == start + Self.shareByteCount + AES256GCM.tagByteCount else { throw .damaged }
    let key: Secret
    do { key = try releasedKey(deviceSecret) } catch { throw .cryptography }
    guard
      let share = try opened(
        Array(released[start...]), key: key, nonce: Array(released[..<start]), Self.releasedPurpose)
    else { throw .damaged }
    return share
  }

  private func releasedKey(_ deviceSecret: borrowing Secret) throws -> Secret {
    var info = RecordWriter(version: 1)
    info.put(Self.releasedPurpose)
    info.put(identity.uid)
    info.put(type.rawValue)
    return try HKDFSHA256.derive(
      secret: deviceSecret, salt: Secret(capacity: 0), info: info.bytes, length: AES256GCM.keyByteCount)
  }

  // MARK: Parts

  private func opened(
    _ sealed: [UInt8], key: borrowing Secret, nonce: [UInt8], _ purpose: String
  ) throws(StateError) -> Secret? {
    do throws(CryptoError) {
      return try AES256GCM.open(sealed, key: key, nonce: nonce, additionalData: data(purpose))
    } catch {
      guard error == .authenticationFailed else { throw .cryptography }
      return nil
    }
  }

  private func data(_ purpose: String) -> [UInt8] {
    var writer = RecordWriter(version: 1)
    writer.put(purpose)
    writer.put(identity.record)
    writer.put(type.aaid)
    writer.put(kept)
    return writer.bytes
  }
}
