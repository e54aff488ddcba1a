import UAFCrypto
import UAFMessages

/// The form of the API's tokens: `uafs_`, and 32 random bytes in base64url.
///
/// The beginning lets a program that searches files for secrets find one.
package enum TokenText {
  static let randomBytes = 32
  private static let prefix = "uafs_"

  static func make(_ random: [UInt8]) -> String { prefix + Base64URL.encode(random) }

  /// Whether a text may be a token; nothing else is looked up.
  package static func isValid(_ text: String) -> Bool {
    guard text.utf8.starts(with: prefix.utf8), text.utf8.count == prefix.utf8.count + 43 else { return false }
    return text.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        || byte == 0x5F
    }
  }

  /// What is stored of a token.
  static func hash(_ text: String) throws -> [UInt8] { try SHA256.hash(Array(text.utf8)) }
}
