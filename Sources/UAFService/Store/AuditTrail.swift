import UAFCrypto

/// The audit: rows that are numbered without gaps and chained by their hashes, and the signed heads of that chain.
package protocol AuditTrail {
  /// Adds rows to the end of the chain, in the transaction that does what they say.
  ///
  /// Of several instances and processes one at a time adds rows. So that none waits for another one that waits for it, a
  /// store may add them at the end of its transaction: they are not seen before that.
  func append(_ events: [AuditEntry]) throws

  /// The end of the chain.
  func last() throws -> AuditLink

  /// Rows in the order of their numbers, or the newest first.
  ///
  /// - Parameter limit: how many at most.
  func rows(_ filter: AuditFilter, limit: Int) throws -> [AuditRow]

  /// The lowest number of a row that is not older than a time; nil if there is none.
  ///
  /// - Parameter time: seconds since 1970.
  func firstNumber(since time: Int64) throws -> Int64?

  /// The numbers of the two rows beside a time, in the order of times: the last older one, and the first that is not older.
  ///
  /// Rows are numbered as they were stored. Where instances have clocks that differ, or a clock was set, that is another order.
  /// It costs the same wherever it is.
  ///
  /// - Parameter time: seconds since 1970.
  /// - Returns: nil for a row that there is not.
  func numbers(around time: Int64) throws -> (older: Int64?, notOlder: Int64?)

  /// Signed heads in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: heads of higher numbers.
  ///   - limit: how many at most.
  func heads(after number: Int64, limit: Int) throws -> [StoredHead]

  /// The signed head with the highest number, up to a number.
  func lastHead(through number: Int64) throws -> StoredHead?

  /// Keeps a signed head, in place of another one of the same number.
  func keep(_ head: StoredHead) throws

  /// Removes the heads of higher numbers.
  func removeHeads(after number: Int64) throws

  /// Removes the rows and the heads up to a number.
  ///
  /// - Returns: how many rows there were.
  func remove(through number: Int64) throws -> Int
}

extension AuditTrail {
  /// The signed head with the highest number.
  package func lastHead() throws -> StoredHead? { try lastHead(through: .max) }
}

/// Which rows of the audit are asked for.
package struct AuditFilter: Equatable, Sendable {
  /// Rows with a higher number.
  package var after: Int64
  /// nil for each account, and so on.
  package var account: String?
  package var kind: AuditKind?
  package var outcome: String?
  /// The machine's name, or its id if it has none.
  package var machine: String?
  /// In any of a row's texts but kind and outcome; ASCII letters match in both sizes.
  package var words: String?
  /// The conditions that rows must not meet.
  package var negated: Set<AuditField> = []
  /// Seconds since 1970, this second included.
  package var since: Int64?
  /// Seconds since 1970, this second not included.
  package var until: Int64?

  /// Rows with a lower number; nil for all.
  package var before: Int64?
  package var isNewestFirst = false

  package init(
    after: Int64 = 0, account: String? = nil, kind: AuditKind? = nil, outcome: String? = nil, since: Int64? = nil,
    until: Int64? = nil, machine: String? = nil
  ) {
    self.after = after
    self.account = account
    self.kind = kind
    self.outcome = outcome
    self.since = since
    self.until = until
    self.machine = machine
  }

  /// The pattern of SQL's LIKE that finds some words anywhere in a text.
  ///
  /// - Parameter escape: the character before `%`, `_` and itself.
  package static func pattern(_ words: String, escape: Unicode.Scalar) -> String {
    // One by one: a Character may be `%` with an accent after it, which SQL takes for two.
    let escaped = words.unicodeScalars.reduce(into: "".unicodeScalars) { text, scalar in
      if ["%", "_", escape].contains(scalar) { text.append(escape) }
      text.append(scalar)
    }
    return "%\(String(escaped))%"
  }

  /// The fields that are asked for other values than most rows have, with that of most rows.
  ///
  /// Stores have an index of the rows that differ from most ones. A query that says it wants no others is answered by it.
  package var rareFields: [(AuditField, String)] {
    var fields: [(AuditField, String)] = []
    if let kind, kind != .login, !negated.contains(.kind) { fields.append((.kind, AuditKind.login.rawValue)) }
    if let outcome, outcome != AuditEntry.done, !negated.contains(.outcome) {
      fields.append((.outcome, AuditEntry.done))
    }
    return fields
  }
}

/// One row of the audit.
package struct AuditRow: Equatable, Sendable {
  package let link: AuditLink
  package let event: AuditEntry

  package init(link: AuditLink, event: AuditEntry) {
    self.link = link
    self.event = event
  }

  package var number: Int64 { link.number }
}

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

/// A signed head of the audit as it is stored; whether its signature holds is not checked.
package struct StoredHead: Equatable, Sendable {
  /// The row that it signs.
  package let number: Int64
  package let token: String

  package init(number: Int64, token: String) {
    self.number = number
    self.token = token
  }
}
