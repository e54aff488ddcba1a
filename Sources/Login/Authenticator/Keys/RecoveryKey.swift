import SecretMemory
import UAFCrypto

/// The recovery key: words that open a device key without the chip that sealed it.
///
/// It has ten words of five letters, with 16 bits each: 144 random bits, and 16 check bits that detect mistakes. 144 bits
/// cannot be guessed, so no slow derivation is needed.
public enum RecoveryKey {
  private static let consonants = Array("bdfghjklmnprstvz".utf8)
  private static let vowels = Array("aiou".utf8)
  private static let randomByteCount = 18
  private static let checkByteCount = 2
  private static let wordLength = 5

  /// Makes new words, separated by hyphens.
  ///
  /// - Throws: ``StateError/cryptography``.
  public static func make() throws(StateError) -> Secret {
    do {
      let random = try RandomBytes.makeSecret(randomByteCount)
      return try words(of: try withCheck(random))
    } catch { throw .cryptography }
  }

  /// Seals a device key under the words.
  ///
  /// The result also contains the public key to which copies of shares are sealed, with a MAC.
  ///
  /// - Returns: the bytes to store; nil for words that ``make()`` did not make.
  /// - Throws: ``StateError/cryptography``.
  public static func seal(
    _ deviceKey: borrowing Secret, under words: borrowing Secret
  ) throws(StateError) -> [UInt8]? {
    guard let random = try random(of: words) else { return nil }
    do {
      let recipient = try RecoveryFile.Recipient(try pair(ofBits: random).publicKey, markedUnder: deviceKey)
      let nonce = try RandomBytes.make(AES256GCM.nonceByteCount)
      let unsealed = RecoveryFile(recipient: recipient, nonce: nonce, sealedKey: [])
      let sealed = try AES256GCM.seal(
        deviceKey, key: try key(of: random), nonce: nonce, additionalData: unsealed.boundData)
      return RecoveryFile(recipient: recipient, nonce: nonce, sealedKey: sealed).bytes
    } catch { throw .cryptography }
  }

  /// Opens what ``seal(_:under:)`` returned, or what an earlier version of it returned.
  ///
  /// - Returns: nil if these are not the right words, or `kept` is damaged.
  /// - Throws: ``StateError/cryptography``.
  public static func open(_ kept: [UInt8], with words: borrowing Secret) throws(StateError) -> Secret? {
    guard let file = RecoveryFile(kept), let random = try random(of: words) else { return nil }
    let sealing: Secret
    do { sealing = try key(of: random) } catch { throw .cryptography }
    do throws(CryptoError) {
      return try AES256GCM.open(file.sealedKey, key: sealing, nonce: file.nonce, additionalData: file.boundData)
    } catch {
      guard error == .authenticationFailed else { throw .cryptography }
      return nil
    }
  }

  /// The key pair to which copies of shares are sealed; nil for words that ``make()`` did not make.
  ///
  /// - Throws: ``StateError/cryptography``.
  static func keyPair(of words: borrowing Secret) throws(StateError) -> P256.KeyPair? {
    guard let random = try random(of: words) else { return nil }
    do { return try pair(ofBits: random) } catch { throw .cryptography }
  }

  private static func pair(ofBits random: borrowing Secret) throws(CryptoError) -> P256.KeyPair {
    try P256.KeyPair(
      privateKey: P256Agreement.privateKey(
        of: derived(random, "pam-uaf recovery key pair", P256Agreement.extraRandomByteCount)))
  }

  /// The key that the device key is sealed with.
  private static func key(of random: borrowing Secret) throws(CryptoError) -> Secret {
    try derived(random, RecoveryFile.purpose, AES256GCM.keyByteCount)
  }

  private static func derived(
    _ random: borrowing Secret, _ purpose: String, _ length: Int
  ) throws(CryptoError) -> Secret {
    let salt: Secret
    do { salt = try Secret(capacity: 0) } catch { throw .outOfMemory }
    return try HKDFSHA256.derive(secret: random, salt: salt, info: Array(purpose.utf8), length: length)
  }

  /// The random bits that the words encode; nil unless there are ten words and the check bits are right.
  private static func random(of words: borrowing Secret) throws(StateError) -> Secret? {
    guard let bytes = bits(of: words) else { return nil }
    do {
      let random = try bytes.withBytes { span in try Secret(copying: span.extracting(0..<randomByteCount)) }
      guard try withCheck(random).isEqual(to: bytes) else { return nil }
      return random
    } catch { throw .cryptography }
  }

  /// The random bytes, followed by the first bytes of a hash of them.
  private static func withCheck(_ random: borrowing Secret) throws -> Secret {
    let check = try HKDFSHA256.derive(
      secret: random, salt: Secret(capacity: 0), info: Array("pam-uaf recovery check".utf8), length: checkByteCount)
    var joined = try Secret(capacity: randomByteCount + checkByteCount)
    // SAFETY: the room is as long as both parts.
    unsafe joined.refill { buffer in
      random.withBytes { span in for index in span.indices { unsafe buffer[index] = span[index] } }
      check.withBytes { span in for index in span.indices { unsafe buffer[randomByteCount + index] = span[index] } }
      return randomByteCount + checkByteCount
    }
    return joined
  }

