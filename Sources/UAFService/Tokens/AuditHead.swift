import UAFMessages

/// What the server signs of the audit: its end at some moment, and so every row before it.
package struct AuditHead: Equatable, Sendable {
  package let link: AuditLink
  /// When it was signed, in seconds since 1970.
  package let signedAt: Int64
  /// The number of the head before it; 0 if there was none.
  package let previous: Int64
  /// Whether the rows up to this one were removed by a rule, and this head stands for them.
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

  /// Reads a head in the form above.
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
