import GRDB
import UAFMessages
import UAFService

/// The table of open requests.
struct ChallengeStore: Challenges {
  let db: Database

  func add(_ issued: IssuedRequest, code: CodeInUse? = nil, now: Int64, maximumOpen: Int64) throws {
    try db.execute(sql: "DELETE FROM challenge WHERE expiresAt <= ?", arguments: [now])
    try db.execute(
      sql: """
        INSERT INTO challenge (hash, operation, username, appID, policy, transactionText, deviceID, deviceName,
          deviceModel, deviceOS, proofOperations, enrolmentID, approvalID, isDecoy, expiresAt, lostKeyIDs)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        issued.challengeHash.databaseBlob, issued.operation.rawValue, issued.username, issued.appID,
        issued.policy.jsonText, issued.transactionText?.shown, issued.device.id, issued.device.name,
        issued.device.model, issued.device.os, issued.proofOperations.map(\.rawValue).joined(separator: " "),
        code?.enrolmentID, code?.approvalID, issued.isDecoy, issued.expiresAt,
        issued.lostKeyIDs.isEmpty ? nil : issued.lostKeyIDs.map(\.text).joined(separator: " "),
      ])
    // SQLite gives a new row the highest number there is, and one more.
    try db.execute(sql: "DELETE FROM challenge WHERE rowid <= ?", arguments: [db.lastInsertedRowID - maximumOpen])
  }

  func take(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, code: CodeInUse?)? {
    let row = try Row.fetchOne(
      db, sql: "DELETE FROM challenge WHERE hash = ? RETURNING *", arguments: [hash.databaseBlob])
    guard let row, let operation = UAFOperation(rawValue: row["operation"]) else { return nil }
    var device = Device()
    device.id = row["deviceID"]
    device.name = row["deviceName"]
    device.model = row["deviceModel"]
    device.os = row["deviceOS"]
    let proofOperations: String = row["proofOperations"]
    let lostKeyIDs: String? = row["lostKeyIDs"]
    let text = (row["transactionText"] as String?).flatMap { TransactionText(sent: $0) }
    let issued = IssuedRequest(
      operation: operation, username: row["username"], challengeHash: hash, appID: row["appID"],
      serverData: serverData, policy: try Policy(parsing: row["policy"] as String),
      transaction: try text.map { try Transaction(signing: $0) }, device: device,
      proofOperations: proofOperations.split(separator: " ").compactMap { UAFOperation(rawValue: String($0)) },
      isDecoy: row["isDecoy"], expiresAt: row["expiresAt"], transactionText: text,
      lostKeyIDs: try lostKeyIDs?.split(separator: " ").map { try KeyID(json: .string(String($0)), path: "lostKeyIDs") }
        ?? [])
    return (issued, CodeInUse(enrolmentID: row["enrolmentID"], approvalID: row["approvalID"]))
  }
}
