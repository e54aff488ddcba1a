import UAFService

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
