import UAFService

/// The tables of the audit and of its signed heads.
///
/// The end of the chain is not part of this: each engine keeps it differently.
package protocol SQLAuditTrail: AuditTrail, SendableMetatype {
  associatedtype Engine: SQLConnection

  var connection: Engine { get }
}

extension SQLAuditTrail {
  package func rows(_ filter: AuditFilter, limit: Int) throws -> [AuditRow] {
    let (conditions, parameters) = Self.conditions(filter)
    return try connection.rows(
      """
      SELECT number, hash, time, kind, outcome, account, actor, address, machine, authenticators, detail FROM audit
      WHERE \(conditions) ORDER BY number \(filter.isNewestFirst ? "DESC" : "ASC") LIMIT ?1
      """, [.integer(limit)] + parameters
    ) { row in
      // Invalid UTF-8 is replaced. Only UTF-8 was ever hashed, so such a row will fail verification.
      let texts = try (CInt(3)..<11).map { String(decoding: try row.requiredBytes($0), as: UTF8.self) }
      guard let event = AuditEntry(time: try row.integer(2), texts: texts) else { throw Engine.ResultRow.unreadable }
      return AuditRow(link: AuditLink(number: try row.integer(0), hash: try row.requiredBytes(1)), event: event)
    }
  }

  package func count(_ filter: AuditFilter, atMost limit: Int) throws -> Int {
    let (conditions, parameters) = Self.conditions(filter)
    return try connection.requiredRow(
      """
      SELECT count(*) FROM (SELECT number FROM audit WHERE \(conditions) ORDER BY number DESC LIMIT ?1) AS counted
      """, [.integer(limit)] + parameters
    ) { try $0.integer(0, as: Int.self) }
  }

  /// The conditions of a filter, as SQL whose first parameter is ?2.
  private static func conditions(_ filter: AuditFilter) -> (String, [SQLValue]) {
    // `time + 0` prevents the planner from using the index by time: the rows are needed in the order of their numbers.
    let wanted: [(String, SQLValue)?] = [
      ("number > ?", .integer(filter.after)), filter.before.map { ("number < ?", .integer($0)) },
      filter.since.map { ("time + 0 >= ?", .integer($0)) }, filter.until.map { ("time + 0 < ?", .integer($0)) },
    ]
    let fields: [(String, AuditField, String?)] = [
      ("account = ?", .account, filter.account), ("kind = ?", .kind, filter.kind?.rawValue),
      ("outcome = ?", .outcome, filter.outcome), ("machine = ?", .machine, filter.machine),
      // Without wildcards, and with the case of each letter, on both engines.
      ("replace(detail, ?, '') <> detail", .service, filter.serviceMember),
      ("\(words) \(Engine.like) ? ESCAPE '!'", .words, filter.words.map { AuditFilter.pattern($0, escape: "!") }),
    ]
    let texts = fields.compactMap { sql, field, text in
      text.map { (filter.negated.contains(field) ? "NOT (\(sql))" : sql, SQLValue.text($0)) }
    }
    let conditions = wanted.compactMap { $0 } + texts
    let numbered = conditions.enumerated().map { $1.0.replacing("?", with: "?\($0 + 2)") }
    return (
      (numbered + filter.rareFields.map { "\($0.rawValue) <> '\($1)'" }).joined(separator: " AND "),
      conditions.map(\.1)
    )
  }

  private static var words: String {
    "(account || ' ' || actor || ' ' || address || ' ' || machine || ' ' || authenticators || ' ' || detail)"
  }

  package func numbers(around time: Int64) throws -> (older: Int64?, notOlder: Int64?) {
    // Ordered by time alone, as the index is: it does not matter which of several rows with the same second is found.
    let older: Int64? = try connection.row(
      "SELECT number FROM audit WHERE time < ?1 ORDER BY time DESC LIMIT 1", [.integer(time)]
    ) { try $0.integer(0) }
    let notOlder: Int64? = try connection.row(
      "SELECT number FROM audit WHERE time >= ?1 ORDER BY time LIMIT 1", [.integer(time)]
    ) { try $0.integer(0) }
    return (older, notOlder)
  }

  package func firstNumber(since time: Int64) throws -> Int64? {
    try connection.row("SELECT min(number) FROM audit WHERE time >= ?1", [.integer(time)]) {
      try $0.optionalInteger(0)
    } ?? nil
  }

  package func heads(after number: Int64, limit: Int) throws -> [StoredHead] {
    try connection.rows(
      "SELECT number, token FROM auditHead WHERE number > ?1 ORDER BY number LIMIT ?2",
      [.integer(number), .integer(limit)], Self.head)
  }

  package func lastHead(through number: Int64) throws -> StoredHead? {
    try connection.row(
      "SELECT number, token FROM auditHead WHERE number <= ?1 ORDER BY number DESC LIMIT 1", [.integer(number)],
      Self.head)
  }

  private static func head(_ row: Engine.ResultRow) throws -> StoredHead {
    StoredHead(number: try row.integer(0), token: try row.text(1))
  }

  package func keep(_ head: StoredHead) throws {
    try connection.run(
      """
      INSERT INTO auditHead (number, token) VALUES (?1, ?2) ON CONFLICT (number) DO UPDATE SET token = excluded.token
      """, [.integer(head.number), .text(head.token)])
  }

  package func removeHeads(after number: Int64) throws {
    try connection.run("DELETE FROM auditHead WHERE number > ?1", [.integer(number)])
  }

  package func remove(through number: Int64) throws -> Int {
    try connection.run("DELETE FROM auditHead WHERE number <= ?1", [.integer(number)])
    return try connection.run("DELETE FROM audit WHERE number <= ?1", [.integer(number)])
  }
}

/// The table with the positions of the audit's sinks and the leases of the instances that send to them.
struct AuditDeliveryTable<Connection: SQLConnection>: AuditDeliveries {
  let connection: Connection

  func all() throws -> [AuditDelivery] {
    try connection.rows("SELECT sink, delivered, holder, heldUntil FROM auditDelivery ORDER BY sink", []) {
      AuditDelivery(
        sink: try $0.text(0), delivered: try $0.integer(1), holder: try $0.text(2), heldUntil: try $0.integer(3))
    }
  }

  func keep(_ delivery: AuditDelivery) throws {
    try connection.run(
      """
      INSERT INTO auditDelivery (sink, delivered, holder, heldUntil) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (sink) DO UPDATE
      SET delivered = excluded.delivered, holder = excluded.holder, heldUntil = excluded.heldUntil
      """,
      [
        .text(delivery.sink), .integer(delivery.delivered), .text(delivery.holder), .integer(delivery.heldUntil),
      ])
  }
}
