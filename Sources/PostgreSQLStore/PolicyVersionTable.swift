import UAFService

/// The table of policies.
struct PolicyVersionTable: PolicyVersions {
  let connection: Connection

  func lastNumber() throws -> Int64 {
    try connection.execute("SELECT coalesce(max(number), 0) FROM policy").first?.integer(0) ?? 0
  }

  func version(_ number: Int64) throws -> PolicyVersion? {
    try connection.execute(
      "SELECT number, savedAt, actor, reason, content FROM policy WHERE number = $1", [.integer(number)]
    ).first.map(Self.version)
  }

  func versions(before number: Int64, limit: Int) throws -> [PolicyVersion] {
    try connection.execute(
      "SELECT number, savedAt, actor, reason, content FROM policy WHERE number < $1 ORDER BY number DESC LIMIT $2",
      [.integer(number), .integer(limit)]
    ).rows.map(Self.version)
  }

  func add(_ version: PolicyVersion) throws -> Bool {
    guard try version.number == lastNumber() + 1 else { return false }
    // Another instance may add the same number between the two statements. One of both then adds nothing.
    return try connection.execute(
      """
      INSERT INTO policy (number, savedAt, actor, reason, content) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (number) DO NOTHING
      """,
      [
        .integer(version.number), .integer(version.savedAt), .text(version.actor), .text(version.reason),
        .text(version.text),
      ]
    ).changes == 1
  }

  private static func version(_ row: QueryRow) throws -> PolicyVersion {
    PolicyVersion(
      number: try row.integer(0), savedAt: try row.integer(1), actor: try row.text(2), reason: try row.text(3),
      text: try row.text(4))
  }
}
