import UAFService

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
