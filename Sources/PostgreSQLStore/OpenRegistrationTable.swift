import UAFMessages
import UAFService

/// The table of open requests for a registration.
struct OpenRegistrationTable: OpenRegistrations {
  let connection: Connection

  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws {
    try connection.execute("DELETE FROM openRegistration WHERE expiresAt <= $1", [.integer(now)])
    let lost = issued.lostKeyIDs.map(\.text).joined(separator: " ")
    let row = try connection.execute(
      """
      INSERT INTO openRegistration (hash, username, appID, policy, deviceID, deviceName, deviceModel, deviceOS,
        enrolmentID, expiresAt, lostKeyIDs)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING number
      """,
      [
        .bytes(issued.challengeHash), .text(issued.username), .text(issued.appID), .text(issued.policy.jsonText),
        .text(issued.device.id), .text(issued.device.name), .text(issued.device.model), .text(issued.device.os),
        .integer(enrolmentID), .integer(issued.expiresAt), .text(lost.isEmpty ? nil : lost),
      ]
    ).first
    guard let row else { throw PostgreSQLError.unreadable }
    try connection.execute(
      "DELETE FROM openRegistration WHERE number <= $1", [.integer(try row.integer(0) - maximumOpen)])
  }

  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)? {
    let row = try connection.execute(
      """
      SELECT username, appID, policy, deviceID, deviceName, deviceModel, deviceOS, enrolmentID, expiresAt, lostKeyIDs
      FROM openRegistration WHERE hash = $1
      """, [.bytes(hash)]
    ).first
    guard let row else { return nil }
    var device = Device()
    device.id = try row.optionalText(3)
    device.name = try row.optionalText(4)
    device.model = try row.optionalText(5)
    device.os = try row.optionalText(6)
    let lost = try row.optionalText(9)?.split(separator: " ") ?? []
    let issued = IssuedRequest(
      operation: .registration, username: try row.text(0), challengeHash: hash, appID: try row.text(1),
      serverData: serverData, policy: try Policy(parsing: row.text(2)), transaction: nil, device: device,
      expiresAt: try row.integer(8),
      lostKeyIDs: try lost.map { try KeyID(json: .string(String($0)), path: "lostKeyIDs") })
    return (issued, try row.optionalInteger(7))
  }

  func take(hash: [UInt8]) throws -> Bool {
    try connection.execute("DELETE FROM openRegistration WHERE hash = $1", [.bytes(hash)]).changes == 1
  }

  func removeAll() throws {
    try connection.execute("DELETE FROM openRegistration")
  }
}
