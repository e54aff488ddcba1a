import UAFCrypto

/// A place in the chain of the audit: the number of a row, and its hash, which covers all rows before it.
package struct AuditLink: Equatable, Sendable {
  package let number: Int64
  /// 32 bytes.
  package let hash: [UInt8]

  /// Before the first row.
  package static let start = AuditLink(number: 0, hash: [UInt8](repeating: 0, count: 32))

  package init(number: Int64, hash: [UInt8]) {
    self.number = number
    self.hash = hash
  }

  /// The link of the row that follows: SHA-256 of this hash, the row's number (8 bytes, big-endian), and its body.
  ///
  /// - Parameter body: ``AuditEntry/body``.
  /// - Throws: ``CryptoError``.
  package func next(_ body: [UInt8]) throws(CryptoError) -> AuditLink {
    let number = number &+ 1
    var bytes = hash
    bytes.reserveCapacity(hash.count + 8 + body.count)
    BigEndian.append(number, to: &bytes)
    bytes += body
    return AuditLink(number: number, hash: try SHA256.hash(bytes))
  }
}
