import UAFService

/// The table of enrolment codes.
struct EnrolmentTable<Connection: SQLConnection>: Enrolments {
  let connection: Connection

  func open(_ sealedKey: [UInt8], for username: String, expiresAt: Int64) throws {
    try close(for: username)
    try connection.run(
      "INSERT INTO enrolment (username, sealedKey, expiresAt) VALUES (?1, ?2, ?3)",
      [.text(username), .bytes(sealedKey), .integer(expiresAt)])
  }

  func find(for username: String, now: Int64) throws -> OpenEnrolment? {
    try connection.row(
      "SELECT id, sealedKey FROM enrolment WHERE username = ?1 AND expiresAt > ?2", [.text(username), .integer(now)]
    ) { OpenEnrolment(id: try $0.integer(0), sealedKey: try $0.requiredBytes(1)) }
  }

  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try connection.run(
      "UPDATE enrolment SET reservedBy = ?1 WHERE id = ?2", [.bytes(challengeHash), .integer(id)])
  }

  func isReserved(id: Int64, by challengeHash: [UInt8]) throws -> Bool {
    try connection.requiredRow(
      "SELECT EXISTS (SELECT 1 FROM enrolment WHERE id = ?1 AND reservedBy = ?2)",
      [.integer(id), .bytes(challengeHash)]
    ) { try $0.boolean(0) }
  }

  func consume(id: Int64) throws -> Bool {
    try connection.run("DELETE FROM enrolment WHERE id = ?1", [.integer(id)]) == 1
  }

  func close(for username: String) throws {
    try connection.run("DELETE FROM enrolment WHERE username = ?1", [.text(username)])
  }

  func closeAll() throws {
    try connection.run("DELETE FROM enrolment")
  }
}

/// The table of the codes that were issued.
struct IssuedCodeTable<Connection: SQLConnection>: IssuedCodes {
  let connection: Connection

  func add(for username: String, by issuer: String, reachesPrivileged: Bool, now: Int64) throws {
    try connection.run(
      """
      INSERT INTO issuedCode (number, username, issuedBy, reachesPrivileged, issuedAt, expiresAt)
      SELECT id, username, ?1, ?2, ?3, expiresAt FROM enrolment WHERE username = ?4
      """, [.text(issuer), .integer(reachesPrivileged ? 1 : 0), .integer(now), .text(username)])
  }

  func markUsed(_ number: Int64, now: Int64) throws {
    try connection.run(
      "UPDATE issuedCode SET usedAt = ?1 WHERE number = ?2", [.integer(now), .integer(number)])
  }

  func page(before number: Int64?, onlyOpen: Bool, limit: Int, now: Int64) throws -> [IssuedCode] {
    // Open codes are searched in `enrolment`, which contains only codes that were not closed or used.
    let source =
      onlyOpen
      ? "enrolment e JOIN issuedCode i ON i.number = e.id WHERE e.expiresAt > ?2 AND e.id < ?1 ORDER BY e.id DESC"
      : "issuedCode i LEFT JOIN enrolment e ON e.id = i.number WHERE i.number < ?1 ORDER BY i.number DESC"
    return try connection.rows(
      """
      SELECT i.number, i.username, i.issuedBy, i.reachesPrivileged, i.issuedAt, i.expiresAt, i.usedAt,
        coalesce(e.expiresAt > ?2, false)
      FROM \(source) LIMIT ?3
      """, [.integer(number ?? .max), .integer(now), .integer(limit)], Self.code)
  }

  func count(upTo limit: Int) throws -> Int {
    try connection.requiredRow(
      "SELECT count(*) FROM (SELECT 1 FROM issuedCode LIMIT ?1) AS counted", [.integer(limit)]
    ) { try $0.integer(0, as: Int.self) }
  }

  func code(_ number: Int64) throws -> IssuedCode? {
    try connection.row(
      """
      SELECT number, username, issuedBy, reachesPrivileged, issuedAt, expiresAt, usedAt, false
      FROM issuedCode WHERE number = ?1
      """, [.integer(number)], Self.code)
  }

  func accountsWithLesserCodes() throws -> [String] {
    try connection.rows(
      """
      SELECT e.username FROM enrolment e LEFT JOIN issuedCode i ON i.number = e.id
      WHERE coalesce(i.reachesPrivileged, 0) = 0 ORDER BY e.username
      """
    ) { try $0.text(0) }
  }

  func accounts(withCodesBy issuer: String) throws -> [String] {
    try connection.rows(
      """
      SELECT e.username FROM enrolment e JOIN issuedCode i ON i.number = e.id WHERE i.issuedBy = ?1 ORDER BY e.username
      """, [.text(issuer)]
    ) { try $0.text(0) }
  }

  private static func code(_ row: Connection.ResultRow) throws -> IssuedCode {
    IssuedCode(
      number: try row.integer(0), username: try row.text(1), issuedBy: try row.text(2),
      reachesPrivileged: try row.integer(3) == 1, issuedAt: try row.integer(4), expiresAt: try row.integer(5),
      usedAt: try row.optionalInteger(6), isOpen: try row.boolean(7))
  }
}

/// The table of join codes.
struct JoinCodeTable<Connection: SQLConnection>: JoinCodes {
  let connection: Connection

  func add(
    _ code: String, group: String, machines: Int, by issuer: String, now: Int64, expiresAt: Int64
  ) throws -> Int64 {
    try connection.requiredRow(
      """
      INSERT INTO joinCode (codeHash, machineGroup, machines, issuedBy, issuedAt, expiresAt)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING number
      """,
      [
        .bytes(try OneTimeCode.hash(code)), .text(group), .integer(machines), .text(issuer), .integer(now),
        .integer(expiresAt),
      ]
    ) { try $0.integer(0) }
  }

  func code(_ code: String) throws -> JoinCode? {
    // The code is looked up by its hash, so the duration of the search reveals nothing about it.
    try connection.row(Self.codes("codeHash = ?1"), [.bytes(try OneTimeCode.hash(code))], Self.code)
  }

  func page(before number: Int64?, limit: Int) throws -> [JoinCode] {
    try connection.rows(
      Self.codes("number < ?1 ORDER BY number DESC LIMIT ?2"), [.integer(number ?? .max), .integer(limit)], Self.code)
  }

  func close(_ number: Int64) throws -> Bool {
    try connection.run(
      "UPDATE joinCode SET codeHash = NULL WHERE number = ?1 AND codeHash IS NOT NULL", [.integer(number)]) == 1
  }

  func closeAll() throws {
    try connection.run("UPDATE joinCode SET codeHash = NULL")
  }

  private static func codes(_ condition: String) -> String {
    """
    SELECT number, machineGroup, machines,
      (SELECT count(*) FROM joinedMachine m WHERE m.codeNumber = joinCode.number), issuedBy, issuedAt, expiresAt,
      codeHash IS NULL
    FROM joinCode WHERE \(condition)
    """
  }

  private static func code(_ row: Connection.ResultRow) throws -> JoinCode {
    JoinCode(
      number: try row.integer(0), group: try row.text(1), machines: try row.integer(2, as: Int.self),
      used: try row.integer(3, as: Int.self), issuedBy: try row.text(4), issuedAt: try row.integer(5),
      expiresAt: try row.integer(6), isClosed: try row.boolean(7))
  }
}
