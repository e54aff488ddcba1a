import SecretMemory
import UAFCrypto
import UAFMessages

/// Keeps the keys of enrolment codes, and checks what is authenticated with them.
///
/// A store has a key only sealed by the server's secret: a copy of the store alone registers nothing. The code itself is kept
/// nowhere.
package struct EnrolmentSeal: Sendable {
  let keys: ServerKeys

  /// How many random bytes a seal takes.
  package static let nonceByteCount = AES256GCM.nonceByteCount

  private static let purpose = "enrolment code"

  package init(keys: ServerKeys) { self.keys = keys }

  /// Seals the key of a code for an account: what ``Enrolments/open(_:for:expiresAt:)`` stores.
  ///
  /// - Parameter nonce: 12 random bytes.
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  package func seal(_ code: EnrolmentCode, for username: String, nonce: [UInt8]) throws -> [UInt8] {
    let info = EnrolmentCode.keyInfo(username: username)
    let key = try Self.key(of: code, info)
    guard let sealing = try keys.authenticationCodes(Self.purpose, info).first else { return [] }
    return nonce
      + (try AES256GCM.seal(key, key: Secret(copying: sealing.span), nonce: nonce, additionalData: info))
  }

  /// Whether a stored key is that of a code.
  ///
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  package func isKey(_ sealedKey: [UInt8], of code: EnrolmentCode, for username: String) throws -> Bool {
    let key = try Self.key(of: code, EnrolmentCode.keyInfo(username: username))
    let statement = EnrolmentCode.registrationStatement(username: username)
    return try isValid(HMACSHA256.authenticate(statement, key: key), of: statement, by: sealedKey, for: username)
  }

  /// Whether somebody has authenticated a statement with the key of a code, compared in constant time.
  ///
  /// It takes as long where there is no code.
  ///
  /// - Parameter sealedKey: as stored; nil where no code is open.
  /// - Throws: ``CryptoError``; ``SecretMemoryError``.
  func isValid(
    _ code: [UInt8], of statement: [UInt8], by sealedKey: [UInt8]?, for username: String
  ) throws -> Bool {
    let info = EnrolmentCode.keyInfo(username: username)
    let stored = sealedKey ?? [UInt8](repeating: 0, count: Self.byteCount)
    let nonce = Array(stored.prefix(AES256GCM.nonceByteCount))
    // The secret that has sealed it may have been replaced since.
    for sealing in try keys.authenticationCodes(Self.purpose, info) {
      let sealingKey = try Secret(copying: sealing.span)
      let key: Secret
      do throws(CryptoError) {
        key = try AES256GCM.open(
          Array(stored.dropFirst(nonce.count)), key: sealingKey, nonce: nonce, additionalData: info)
      } catch {
        guard error == .authenticationFailed else { throw error }
        _ = try HMACSHA256.authenticate(statement, keyInOrdinaryMemory: sealing)
        continue
      }
      return try HMACSHA256.isValid(code, of: statement, key: key)
    }
    return false
  }

  private static func key(of code: EnrolmentCode, _ info: [UInt8]) throws -> Secret {
    try HKDFSHA256.derive(material: code.keyMaterial, info: info, length: EnrolmentCode.keyByteCount)
  }

  private static let byteCount = AES256GCM.nonceByteCount + EnrolmentCode.keyByteCount + AES256GCM.tagByteCount
}
