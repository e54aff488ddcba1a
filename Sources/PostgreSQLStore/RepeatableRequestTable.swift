import UAFService

/// The table of requests that clients may send again.
struct RepeatableRequestTable: RepeatableRequests {
  let connection: Connection

  func begin(_ request: RepeatableRequest, now: Int64) throws -> RepeatableRequest? {
    try connection.execute("DELETE FROM repeatableRequest WHERE expiresAt <= $1", [.integer(now)])
    let isNew =
      try connection.execute(
        """
        INSERT INTO repeatableRequest (caller, key, digest, expiresAt) VALUES ($1, $2, $3, $4)
        ON CONFLICT (caller, key) DO NOTHING
        """,
        [.text(request.caller), .bytes(request.key), .bytes(request.digest), .integer(request.expiresAt)]
      ).changes == 1
    guard !isNew else { return nil }
    let row = try connection.execute(
      "SELECT digest, expiresAt, answer FROM repeatableRequest WHERE caller = $1 AND key = $2",
      [.text(request.caller), .bytes(request.key)]
    ).first
    guard let row else { throw PostgreSQLError.unreadable }
    return RepeatableRequest(
      caller: request.caller, key: request.key, digest: try row.requiredBytes(0), expiresAt: try row.integer(1),
      answer: try row.optionalText(2))
  }

  func finish(_ request: RepeatableRequest) throws {
    try connection.execute(
      "UPDATE repeatableRequest SET answer = $1 WHERE caller = $2 AND key = $3",
      [.text(request.answer), .text(request.caller), .bytes(request.key)])
  }

  func forget(_ request: RepeatableRequest) throws {
    try connection.execute(
      "DELETE FROM repeatableRequest WHERE caller = $1 AND key = $2", [.text(request.caller), .bytes(request.key)])
  }
}
