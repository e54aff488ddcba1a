import SecretMemory
import UAFCrypto

/// What is kept of a recovery key: the sealed device key, and the public key that copies of shares are sealed to.
///
/// Version 2: the version (1 byte), the public key (65 bytes), its mark under the device key (32 bytes), a nonce (12 bytes), and
/// the device key, sealed. Version 1 has neither public key nor mark; it is still opened, and no copy is made with it.
struct RecoveryFile {
  /// The public key with its mark; nil in version 1.
  let recipient: Recipient?
  let nonce: [UInt8]
  let sealedKey: [UInt8]

  /// The public key whose private key the words give.
  struct Recipient {
    let publicKey: [UInt8]
    /// By which the one who has the device key knows that somebody with it has put the public key there.
    let mark: [UInt8]

    /// Whether somebody with the device key has put it there.
    func isMarked(under deviceKey: borrowing Secret) throws(StateError) -> Bool {
      do { return try HMACSHA256.isValid(mark, of: publicKey, key: try Self.markKey(deviceKey)) } catch {
        throw .cryptography
      }
    }

    /// A public key with a new mark.
    init(_ publicKey: [UInt8], markedUnder deviceKey: borrowing Secret) throws(CryptoError) {
      self.publicKey = publicKey
      mark = try HMACSHA256.authenticate(publicKey, key: try Self.markKey(deviceKey))
    }

    /// One that was kept.
    init(_ publicKey: [UInt8], mark: [UInt8]) {
      self.publicKey = publicKey
      self.mark = mark
    }

    private static func markKey(_ deviceKey: borrowing Secret) throws(CryptoError) -> Secret {
      let empty: Secret
      do { empty = try Secret(capacity: 0) } catch { throw .outOfMemory }
      return try HKDFSHA256.derive(
        secret: deviceKey, salt: empty, info: Array("pam-uaf mark of the recovery public key".utf8), length: 32)
    }
  }

  /// What the seal of the device key is for.
  static let purpose = "pam-uaf recovery key"

  private static let sealedKeyByteCount = 32 + AES256GCM.tagByteCount

  /// As it is kept.
  var bytes: [UInt8] { head + nonce + sealedKey }

  /// What stands before the nonce, and is bound to the sealed key.
  var head: [UInt8] { recipient.map { [2] + $0.publicKey + $0.mark } ?? [1] }

  /// What the sealed key is bound to.
  var boundData: [UInt8] { Array(Self.purpose.utf8) + (recipient == nil ? [] : head) }

  init(recipient: Recipient?, nonce: [UInt8], sealedKey: [UInt8]) {
    self.recipient = recipient
    self.nonce = nonce
    self.sealedKey = sealedKey
  }

  /// Reads what is kept; nil for anything else.
  init?(_ bytes: [UInt8]) {
    let point = P256.publicKeyByteCount
    let mark = point + HMACSHA256.byteCount
    let headCount: Int
    switch bytes.first {
    case 1: headCount = 1
    case 2: headCount = 1 + mark
    default: return nil
    }
    guard bytes.count == headCount + AES256GCM.nonceByteCount + Self.sealedKeyByteCount else { return nil }
    recipient =
      headCount == 1 ? nil : Recipient(Array(bytes[1...point]), mark: Array(bytes[(1 + point)..<headCount]))
    nonce = Array(bytes[headCount..<headCount + AES256GCM.nonceByteCount])
    sealedKey = Array(bytes[(headCount + AES256GCM.nonceByteCount)...])
  }
}
