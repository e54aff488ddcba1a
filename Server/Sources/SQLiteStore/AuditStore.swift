import CSQLite
import GRDB
import UAFService

/// The tables of the audit and of its signed heads.
struct AuditStore: AuditTrail {
  let db: Database

  func append(_ events: [AuditEntry]) throws { try AuditStatements(db).append(events) }

  func last() throws -> AuditLink { try AuditStatements(db).last() }

  func rows(_ filter: AuditFilter, limit: Int) throws -> [AuditRow] {
    let (conditions, values) = Self.conditions(filter)
    let statement = try PreparedStatement(
      """
      SELECT number, hash, time, kind, outcome, account, actor, address, machine, authenticators, detail FROM audit
      WHERE \(conditions) ORDER BY number \(filter.isNewestFirst ? "DESC" : "ASC") LIMIT ?1
      """, on: db)
    var rows: [AuditRow] = []
    try statement.run([.integer(Int64(limit))] + values) { row in
      // What is not UTF-8 is not what was hashed.
      let texts = (CInt(3)..<11).map { String(decoding: row.bytes($0), as: UTF8.self) }
      guard let event = AuditEntry(time: row.integer(2), texts: texts) else {
        throw SQLiteFailure(code: SQLITE_MISMATCH)
      }
      rows.append(AuditRow(link: AuditLink(number: row.integer(0), hash: row.bytes(1)), event: event))
    }
    return rows
  }

  /// The conditions of a filter, whose first parameter is ?2.
  private static func conditions(_ filter: AuditFilter) -> (String, [StatementValue]) {
    // The plus keeps the planner from the index of times: rows are wanted in the order of their numbers.
    let wanted: [(String, StatementValue)?] = [
      ("number > ?", .integer(filter.after)), filter.before.map { ("number < ?", .integer($0)) },
      filter.since.map { ("+time >= ?", .integer($0)) }, filter.until.map { ("+time < ?", .integer($0)) },
    ]
    let fields: [(String, AuditField, String?)] = [
      ("account = ?", .account, filter.account), ("kind = ?", .kind, filter.kind?.rawValue),
      ("outcome = ?", .outcome, filter.outcome), ("machine = ?", .machine, filter.machine),
      ("\(words) LIKE ? ESCAPE '!'", .words, filter.words.map { AuditFilter.pattern($0, escape: "!") }),
    ]
    let texts = fields.compactMap { sql, field, text in
      text.map { (filter.negated.contains(field) ? "NOT \(sql)" : sql, StatementValue.text($0)) }
    }
    let conditions = wanted.compactMap { $0 } + texts
    let numbered = conditions.enumerated().map { $1.0.replacing("?", with: "?\($0 + 2)") }
    return (
      (numbered + filter.rareFields.map { "\($0.rawValue) <> '\($1)'" }).joined(separator: " AND "),
      conditions.map(\.1)
    )
  }

  private static let words =
    "(account || ' ' || actor || ' ' || address || ' ' || machine || ' ' || authenticators || ' ' || detail)"

  func numbers(around time: Int64) throws -> (older: Int64?, notOlder: Int64?) {
    let older = try Int64.fetchOne(
      db, sql: "SELECT number FROM audit WHERE time < ? ORDER BY time DESC, number DESC LIMIT 1", arguments: [time])
    let notOlder = try Int64.fetchOne(
      db, sql: "SELECT number FROM audit WHERE time >= ? ORDER BY time, number LIMIT 1", arguments: [time])
    return (older, notOlder)
  }

  func firstNumber(since time: Int64) throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT min(number) FROM audit WHERE time >= ?", arguments: [time])
  }

  func heads(after number: Int64, limit: Int) throws -> [StoredHead] {
    try Row.fetchAll(
      db, sql: "SELECT number, token FROM auditHead WHERE number > ? ORDER BY number LIMIT ?",
      arguments: [number, limit]
    ).map { StoredHead(number: $0[0], token: $0[1]) }
  }

  func lastHead(through number: Int64) throws -> StoredHead? {
    try Row.fetchOne(
      db, sql: "SELECT number, token FROM auditHead WHERE number <= ? ORDER BY number DESC LIMIT 1", arguments: [number]
    ).map { StoredHead(number: $0[0], token: $0[1]) }
  }

  func keep(_ head: StoredHead) throws {
    try db.execute(
      sql:
        "INSERT INTO auditHead (number, token) VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET token = excluded.token",
      arguments: [head.number, head.token])
  }

  func removeHeads(after number: Int64) throws {
    try db.execute(sql: "DELETE FROM auditHead WHERE number > ?", arguments: [number])
  }

  func remove(through number: Int64) throws -> Int {
    try db.execute(sql: "DELETE FROM auditHead WHERE number <= ?", arguments: [number])
    try db.execute(sql: "DELETE FROM audit WHERE number <= ?", arguments: [number])
    return db.changesCount
  }
}

/// The statements that add rows to the audit.
///
/// Texts are bound and read by their length. GRDB would end them at U+0000, and what stands after that would be hashed or not.
struct AuditStatements {
  /// The end of the chain: number, hash.
  private static let end = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1"
  /// A row: number, time, the texts, hash.
  private static let append = """
    INSERT INTO audit (number, time, kind, outcome, account, actor, address, machine, authenticators, detail, hash)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    """

  private let end: PreparedStatement
  private let append: PreparedStatement

  /// Prepares the statements on a connection.
  ///
  /// - Throws: ``SQLiteFailure``.
  init(_ db: Database) throws {
    end = try PreparedStatement(Self.end, on: db)
    append = try PreparedStatement(Self.append, on: db)
  }

  /// The end of the chain.
  ///
  /// - Throws: ``SQLiteFailure``.
  func last() throws -> AuditLink {
    var link = AuditLink.start
    try end.run([]) { link = AuditLink(number: $0.integer(0), hash: $0.bytes(1)) }
    return link
  }

  /// Adds rows.
  ///
  /// - Throws: ``SQLiteFailure``; ``CryptoError``.
  func append(_ events: [AuditEntry]) throws {
    guard !events.isEmpty else { return }
    // Read anew each time: another process may have added rows.
    var link = try last()
    for event in events {
      link = try link.next(event.body)
      let texts = event.texts.map { StatementValue.text($0) }
      try append.run([.integer(link.number), .integer(event.time)] + texts + [.bytes(link.hash)])
    }
  }
}

/// The table of the places of the audit's sinks.
struct AuditDeliveryStore: AuditDeliveries {
  /// The form of the table.
  static let table = """
    CREATE TABLE auditDelivery (
      sink TEXT PRIMARY KEY NOT NULL,
      delivered INTEGER NOT NULL,
      holder TEXT NOT NULL,
      heldUntil INTEGER NOT NULL
    ) STRICT;
    """

  let db: Database

  func all() throws -> [AuditDelivery] {
    try Row.fetchAll(db, sql: "SELECT sink, delivered, holder, heldUntil FROM auditDelivery ORDER BY sink").map {
      AuditDelivery(sink: $0[0], delivered: $0[1], holder: $0[2], heldUntil: $0[3])
    }
  }

  func keep(_ delivery: AuditDelivery) throws {
    try db.execute(
      sql: """
        INSERT INTO auditDelivery (sink, delivered, holder, heldUntil) VALUES (?, ?, ?, ?) ON CONFLICT (sink) DO UPDATE
        SET delivered = excluded.delivered, holder = excluded.holder, heldUntil = excluded.heldUntil
        """,
      arguments: [delivery.sink, delivery.delivered, delivery.holder, delivery.heldUntil])
  }
}
