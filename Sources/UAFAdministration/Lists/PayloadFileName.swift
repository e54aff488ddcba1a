import UAFCrypto

/// The name of the file with a person's payload.
///
/// An account may be called `../root`, `-f` or `$(reboot)`. The name of its file has none of what means something in a path, to a
/// shell or to the parser of a command line. No two accounts have the same one.
package enum PayloadFileName {
  /// In bytes: with its ending it stays below the 255 that file systems allow.
  private static let longestStem = 200
  private static let ending = ".code"

  package static func name(for username: String) throws(CryptoError) -> String {
    var stem = ""
    for (index, byte) in username.utf8.enumerated() {
      let isPlain = index == 0 ? isLetterOrDigit(byte) : isLetterOrDigit(byte) || "._-@".utf8.contains(byte)
      if isPlain { stem.unicodeScalars.append(UnicodeScalar(byte)) } else { stem += "%" + hexadecimal(byte) }
    }
    // What begins so is a payload to uafctl, and no file.
    if stem.hasPrefix("eyJ") { stem = "%65" + stem.dropFirst() }
    guard stem.utf8.count > longestStem else { return stem + ending }
    // `~` is in no other name, so a name that was cut is never another account's.
    let hash = try SHA256.hash(Array(username.utf8)).prefix(16).map(hexadecimal).joined()
    return stem.prefix(longestStem - hash.utf8.count - 1) + "~" + hash + ending
  }

  private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
