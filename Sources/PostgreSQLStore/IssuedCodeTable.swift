import UAFService

/// The table of the codes that were given out.
struct IssuedCodeTable: IssuedCodes {
  let connection: Connection

  func add(for username: String, by issuer: String, now: Int64) throws {
    try connection.execute(
      """
      INSERT INTO issuedCode (number, username, issuedBy, issuedAt, expiresAt)
      SELECT id, username, $1, $2, expiresAt FROM enrolment WHERE username = $3
      """, [.text(issuer), .integer(now), .text(username)])
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
      SELECT i.number, i.username, i.issuedBy, i.issuedAt, i.expiresAt, i.usedAt, coalesce(e.expiresAt > $2, false)
      FROM \(source) LIMIT $3
      """, [.integer(number ?? .max), .integer(now), .integer(limit)]
    ).rows.map { row in
      IssuedCode(
        number: try row.integer(0), username: try row.text(1), issuedBy: try row.text(2),
        issuedAt: try row.integer(3), expiresAt: try row.integer(4), usedAt: try row.optionalInteger(5),
        isOpen: try row.boolean(6))
    }
  }
}
