import SecretMemory
import UAFCrypto

/// The words that open a device key without the chip that has sealed it.
///
/// Ten words of five letters, 16 bits each: 144 random bits, and 16 bits by which a mistake is found. With so many random bits
/// nothing has to slow down guessing.
public enum RecoveryKey {
  private static let consonants = Array("bdfghjklmnprstvz".utf8)
  private static let vowels = Array("aiou".utf8)
  private static let randomByteCount = 18
  private static let checkByteCount = 2
  private static let wordLength = 5
  private static let nonceByteCount = 12
  private static let keyByteCount = 32
  private static let version: UInt8 = 1
  private static let purpose = Array("pam-uaf recovery key".utf8)

  /// New words, with a hyphen between two of them.
  ///
  /// - Throws: ``StateError/cryptography``.
  public static func make() throws(StateError) -> Secret {
    do {
      let random = try RandomBytes.makeSecret(randomByteCount)
      return try words(of: try withCheck(random))
    } catch { throw .cryptography }
  }

  /// Seals a device key under words.
  ///
  /// - Returns: what is kept; nil for words that are none of ``make()``.
  /// - Throws: ``StateError/cryptography``.
  public static func seal(
    _ deviceKey: borrowing Secret, under words: borrowing Secret
  ) throws(StateError) -> [UInt8]? {
    guard let key = try key(of: words) else { return nil }
    do {
      let nonce = try RandomBytes.make(nonceByteCount)
      return [version] + nonce + (try AES256GCM.seal(deviceKey, key: key, nonce: nonce, additionalData: purpose))
    } catch { throw .cryptography }
  }

  /// Opens what ``seal(_:under:)`` gave.
  ///
  /// - Returns: nil if these are not the words, or what is kept is damaged.
  /// - Throws: ``StateError/cryptography``.
  public static func open(_ kept: [UInt8], with words: borrowing Secret) throws(StateError) -> Secret? {
    guard let key = try key(of: words) else { return nil }
    guard kept.first == version, kept.count > 1 + nonceByteCount else { return nil }
    let nonce = Array(kept[1..<1 + nonceByteCount])
    do throws(CryptoError) {
      return try AES256GCM.open(
        Array(kept[(1 + nonceByteCount)...]), key: key, nonce: nonce, additionalData: purpose)
    } catch {
      guard error == .authenticationFailed else { throw .cryptography }
      return nil
    }
  }

  /// The key that words stand for; nil for anything that is not ten words, or has a mistake.
  private static func key(of words: borrowing Secret) throws(StateError) -> Secret? {
    guard let bytes = bits(of: words) else { return nil }
    do {
      let random = try bytes.withBytes { span in try Secret(copying: span.extracting(0..<randomByteCount)) }
      guard try withCheck(random).isEqual(to: bytes) else { return nil }
      return try HKDFSHA256.derive(
        secret: random, salt: Secret(capacity: 0), info: purpose, length: keyByteCount)
    } catch { throw .cryptography }
  }

  /// Random bytes with the first bytes of a hash of them.
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

  /// The bits of words in either case, whatever stands between them; nil for other letters or another number of them.
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
