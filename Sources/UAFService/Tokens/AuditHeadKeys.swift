import UAFCrypto
import UAFMessages

/// Signs heads of the audit, and checks them with the public keys alone, so that another machine can do that.
///
/// A head is a JSON web token signed with ES256 (RFC 7515), whose header has a type of its own: no verdict can be taken for one.
package struct AuditHeadKeys: Sendable {
  private struct Known: Sendable {
    let publicKey: [UInt8]
    let header: String
  }

  private var known: [Known]

  /// Takes public keys.
  ///
  /// - Parameter publicKeys: SubjectPublicKeyInfo, DER.
  /// - Throws: ``CryptoError/invalidKey`` for another key than one of P-256.
  package init(publicKeys: [[UInt8]]) throws {
    known = try publicKeys.map { info in
      Known(
        publicKey: try P256.publicKey(subjectPublicKeyInfo: info),
        header: TokenKey.header(try TokenKey.id(ofPublicKey: info), .auditHead))
    }
  }

  /// Takes the public halves of keys that sign heads.
  init(_ keys: [TokenKey]) {
    known = keys.map { Known(publicKey: $0.publicKey, header: $0.header) }
  }

  /// The same with further keys.
  func adding(_ more: AuditHeadKeys) -> AuditHeadKeys {
    var keys = self
    keys.known += more.known
    return keys
  }

  /// The head that a store has for a row.
  ///
  /// - Returns: nil unless one of the keys has signed it, for the number under which it is stored.
  func head(of stored: StoredHead) -> AuditHead? {
    head(of: stored.token).flatMap { $0.link.number == stored.number ? $0 : nil }
  }

  /// Reads a token.
  ///
  /// - Returns: nil unless one of the keys has signed it, and it is a head.
  package func head(of token: String) -> AuditHead? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let key = known.first(where: { $0.header == parts[0] }),
      let signature = try? Base64URL.decode(parts[2], maximumCount: P256.signatureByteCount),
      P256.isValidSignature(signature, of: Array("\(parts[0]).\(parts[1])".utf8), publicKey: key.publicKey),
      let claims = try? Base64URL.decode(parts[1], maximumCount: 1024),
      let json = try? JSONValue(parsing: claims, limits: JSONLimits(maximumBytes: 1024))
    else { return nil }
    return AuditHead(json: json)
  }

  /// Whether a token says of itself that it is a head, whoever has signed it.
  package static func isHead(_ token: String) -> Bool {
    guard let part = token.split(separator: ".").first,
      let header = try? Base64URL.decode(String(part), maximumCount: 256),
      case .object(let object)? = try? JSONValue(parsing: header, limits: JSONLimits(maximumBytes: 256))
    else { return false }
    return object["typ"] == .string(TokenKey.Use.auditHead.rawValue)
  }

  /// Signs a head with a key for heads.
  static func sign(_ head: AuditHead, with key: TokenKey) throws -> StoredHead {
    let signed = "\(key.header).\(Base64URL.encode(head.json.bytes))"
    let signature = try key.sign(Array(signed.utf8))
    return StoredHead(number: head.link.number, token: "\(signed).\(Base64URL.encode(signature))")
  }
}
