import UAFCrypto
import UAFMessages

/// A JSON web token signed with ES256 (RFC 7515, RFC 7519), in the one form this server writes.
struct VerdictToken {
  let keys: ServerKeys

  /// Seconds a token can be used as a proof.
  static let lifetime: Int64 = 60

  func sign(_ claims: VerdictClaims) throws -> String {
    let key = keys.verdictKey
    let signed = "\(key.header).\(Base64URL.encode(claims.json.bytes))"
    return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8))))"
  }

  /// Reads a token of this server.
  ///
  /// The header must be one that this server writes, so nobody can choose the algorithm. It names the key.
  ///
  /// - Returns: nil unless the signature holds; the caller checks whether it is still valid and unused.
  func claims(of token: String) -> VerdictClaims? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let key = keys.verdictKey(ofHeader: parts[0]),
      let signature = try? Base64URL.decode(parts[2], maximumCount: P256.signatureByteCount),
      P256.isValidSignature(
        signature, of: Array("\(parts[0]).\(parts[1])".utf8), publicKey: key.publicKey),
      let claims = try? Base64URL.decode(parts[1], maximumCount: 8192),
      let json = try? JSONValue(parsing: claims, limits: JSONLimits(maximumBytes: 8192))
    else { return nil }
    return VerdictClaims(json: json)
  }
}
