import UAFCrypto

/// The codes that are given out for one registration or one text.
package enum OneTimeCode {
  /// What is stored of a code, 32 bytes.
  ///
  /// A plain hash will do: a code has 160 random bits, so there is nothing to guess.
  package static func hash(_ code: String) throws -> [UInt8] {
    try SHA256.hash(Array(code.utf8))
  }
}
