import GRDB
import UAFMessages

/// The registered keys.
struct CredentialStore {
  let db: Database

  /// The keys of an account for an AppID, oldest first, revoked ones included.
  func keys(of username: String, appID: String) throws -> [StoredKey] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT aaid, keyID, publicKey, signatureAlgorithm, signCounter, revokedAt, deviceID FROM credential
        WHERE username = ? AND appID = ? ORDER BY id
        """, arguments: [username, appID]
    ).map { row in
      // The two numbers are decoded by the call that throws: a subscript ends the server where one is out of range.
      StoredKey(
        aaid: try AAID(row["aaid"] as String), keyID: try KeyID(bytes: bytes(row, "keyID")),
        publicKey: bytes(row, "publicKey"), signatureAlgorithm: try row.decode(forColumn: "signatureAlgorithm"),
        signCounter: try row.decode(forColumn: "signCounter"), isRevoked: row["revokedAt"] as Int64? != nil,
        deviceID: row["deviceID"])
    }
  }

  func exists(_ aaid: AAID, _ keyID: KeyID) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM credential WHERE aaid = ? AND keyID = ?)",
      arguments: [aaid.text, keyID.bytes.databaseBlob]) ?? false
  }

  /// The name the account's first registration gave this machine; nil for a machine it does not tell apart, and for one
  /// without a key here or without a name so far.
  func deviceName(of username: String, deviceID: String?) throws -> String? {
    try String.fetchOne(
      db,
      sql: """
        SELECT deviceName FROM credential WHERE username = ? AND deviceID = ? AND deviceName IS NOT NULL
        ORDER BY id LIMIT 1
        """, arguments: [username, deviceID])
  }

  /// Stores a new key, with the name its machine has here already rather than the one in the request.
  ///
  /// - Returns: false if the machine was given another name before, which it keeps.
  func add(_ key: VerifiedRegistration, issued: IssuedRequest, now: Int64) throws -> Bool {
    let kept = try deviceName(of: issued.username, deviceID: issued.device.id)
    try db.execute(
      sql: """
        INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
          signCounter, regCounter, deviceID, deviceName, deviceModel, deviceOS, registeredAt,
          displays)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        issued.username, issued.appID, key.aaid.text, key.keyID.bytes.databaseBlob, key.publicKey.databaseBlob,
        key.signatureAlgorithm, key.authenticatorVersion, key.signCounter, key.regCounter, issued.device.id,
        kept ?? issued.device.name, issued.device.model, issued.device.os, now,
        key.displays.isEmpty ? nil : JSONValue.array(key.displays.map(\.json)).text,
      ])
    guard let kept, let name = issued.device.name else { return true }
    return name.isIdentical(to: kept)
  }

  /// Stores the counter of a verified signature.
  ///
  /// - Returns: false if another signature with the same or a higher counter was faster.
  func record(_ authentication: VerifiedAuthentication, of username: String, now: Int64) throws -> Bool {
    try db.execute(
      sql: """
        UPDATE credential SET signCounter = ?1, lastUsedAt = ?2
        WHERE aaid = ?3 AND keyID = ?4 AND username = ?5 AND revokedAt IS NULL
          AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
        """,
      arguments: [
        authentication.signCounter, now, authentication.aaid.text, authentication.keyID.bytes.databaseBlob, username,
      ])
    return db.changesCount == 1
  }

  /// Deletes the keys of one person on one machine and says which.
  ///
  /// - Parameters:
  ///   - deviceID: nil stands for keys that were registered without naming a machine, not for all machines.
  ///   - aaid: nil for every model.
  func removeAll(
    of username: String, appID: String, deviceID: String?, aaid: AAID?
  ) throws -> [(aaid: AAID, keyID: KeyID)] {
    try Row.fetchAll(
      db,
      sql: """
        DELETE FROM credential WHERE username = ?1 AND appID = ?2 AND deviceID IS ?3 AND (?4 IS NULL OR aaid = ?4)
        RETURNING aaid, keyID
        """, arguments: [username, appID, deviceID, aaid?.text]
    ).map { row in (try AAID(row["aaid"] as String), try KeyID(bytes: bytes(row, "keyID"))) }
  }

  /// Marks every key of an account as revoked.
  ///
  /// - Returns: how many were not revoked before.
  func revokeAll(of username: String, now: Int64) throws -> Int {
    try db.execute(
      sql: "UPDATE credential SET revokedAt = ? WHERE username = ? AND revokedAt IS NULL", arguments: [now, username])
    return db.changesCount
  }

  private func bytes(_ row: Row, _ column: String) -> [UInt8] {
    [UInt8](databaseBlob: row[column])
  }
}
