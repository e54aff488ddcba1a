import GRDB
import UAFMessages
import UAFService

/// The table of open requests for a registration.
struct OpenRegistrationStore: OpenRegistrations {
  let db: Database

  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws {
    try db.execute(sql: "DELETE FROM openRegistration WHERE expiresAt <= ?", arguments: [now])
    try db.execute(
      sql: """
        INSERT INTO openRegistration (hash, username, appID, policy, deviceID, deviceName, deviceModel, deviceOS,
          enrolmentID, expiresAt, lostKeyIDs)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        issued.challengeHash.databaseBlob, issued.username, issued.appID, issued.policy.jsonText, issued.device.id,
        issued.device.name, issued.device.model, issued.device.os, enrolmentID, issued.expiresAt,
        issued.lostKeyIDs.isEmpty ? nil : issued.lostKeyIDs.map(\.text).joined(separator: " "),
      ])
    // SQLite gives a new row the highest number there is, and one more.
    try db.execute(
      sql: "DELETE FROM openRegistration WHERE rowid <= ?", arguments: [db.lastInsertedRowID - maximumOpen])
  }

  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)? {
    let row = try Row.fetchOne(
      db, sql: "SELECT * FROM openRegistration WHERE hash = ?", arguments: [hash.databaseBlob])
    guard let row else { return nil }
    var device = Device()
    device.id = row["deviceID"]
    device.name = row["deviceName"]
    device.model = row["deviceModel"]
    device.os = row["deviceOS"]
    let lostKeyIDs: String? = row["lostKeyIDs"]
    let issued = IssuedRequest(
      operation: .registration, username: row["username"], challengeHash: hash, appID: row["appID"],
      serverData: serverData, policy: try Policy(parsing: row["policy"] as String), transaction: nil, device: device,
      expiresAt: row["expiresAt"],
      lostKeyIDs: try lostKeyIDs?.split(separator: " ").map { try KeyID(json: .string(String($0)), path: "lostKeyIDs") }
        ?? [])
    return (issued, row["enrolmentID"])
  }

  func take(hash: [UInt8]) throws -> Bool {
    try db.execute(sql: "DELETE FROM openRegistration WHERE hash = ?", arguments: [hash.databaseBlob])
    return db.changesCount == 1
  }

  func removeAll() throws {
    try db.execute(sql: "DELETE FROM openRegistration")
  }
}
