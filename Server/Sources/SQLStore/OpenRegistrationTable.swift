import UAFMessages
import UAFService

/// The table of open requests for a registration.
struct OpenRegistrationTable<Connection: SQLConnection>: OpenRegistrations {
  let connection: Connection

  func add(_ issued: IssuedRequest, enrolmentID: Int64?, now: Int64, maximumOpen: Int64) throws {
    try connection.run("DELETE FROM openRegistration WHERE expiresAt <= ?1", [.integer(now)])
    let lost = issued.lostKeyIDs.map(\.text).joined(separator: " ")
    let number: Int64 = try connection.requiredRow(
      """
      INSERT INTO openRegistration (hash, username, appID, policy, deviceID, deviceName, deviceModel, deviceOS,
        enrolmentID, expiresAt, lostKeyIDs)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING \(Connection.rowNumber)
      """,
      [
        .bytes(issued.challengeHash), .text(issued.username), .text(issued.appID), .text(issued.policy.jsonText),
        .text(issued.device.id), .text(issued.device.name), .text(issued.device.model), .text(issued.device.os),
        .integer(enrolmentID), .integer(issued.expiresAt), .text(lost.isEmpty ? nil : lost),
      ]
    ) { try $0.integer(0) }
    try connection.run(
      "DELETE FROM openRegistration WHERE \(Connection.rowNumber) <= ?1", [.integer(number - maximumOpen)])
  }

  func find(hash: [UInt8], serverData: String) throws -> (issued: IssuedRequest, enrolmentID: Int64?)? {
    try connection.row(
      """
      SELECT username, appID, policy, deviceID, deviceName, deviceModel, deviceOS, enrolmentID, expiresAt, lostKeyIDs
      FROM openRegistration WHERE hash = ?1
      """, [.bytes(hash)]
    ) { row in
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
  }

  func take(hash: [UInt8]) throws -> Bool {
    try connection.run("DELETE FROM openRegistration WHERE hash = ?1", [.bytes(hash)]) == 1
  }

  func removeAll() throws {
    try connection.run("DELETE FROM openRegistration")
  }
}

/// The table of requests that clients may send again.
struct RepeatableRequestTable<Connection: SQLConnection>: RepeatableRequests {
  let connection: Connection

  func begin(_ request: RepeatableRequest, now: Int64) throws -> RepeatableRequest? {
    try connection.run("DELETE FROM repeatableRequest WHERE expiresAt <= ?1", [.integer(now)])
    let isNew =
      try connection.run(
        """
        INSERT INTO repeatableRequest (caller, key, digest, expiresAt) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (caller, key) DO NOTHING
        """,
        [.text(request.caller), .bytes(request.key), .bytes(request.digest), .integer(request.expiresAt)]) == 1
    guard !isNew else { return nil }
    return try connection.requiredRow(
      "SELECT digest, expiresAt, answer FROM repeatableRequest WHERE caller = ?1 AND key = ?2",
      [.text(request.caller), .bytes(request.key)]
    ) { row in
      RepeatableRequest(
        caller: request.caller, key: request.key, digest: try row.requiredBytes(0), expiresAt: try row.integer(1),
        answer: try row.optionalText(2))
    }
  }

  func finish(_ request: RepeatableRequest) throws {
    try connection.run(
      "UPDATE repeatableRequest SET answer = ?1 WHERE caller = ?2 AND key = ?3",
      [.text(request.answer), .text(request.caller), .bytes(request.key)])
  }

  func forget(_ request: RepeatableRequest) throws {
    try connection.run(
      "DELETE FROM repeatableRequest WHERE caller = ?1 AND key = ?2", [.text(request.caller), .bytes(request.key)])
  }
}
