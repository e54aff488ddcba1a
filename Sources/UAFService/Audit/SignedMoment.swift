import UAFMessages

/// When a server last knew that the whole audit was signed.
///
/// It is kept outside the store, so that whoever can change the store cannot shorten a gap.
package struct SignedMoment: Equatable, Sendable {
  /// The row that was signed last.
  package let link: AuditLink
  /// Seconds since 1970.
  package let time: Int64
  /// Whether the server stopped then as it was told to.
  package let isStopped: Bool

  package init(link: AuditLink, time: Int64, isStopped: Bool = false) {
    self.link = link
    self.time = time
    self.isStopped = isStopped
  }

  /// As a file has it.
  package var json: JSONValue {
    .object([
      "number": .integer(link.number), "hash": .string(Base64URL.encode(link.hash)), "time": .integer(time),
      "stopped": .bool(isStopped),
    ])
  }

  /// Reads what a file has; nil for anything else.
  package init?(_ bytes: [UInt8]) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes), case .integer(let number)? = object["number"],
      case .string(let text)? = object["hash"], let hash = try? Base64URL.decode(text, maximumCount: 32),
      hash.count == 32, case .integer(let time)? = object["time"], case .bool(let isStopped)? = object["stopped"]
    else { return nil }
    self.init(link: AuditLink(number: number, hash: hash), time: time, isStopped: isStopped)
  }
}
