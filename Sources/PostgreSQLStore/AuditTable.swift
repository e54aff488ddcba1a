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