  private static func words(of bytes: borrowing Secret) throws -> Secret {
    let count = bytes.count / 2
    var text = try Secret(capacity: count * (wordLength + 1))
    // SAFETY: each word takes its letters and a hyphen, for which there is room.
    unsafe text.refill { buffer in
      bytes.withBytes { span in
        for word in 0..<count {
          let number = Int(span[2 * word]) << 8 | Int(span[2 * word + 1])
          let start = word * (wordLength + 1)
          for letter in 0..<wordLength {
            let shift = [12, 10, 6, 4, 0][letter]
            unsafe buffer[start + letter] =
              letter % 2 == 0 ? consonants[number >> shift & 15] : vowels[number >> shift & 3]
          }
          unsafe buffer[start + wordLength] = UInt8(ascii: "-")
        }
      }
      return count * (wordLength + 1) - 1
    }
    return text
  }

  /// The bits that the words encode.
  ///
  /// Case and separators do not matter. Nil if there are wrong letters or the number of words is wrong.
  private static func bits(of words: borrowing Secret) -> Secret? {
    let wordCount = (randomByteCount + checkByteCount) / 2
    guard var bytes = try? Secret(capacity: 2 * wordCount) else { return nil }
    var letters = 0
    var isWrong = false
    // SAFETY: a letter beyond the last word writes nothing.
    unsafe bytes.refill { buffer in
      words.withBytes { span in
        var number = 0
        for index in span.indices {
          let byte = span[index] | 0x20
          guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) else { continue }
          let place = letters % wordLength
          let alphabet = place % 2 == 0 ? consonants : vowels
          guard let value = alphabet.firstIndex(of: byte), letters < wordCount * wordLength else {
            isWrong = true
            return
          }
          number = number << (place % 2 == 0 ? 4 : 2) | value
          letters += 1
          guard place == wordLength - 1 else { continue }
          let word = letters / wordLength - 1
          unsafe buffer[2 * word] = UInt8(truncatingIfNeeded: number >> 8)
          unsafe buffer[2 * word + 1] = UInt8(truncatingIfNeeded: number)
          number = 0
        }
      }
      return 2 * wordCount
    }
    guard !isWrong, letters == wordCount * wordLength else { return nil }
    return bytes
  }
}

/// The stored part of a recovery key: the sealed device key, and the public key to which copies of shares are sealed.
///
/// Version 2: the version (1 byte), the public key (65 bytes), its MAC under the device key (32 bytes), a nonce (12 bytes), and
/// the device key, sealed. Version 1 has neither the public key nor the MAC; it is still opened, but no copy is made with it.
struct RecoveryFile {
  /// The public key with its MAC; nil in version 1.
  let recipient: Recipient?
  let nonce: [UInt8]
  let sealedKey: [UInt8]

  /// The public key; the words give its private key.
  struct Recipient {
    let publicKey: [UInt8]
    /// The MAC under the device key, which shows that somebody with the device key stored the public key.
    let mark: [UInt8]

    /// Whether the MAC is right, so that somebody with the device key stored the public key.
    func isMarked(under deviceKey: borrowing Secret) throws(StateError) -> Bool {
      do { return try HMACSHA256.isValid(mark, of: publicKey, key: try Self.markKey(deviceKey)) } catch {
        throw .cryptography
      }
    }

    /// A public key, for which the MAC is computed.
    init(_ publicKey: [UInt8], markedUnder deviceKey: borrowing Secret) throws(CryptoError) {
      self.publicKey = publicKey
      mark = try HMACSHA256.authenticate(publicKey, key: try Self.markKey(deviceKey))
    }

    /// A public key that was read from the file.
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

  /// The label that is bound into the seal of the device key.
  static let purpose = "pam-uaf recovery key"

  private static let sealedKeyByteCount = 32 + AES256GCM.tagByteCount

  /// The file's content.
  var bytes: [UInt8] { head + nonce + sealedKey }

  /// The part before the nonce; the seal of the device key is bound to it.
  var head: [UInt8] { recipient.map { [2] + $0.publicKey + $0.mark } ?? [1] }

  /// The additional authenticated data of the seal of the device key.
  var boundData: [UInt8] { Array(Self.purpose.utf8) + (recipient == nil ? [] : head) }

  init(recipient: Recipient?, nonce: [UInt8], sealedKey: [UInt8]) {
    self.recipient = recipient
    self.nonce = nonce
    self.sealedKey = sealedKey
  }

  /// Reads a file's content; nil for anything else.
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

/// The public key to which a copy of a new share is sealed, if there is one.
enum CopyRecipient: Equatable {
  /// No copy is made: there is no recovery key, or an earlier version made it without a public key.
  case none
  /// The copy is sealed to this public key, which somebody with the device key stored.
  case publicKey([UInt8])
  /// No copy is made: the file cannot be read, or its MAC is wrong, so nobody with the device key wrote it.
  case refused

  /// Reads the public key from the file of a state folder.
  ///
  /// Somebody who can write to the folder but does not have the device key must not get a copy, so only a public key with a
  /// right MAC is used. A failure here does not prevent the registration of a secret: without a copy it is just as safe.
  init(at place: RecoveryPlace, deviceSecret: borrowing Secret) {
    do throws(StateError) {
      guard let kept = try place.bytes() else {
        self = .none
        return
      }
      guard let file = RecoveryFile(kept) else {
        self = .refused
        return
      }
      guard let recipient = file.recipient else {
        self = .none
        return
      }
      self = try recipient.isMarked(under: deviceSecret) ? .publicKey(recipient.publicKey) : .refused
    } catch { self = .refused }
  }
}
