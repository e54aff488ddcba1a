import UAFCrypto
import UAFMessages

/// A head of the audit: the end of the chain at some moment, which the server signs.
package struct AuditHead: Equatable, Sendable {
  package let link: AuditLink
  /// When it was signed, in seconds since 1970.
  package let signedAt: Int64
  /// The number of the head before it; 0 if there was none.
  package let previous: Int64
  /// Whether the rows up to this one were removed in the regular way, and this head replaces them.
  package let isRemoval: Bool

  package init(link: AuditLink, signedAt: Int64, previous: Int64, isRemoval: Bool = false) {
    self.link = link
    self.signedAt = signedAt
    self.previous = previous
    self.isRemoval = isRemoval
  }

  var json: JSONValue {
    .object([
      "number": .integer(link.number), "hash": .string(Base64URL.encode(link.hash)), "time": .integer(signedAt),
      "previous": .integer(previous), "removed": .bool(isRemoval),
    ])
  }

  /// Reads a head in the form that ``json`` writes.
  ///
  /// - Returns: nil for anything else.
  init?(json: JSONValue) {
    guard case .object(let object) = json, case .integer(let number)? = object["number"],
      case .string(let text)? = object["hash"], let hash = try? Base64URL.decode(text, maximumCount: 32),
      hash.count == 32, case .integer(let signedAt)? = object["time"],
      case .integer(let previous)? = object["previous"],
      case .bool(let isRemoval)? = object["removed"]
    else { return nil }
    self.init(
      link: AuditLink(number: number, hash: hash), signedAt: signedAt, previous: previous, isRemoval: isRemoval)
  }
}

/// Signs heads of the audit, and verifies them.
///
/// Verification needs only public keys, so a different machine can do it.
///
/// A signed head is a JSON web token with ES256 (RFC 7515). Its header has a type of its own, so that it cannot be confused
/// with a verdict.
package struct AuditHeadKeys: Sendable {
  private struct Known: Sendable {
    let publicKey: [UInt8]
    let header: String
  }

  private var known: [Known]

  /// Takes public keys.
  ///
  /// - Parameter publicKeys: SubjectPublicKeyInfo, DER.
  /// - Throws: ``CryptoError/invalidKey`` for a key that is not of P-256.
  package init(publicKeys: [[UInt8]]) throws {
    known = try publicKeys.map { info in
      Known(
        publicKey: try P256.publicKey(subjectPublicKeyInfo: info),
        header: TokenKey.header(try TokenKey.id(ofPublicKey: info), .auditHead))
    }
  }

  /// Takes the public keys of keys that sign heads.
  init(_ keys: [TokenKey]) {
    known = keys.map { Known(publicKey: $0.publicKey, header: $0.header) }
  }

  /// These keys and additional ones.
  func adding(_ more: AuditHeadKeys) -> AuditHeadKeys {
    var keys = self
    keys.known += more.known
    return keys
  }

  /// Verifies a stored head, and reads it.
  ///
  /// - Returns: nil unless one of the keys signed it, for the number under which it is stored.
  func head(of stored: StoredHead) -> AuditHead? {
    head(of: stored.token).flatMap { $0.link.number == stored.number ? $0 : nil }
  }

  /// Reads a token.
  ///
  /// - Returns: nil unless one of the keys signed it, and it is a head.
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

  /// Whether a token's header says that it is a head; the signature is not checked.
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
