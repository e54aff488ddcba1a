import GRDB
import UAFService

/// The table of requests that clients may send again.
struct RepeatableRequestStore: RepeatableRequests {
  let db: Database

  func begin(_ request: RepeatableRequest, now: Int64) throws -> RepeatableRequest? {
    try db.execute(sql: "DELETE FROM repeatableRequest WHERE expiresAt <= ?", arguments: [now])
    let row = try Row.fetchOne(
      db, sql: "SELECT * FROM repeatableRequest WHERE caller = ? AND key = ?",
      arguments: [request.caller, request.key.databaseBlob])
    if let row {
      return RepeatableRequest(
        caller: request.caller, key: request.key, digest: [UInt8](databaseBlob: row["digest"]),
        expiresAt: row["expiresAt"], answer: row["answer"])
    }
    try db.execute(
      sql: "INSERT INTO repeatableRequest (caller, key, digest, expiresAt) VALUES (?, ?, ?, ?)",
      arguments: [request.caller, request.key.databaseBlob, request.digest.databaseBlob, request.expiresAt])
    return nil
  }

  func finish(_ request: RepeatableRequest) throws {
    try db.execute(
      sql: "UPDATE repeatableRequest SET answer = ? WHERE caller = ? AND key = ?",
      arguments: [request.answer, request.caller, request.key.databaseBlob])
  }

  func forget(_ request: RepeatableRequest) throws {
    try db.execute(
      sql: "DELETE FROM repeatableRequest WHERE caller = ? AND key = ?",
      arguments: [request.caller, request.key.databaseBlob])
  }
}
