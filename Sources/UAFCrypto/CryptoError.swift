/// Why a cryptographic operation gave no result.
///
/// No case has a key, a secret, or bytes derived from one.
public enum CryptoError: Error, Equatable {
  /// The system or OpenSSL had no memory; says nothing about whether a secret was correct.
  case outOfMemory
  /// A length, a cost or a range that the operation does not take.
  case invalidParameter(CryptoPrimitive)
  /// Not a key: wrong length, not on the curve, zero, or not below the group's order.
  case invalidKey
  /// Not a signature in the encoding asked for.
  case invalidSignature
  /// The AES-GCM tag is wrong: another key, another nonce, other data, or damage.
  case authenticationFailed
  /// Not a certificate, or more than one where one was expected.
  case invalidCertificate
  /// This OpenSSL does not offer the primitive, or it failed inside.
  case unavailable(CryptoPrimitive)
}

extension CryptoError: CustomStringConvertible {
  /// What failed and what to do.
  public var description: String {
    switch self {
    case .outOfMemory: "no memory for a cryptographic operation: free some, or raise the address space limit"
    case .invalidParameter(let primitive): "\(primitive.rawValue): a parameter is outside the allowed range"
    case .invalidKey: "not a valid key of the expected kind"
    case .invalidSignature: "not a signature in the expected encoding"
    case .authenticationFailed: "the sealed data does not open: another key, or the data was changed"
    case .invalidCertificate: "not a valid X.509 certificate"
    case .unavailable(let primitive):
      "OpenSSL could not perform \(primitive.rawValue): check the installed libcrypto and its configuration"
    }
  }
}
