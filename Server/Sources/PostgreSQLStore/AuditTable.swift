import UAFService

/// The tables of the audit and of its signed heads.
struct AuditTable: AuditTrail {
  let connection: Connection
  /// Where rows wait for the end of the transaction.
  let buffer: AuditBuffer

  func append(_ events: [AuditEntry]) throws { buffer.append(events) }

  func last() throws -> AuditLink {
    guard let row = try connection.execute("SELECT number, hash FROM auditEnd").first else {
      throw PostgreSQLError.unreadable
    }
    return AuditLink(number: try row.integer(0), hash: try row.requiredBytes(1))
  }

  func rows(_ filter: AuditFilter, limit: Int) throws -> [AuditRow] {
    let (conditions, parameters) = Self.conditions(filter)
    return try connection.execute(
      """
      SELECT number, hash, time, kind, outcome, account, actor, address, machine, authenticators, detail FROM audit
      WHERE \(conditions) ORDER BY number \(filter.isNewestFirst ? "DESC" : "ASC") LIMIT $1
      """, [.integer(limit)] + parameters
    ).rows.map { row in
      let texts = try (CInt(3)..<11).map { try row.text($0) }
      guard let event = AuditEntry(time: try row.integer(2), texts: texts) else { throw PostgreSQLError.unreadable }
      return AuditRow(link: AuditLink(number: try row.integer(0), hash: try row.requiredBytes(1)), event: event)
    }
  }

  /// The conditions of a filter, whose first parameter is $2.
  private static func conditions(_ filter: AuditFilter) -> (String, [Parameter]) {
    // The sum keeps the planner from the index of times: rows are wanted in the order of their numbers.
    let wanted: [(String, Parameter)?] = [
      ("number > ?", .integer(filter.after)), filter.before.map { ("number < ?", .integer($0)) },
      filter.since.map { ("time + 0 >= ?", .integer($0)) }, filter.until.map { ("time + 0 < ?", .integer($0)) },
    ]
    let fields: [(String, AuditField, String?)] = [
      ("account = ?", .account, filter.account), ("kind = ?", .kind, filter.kind?.rawValue),
      ("outcome = ?", .outcome, filter.outcome), ("machine = ?", .machine, filter.machine),
      ("\(words) ILIKE ? ESCAPE '!'", .words, filter.words.map { AuditFilter.pattern($0, escape: "!") }),
    ]
    let texts = fields.compactMap { sql, field, text in
      text.map { (filter.negated.contains(field) ? "NOT (\(sql))" : sql, Parameter.text($0)) }
    }
    let conditions = wanted.compactMap { $0 } + texts
    let numbered = conditions.enumerated().map { $1.0.replacing("?", with: "$\($0 + 2)") }
    return (
      (numbered + filter.rareFields.map { "\($0.rawValue) <> '\($1)'" }).joined(separator: " AND "),
      conditions.map(\.1)
    )
  }

  private static let words =
    "(account || ' ' || actor || ' ' || address || ' ' || machine || ' ' || authenticators || ' ' || detail)"

  func numbers(around time: Int64) throws -> (older: Int64?, notOlder: Int64?) {
    // By time alone: among rows of one second any will do, and the index has no more.
    let older = try connection.execute(
      "SELECT number FROM audit WHERE time < $1 ORDER BY time DESC LIMIT 1", [.integer(time)])
    let notOlder = try connection.execute(
      "SELECT number FROM audit WHERE time >= $1 ORDER BY time LIMIT 1", [.integer(time)])
    return (try older.first?.integer(0), try notOlder.first?.integer(0))
  }

  func firstNumber(since time: Int64) throws -> Int64? {
    try connection.execute("SELECT min(number) FROM audit WHERE time >= $1", [.integer(time)]).first?.optionalInteger(0)
  }

  func heads(after number: Int64, limit: Int) throws -> [StoredHead] {
    try connection.execute(
      "SELECT number, token FROM auditHead WHERE number > $1 ORDER BY number LIMIT $2",
      [.integer(number), .integer(limit)]
    ).rows.map(Self.head)
  }

  func lastHead(through number: Int64) throws -> StoredHead? {
    try connection.execute(
      "SELECT number, token FROM auditHead WHERE number <= $1 ORDER BY number DESC LIMIT 1", [.integer(number)]
    ).first.map(Self.head)
  }

  private static func head(_ row: QueryRow) throws -> StoredHead {
    StoredHead(number: try row.integer(0), token: try row.text(1))
  }

  func keep(_ head: StoredHead) throws {
    try connection.execute(
      """
      INSERT INTO auditHead (number, token) VALUES ($1, $2) ON CONFLICT (number) DO UPDATE SET token = excluded.token
      """, [.integer(head.number), .text(head.token)])
  }

  func removeHeads(after number: Int64) throws {
    try connection.execute("DELETE FROM auditHead WHERE number > $1", [.integer(number)])
  }

  func remove(through number: Int64) throws -> Int {
    try connection.execute("DELETE FROM auditHead WHERE number <= $1", [.integer(number)])
    return try connection.execute("DELETE FROM audit WHERE number <= $1", [.integer(number)]).changes
  }
}

