import UAFService

/// The table of enrolment codes.
struct EnrolmentTable: Enrolments {
  /// Codes that were given out before are closed: nobody knows their keys.
  static let migration = Migration(
    name: "keys of enrolment codes",
    statements: ["DELETE FROM enrolment", "ALTER TABLE enrolment RENAME COLUMN codeHash TO sealedKey"])

  let connection: Connection

  func open(_ sealedKey: [UInt8], for username: String, expiresAt: Int64) throws {
    try close(for: username)
    try connection.execute(
      "INSERT INTO enrolment (username, sealedKey, expiresAt) VALUES ($1, $2, $3)",
      [.text(username), .bytes(sealedKey), .integer(expiresAt)])
  }

  func find(for username: String, now: Int64) throws -> OpenEnrolment? {
    let row = try connection.execute(
      "SELECT id, sealedKey FROM enrolment WHERE username = $1 AND expiresAt > $2", [.text(username), .integer(now)]
    ).first
    guard let row, let sealedKey = row.bytes(1) else { return nil }
    return OpenEnrolment(id: try row.integer(0), sealedKey: sealedKey)
  }

  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try connection.execute(
      "UPDATE enrolment SET reservedBy = $1 WHERE id = $2", [.bytes(challengeHash), .integer(id)])
  }

  func isReserved(id: Int64, by challengeHash: [UInt8]) throws -> Bool {
    try connection.execute(
      "SELECT EXISTS (SELECT 1 FROM enrolment WHERE id = $1 AND reservedBy = $2)",
      [.integer(id), .bytes(challengeHash)]
    ).first?.boolean(0) == true
  }

  func consume(id: Int64) throws {
    try connection.execute("DELETE FROM enrolment WHERE id = $1", [.integer(id)])
  }

  func close(for username: String) throws {
    try connection.execute("DELETE FROM enrolment WHERE username = $1", [.text(username)])
  }

  func closeAll() throws {
    try connection.execute("DELETE FROM enrolment")
  }
}

/// The table of the codes that were given out.
struct IssuedCodeTable: IssuedCodes {
  let connection: Connection

  func add(for username: String, by issuer: String, reachesPrivileged: Bool, now: Int64) throws {
    try connection.execute(
      """
      INSERT INTO issuedCode (number, username, issuedBy, reachesPrivileged, issuedAt, expiresAt)
      SELECT id, username, $1, $2::bigint, $3, expiresAt FROM enrolment WHERE username = $4
      """, [.text(issuer), .integer(reachesPrivileged ? 1 : 0), .integer(now), .text(username)])
  }

  func markUsed(_ number: Int64, now: Int64) throws {
    try connection.execute(
      "UPDATE issuedCode SET usedAt = $1 WHERE number = $2", [.integer(now), .integer(number)])
  }

  func page(before number: Int64?, onlyOpen: Bool, limit: Int, now: Int64) throws -> [IssuedCode] {
    // Open codes are found from their own table, which has no others.
    let source =
      onlyOpen
      ? "enrolment e JOIN issuedCode i ON i.number = e.id WHERE e.expiresAt > $2 AND e.id < $1 ORDER BY e.id DESC"
      : "issuedCode i LEFT JOIN enrolment e ON e.id = i.number WHERE i.number < $1 ORDER BY i.number DESC"
    return try connection.execute(
      """
      SELECT i.number, i.username, i.issuedBy, i.reachesPrivileged, i.issuedAt, i.expiresAt, i.usedAt,
        coalesce(e.expiresAt > $2, false)
      FROM \(source) LIMIT $3
      """, [.integer(number ?? .max), .integer(now), .integer(limit)]
    ).rows.map(Self.code)
  }

  func code(_ number: Int64) throws -> IssuedCode? {
    try connection.execute(
      """
      SELECT number, username, issuedBy, reachesPrivileged, issuedAt, expiresAt, usedAt, false
      FROM issuedCode WHERE number = $1
      """, [.integer(number)]
    ).first.map(Self.code)
  }

  func accountsWithLesserCodes() throws -> [String] {
    try connection.execute(
      """
      SELECT e.username FROM enrolment e LEFT JOIN issuedCode i ON i.number = e.id
      WHERE coalesce(i.reachesPrivileged, 0) = 0 ORDER BY e.username
      """
    ).rows.map { try $0.text(0) }
  }

  func accounts(withCodesBy issuer: String) throws -> [String] {
    try connection.execute(
      """
      SELECT e.username FROM enrolment e JOIN issuedCode i ON i.number = e.id WHERE i.issuedBy = $1 ORDER BY e.username
      """, [.text(issuer)]
    ).rows.map { try $0.text(0) }
  }

  private static func code(_ row: QueryRow) throws -> IssuedCode {
    IssuedCode(
      number: try row.integer(0), username: try row.text(1), issuedBy: try row.text(2),
      reachesPrivileged: try row.integer(3) == 1, issuedAt: try row.integer(4), expiresAt: try row.integer(5),
      usedAt: try row.optionalInteger(6), isOpen: try row.boolean(7))
  }
}

/// The table of join codes.
struct JoinCodeTable: JoinCodes {
  let connection: Connection

  func add(
    _ code: String, group: String, machines: Int, by issuer: String, now: Int64, expiresAt: Int64
  ) throws -> Int64 {
    let row = try connection.execute(
      """
      INSERT INTO joinCode (codeHash, machineGroup, machines, issuedBy, issuedAt, expiresAt)
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING number
      """,
      [
        .bytes(try OneTimeCode.hash(code)), .text(group), .integer(machines), .text(issuer), .integer(now),
        .integer(expiresAt),
      ]
    ).first
    guard let row else { throw PostgreSQLError.unreadable }
    return try row.integer(0)
  }

  func code(_ code: String) throws -> JoinCode? {
    // The time of comparing hashes shows nothing of the code.
    try connection.execute(Self.codes("codeHash = $1"), [.bytes(try OneTimeCode.hash(code))]).first.map(Self.code)
  }

  func page(before number: Int64?, limit: Int) throws -> [JoinCode] {
    try connection.execute(
      Self.codes("number < $1 ORDER BY number DESC LIMIT $2"), [.integer(number ?? .max), .integer(limit)]
    ).rows.map(Self.code)
  }

  func close(_ number: Int64) throws -> Bool {
    try connection.execute(
      "UPDATE joinCode SET codeHash = NULL WHERE number = $1 AND codeHash IS NOT NULL", [.integer(number)]
    ).changes == 1
  }

  func closeAll() throws {
    try connection.execute("UPDATE joinCode SET codeHash = NULL")
  }

  private static func codes(_ condition: String) -> String {
    """
    SELECT number, machineGroup, machines,
      (SELECT count(*) FROM joinedMachine m WHERE m.codeNumber = joinCode.number), issuedBy, issuedAt, expiresAt,
      codeHash IS NULL
    FROM joinCode WHERE \(condition)
    """
  }

  private static func code(_ row: QueryRow) throws -> JoinCode {
    JoinCode(
      number: try row.integer(0), group: try row.text(1), machines: try row.integer(2, as: Int.self),
      used: try row.integer(3, as: Int.self), issuedBy: try row.text(4), issuedAt: try row.integer(5),
      expiresAt: try row.integer(6), isClosed: try row.boolean(7))
  }
}
