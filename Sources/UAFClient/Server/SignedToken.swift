import UAFCrypto
import UAFMessages

/// A JSON web token (RFC 7519) that is signed with ES256, whatever it says.
enum SignedToken {
  /// Seconds the two clocks may differ.
  static let clockTolerance: Int64 = 60
  /// The longest lifetime, in seconds.
  ///
  /// A token of a longer lifetime could be replayed.
  static let maximumLifetime: Int64 = 300

  /// The longest token in bytes, unless its reader allows more.
  private static let maximumBytes = 8192

  /// The claims of a token whose signature holds.
  ///
  /// - Parameters:
  ///   - type: what `typ` has to be; nil for any.
  ///   - publicKeys: 65 bytes `04 | X | Y` each; several while the server exchanges its key.
  ///   - maximumBytes: the longest token.
  static func claims(
    of token: String, type: String? = nil, publicKeys: [[UInt8]], maximumBytes: Int = maximumBytes
  ) -> JSONObject? {
    guard token.utf8.count <= maximumBytes else { return nil }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, case .object(let header)? = json(parts[0], maximumBytes),
      // The algorithm is fixed here, and the token does not choose it. A token with critical extensions is refused.
      header["alg"] == .string("ES256"), header["crit"] == nil, header["b64"] == nil,
      type.map({ header["typ"] == .string($0) }) ?? true,
      let signature = try? Base64URL.decode(parts[2], maximumCount: P256.signatureByteCount),
      // `kid` in the header is not read: nothing that a token says of itself chooses a key.
      publicKeys.contains(where: { key in
        P256.isValidSignature(signature, of: Array("\(parts[0]).\(parts[1])".utf8), publicKey: key)
      }),
      case .object(let claims)? = json(parts[1], maximumBytes)
    else { return nil }
    return claims
  }

  private static func json(_ part: String, _ maximumBytes: Int) -> JSONValue? {
    guard let bytes = try? Base64URL.decode(part, maximumCount: maximumBytes) else { return nil }
    return try? JSONValue(parsing: bytes)
  }

  /// Whether a token with these claims is good at a time, in seconds since 1970.
  static func isFresh(_ claims: JSONObject, now: Int64) -> Bool {
    guard case .integer(let issuedAt)? = claims["iat"], case .integer(let expiresAt)? = claims["exp"] else {
      return false
    }
    let (lifetime, tooLong) = expiresAt.subtractingReportingOverflow(issuedAt)
    guard !tooLong, (0...maximumLifetime).contains(lifetime) else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(issuedAt)
    return !overflow && age >= -clockTolerance && age <= lifetime + clockTolerance
  }
}