/// Adds rows to the chain of the audit, in SQL: nobody but the database has to wait for the end of the chain.
struct AuditChaining {
  let connection: Connection

  /// Sends rows along with the commit that follows.
  ///
  /// - Throws: ``PostgreSQLError/interrupted``.
  func enqueue(_ events: [AuditEntry]) throws {
    guard !events.isEmpty else { return }
    let places = events.indices.map { Int64($0) }
    try connection.enqueue(
      "WITH RECURSIVE \(Self.events(first: 1)), \(Self.chained(from: "asked")) SELECT \(Self.hasMoved)",
      Self.parameters(events, places: places))
  }

  /// Parameters of ``events(first:)``.
  ///
  /// - Parameter places: a number for each, in ascending order.
  static func parameters(_ events: [AuditEntry], places: [Int64]) -> [Parameter] {
    let texts = events.map(\.texts)
    return [.integers(places), .integers(events.map(\.time)), .byteStrings(events.map(\.body))]
      + (0..<8).map { column in .texts(texts.map { $0[column] }) }
  }

  /// The rows that are asked for, as a part of a statement whose parameters for them begin with a number.
  static func events(first: Int) -> String {
    let types = ["bigint", "bigint", "bytea"] + [String](repeating: "text", count: 8)
    let arrays = types.enumerated().map { "$\(first + $0)::\($1)[]" }.joined(separator: ", ")
    return """
      asked AS (
        SELECT * FROM unnest(\(arrays))
          AS e (place, time, body, kind, outcome, account, actor, address, machine, authenticators, detail)
      )
      """
  }

  /// Parts of a statement that chain the rows of a part before them.
  ///
  /// The end of the chain is locked when it is known which rows there are, so after everything else of the statement; without a
  /// row it is not. A locked row is as the last commit left it. `AuditLink.next` has the same hash.
  ///
  /// Each commit leaves a version of the end behind, which stays while any transaction of the database is older, such as a dump.
  /// So the newest one is looked for in an index: to read all of them took 3 ms after 20,000 commits.
  static func chained(from rows: String) -> String {
    """
    event AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY place) AS step FROM \(rows)),
    ending AS MATERIALIZED (
      SELECT e.number, e.hash FROM (SELECT count(*) AS rows FROM event) AS c
        CROSS JOIN LATERAL (SELECT number, hash FROM auditEnd WHERE c.rows > 0 ORDER BY number DESC LIMIT 1 FOR UPDATE) AS e
    ), chain AS (
      SELECT 0::bigint AS step, number, hash FROM ending
      UNION ALL
      SELECT e.step, c.number + 1, sha256(c.hash || int8send(c.number + 1) || e.body)
      FROM chain c JOIN event e ON e.step = c.step + 1
    ), kept AS (
      INSERT INTO audit (number, time, kind, outcome, account, actor, address, machine, authenticators, detail, hash)
      SELECT c.number, e.time, e.kind, e.outcome, e.account, e.actor, e.address, e.machine, e.authenticators, e.detail,
        c.hash
      FROM chain c JOIN event e ON e.step = c.step
    ), moved AS (
      UPDATE auditEnd SET number = c.number, hash = c.hash
      FROM (SELECT number, hash FROM chain WHERE step > 0 ORDER BY step DESC LIMIT 1) AS c
      WHERE auditEnd.number >= (SELECT max(number) FROM auditEnd)
      RETURNING 1
    )
    """
  }

  /// One, as SQL; an error of the statement if the end was not moved, because somebody has emptied the audit meanwhile.
  static let hasMoved = "1 / (SELECT count(*) FROM moved)"
}

/// The table of the places of the audit's sinks.
struct AuditDeliveryTable: AuditDeliveries {
  /// The form of the table.
  ///
  /// Its rows are changed often: a page keeps room for that.
  static let migration = Migration(
    name: "audit deliveries",
    statements: [
      """
      CREATE TABLE auditDelivery (
        sink text COLLATE "C" PRIMARY KEY,
        delivered bigint NOT NULL,
        holder text NOT NULL,
        heldUntil bigint NOT NULL
      ) WITH (fillfactor = 10)
      """
    ])

  let connection: Connection

  func all() throws -> [AuditDelivery] {
    try connection.execute("SELECT sink, delivered, holder, heldUntil FROM auditDelivery ORDER BY sink", []).rows.map {
      AuditDelivery(
        sink: try $0.text(0), delivered: try $0.integer(1), holder: try $0.text(2), heldUntil: try $0.integer(3))
    }
  }

  func keep(_ delivery: AuditDelivery) throws {
    try connection.execute(
      """
      INSERT INTO auditDelivery (sink, delivered, holder, heldUntil) VALUES ($1, $2, $3, $4) ON CONFLICT (sink) DO UPDATE
      SET delivered = excluded.delivered, holder = excluded.holder, heldUntil = excluded.heldUntil
      """,
      [
        .text(delivery.sink), .integer(delivery.delivered), .text(delivery.holder), .integer(delivery.heldUntil),
      ])
  }
}
