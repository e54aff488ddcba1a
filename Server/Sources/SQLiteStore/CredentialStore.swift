import GRDB
import UAFMessages
import UAFService

/// The table of registered keys.
struct CredentialStore: Credentials {
  let db: Database

  func usage(of username: String, appID: String) throws -> KeyUsage {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT COUNT(*) AS keys, IFNULL(SUM(LENGTH(keyID)), 0) AS bytes FROM credential
        WHERE username = ? AND appID = ? AND revokedAt IS NULL
        """, arguments: [username, appID])
    return row.map { KeyUsage(keys: $0["keys"], keyIDBytes: $0["bytes"]) } ?? KeyUsage(keys: 0, keyIDBytes: 0)
  }

  func keys(of username: String, appID: String) throws -> [StoredKey] {
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT aaid, keyID, publicKey, signatureAlgorithm, signCounter, revokedAt, deviceID, deviceName
          FROM credential WHERE username = ? AND appID = ? ORDER BY id
          """), arguments: [username, appID])
    // By number, which is faster than by name.
    // The two numbers are decoded by the call that throws: a subscript ends the server where one is out of range.
    var keys: [StoredKey] = []
    while let row = try rows.next() {
      keys.append(
        StoredKey(
          aaid: try AAID(row[0] as String), keyID: try KeyID(bytes: [UInt8](databaseBlob: row[1])),
          publicKey: [UInt8](databaseBlob: row[2]), signatureAlgorithm: try row.decode(atIndex: 3),
          signCounter: try row.decode(atIndex: 4), isRevoked: row[5] as Int64? != nil, deviceID: row[6],
          deviceName: row[7]))
    }
    return keys
  }

  func shapes(ofAccounts numbers: [Int64], appID: String) throws -> [KeyShape] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT a.rowid AS account, c.aaid AS aaid, length(c.keyID) AS length
        FROM account a JOIN credential c ON c.username = a.username AND c.appID = ?
        WHERE a.rowid IN (\(databaseQuestionMarks(count: numbers.count))) ORDER BY a.rowid, c.id
        """, arguments: [appID] + StatementArguments(numbers))
    var keys: [Int64: [(aaid: String, length: Int)]] = [:]
    while let row = try rows.next() {
      keys[row["account"], default: []].append((row["aaid"], row["length"]))
    }
    return keys.values.map { KeyShape($0) }
  }

  func usableModels(after username: String, appID: String, limit: Int) throws -> [AccountModels] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT username, group_concat(DISTINCT lower(aaid)) FROM credential
        WHERE appID = ?2 AND revokedAt IS NULL AND username IN (
          SELECT DISTINCT username FROM credential
          WHERE username > ?1 AND appID = ?2 AND revokedAt IS NULL ORDER BY username LIMIT ?3)
        GROUP BY username, deviceID ORDER BY username
        """, arguments: [username, appID, limit])
    return AccountModels.joined(
      rows.map { (username: $0[0], aaids: Set(($0[1] as String).split(separator: ",").map(String.init))) })
  }

  func countsByModel() throws -> [ModelCount] {
    // Without the index of AAIDs: it would be read together with the table, which takes three times as long.
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT min(aaid), count(*) FILTER (WHERE revokedAt IS NULL), count(*) FILTER (WHERE revokedAt IS NOT NULL)
        FROM credential NOT INDEXED GROUP BY aaid ORDER BY aaid
        """)
    return try rows.map { row in
      ModelCount(aaid: try AAID(row[0] as String), keys: row[1], revokedKeys: row[2])
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

  func devices(of username: String) throws -> [AccountDevice] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT deviceID, min(id) AS first, max(lastUsedAt) AS lastUsedAt, max(registeredAt) AS registeredAt,
          count(*) FILTER (WHERE revokedAt IS NULL) AS keys, count(*) FILTER (WHERE revokedAt IS NOT NULL) AS revoked
        FROM credential WHERE username = ? GROUP BY deviceID
        ORDER BY max(lastUsedAt) IS NULL, max(lastUsedAt) DESC, min(id)
        """, arguments: [username])
    return try rows.map { row in
      // The machine's last description; it keeps the name of its first registration.
      let said = try Row.fetchOne(
        db,
        sql: """
          SELECT deviceName, deviceModel, deviceOS FROM credential WHERE username = ? AND deviceID IS ?
          ORDER BY id DESC LIMIT 1
          """, arguments: [username, row["deviceID"] as String?])
      return AccountDevice(
        name: said?["deviceName"], model: said?["deviceModel"], system: said?["deviceOS"], keys: row["keys"],
        revokedKeys: row["revoked"], registeredAt: row["registeredAt"], lastUsedAt: row["lastUsedAt"])
    }
  }

  func raiseCounter(_ signature: VerifiedAuthentication, of username: String, now: Int64) throws -> Bool {
    try db.execute(
      sql: """
        UPDATE credential SET signCounter = ?1, lastUsedAt = ?2
        WHERE aaid = ?3 AND keyID = ?4 AND username = ?5 AND revokedAt IS NULL
          AND (blockedUntil IS NULL OR blockedUntil <= ?2) AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
        """,
      arguments: [signature.signCounter, now, signature.aaid.text, signature.keyID.bytes.databaseBlob, username])
    return db.changesCount == 1
  }

  func add(_ key: VerifiedRegistration, issued: IssuedRequest, origin: KeyOrigin, now: Int64) throws -> Bool {
    let kept = try deviceName(of: issued.username, deviceID: issued.device.id)
    try db.execute(
      sql: """
        INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
          signCounter, regCounter, deviceID, deviceName, deviceModel, deviceOS, registeredAt,
          displays, machineProvedAt, issuedBy, vouchedBy, blockedUntil)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
          (SELECT blockedUntil FROM account WHERE username = ?))
        """,
      arguments: [
        issued.username, issued.appID, key.aaid.text, key.keyID.bytes.databaseBlob, key.publicKey.databaseBlob,
        key.signatureAlgorithm, key.authenticatorVersion, key.signCounter, key.regCounter, issued.device.id,
        kept ?? issued.device.name, issued.device.model, issued.device.os, now,
        key.displays.isEmpty ? nil : JSONValue.array(key.displays.map(\.json)).text,
        origin.isMachineProved ? now : nil, origin.issuedBy, origin.vouchedBy, issued.username,
      ])
    guard let kept, let name = issued.device.name else { return true }
    return name.isIdentical(to: kept)
  }

  func vouch(for aaid: AAID, _ keyID: KeyID, of username: String, by voucher: String) throws -> Bool {
    try db.execute(
      sql: "UPDATE credential SET vouchedBy = ? WHERE aaid = ? AND keyID = ? AND username = ? AND revokedAt IS NULL",
      arguments: [voucher, aaid.text, keyID.bytes.databaseBlob, username])
    return db.changesCount == 1
  }

  func removeAll(
    of username: String, appID: String, deviceID: String?, aaid: AAID?, keyIDs: [KeyID] = []
  ) throws -> [(aaid: AAID, keyID: KeyID)] {
    let named = keyIDs.isEmpty ? "" : "AND keyID IN (\(databaseQuestionMarks(count: keyIDs.count)))"
    var arguments: StatementArguments = [username, appID, deviceID]
    if let aaid { arguments += [aaid.text] }
    arguments += StatementArguments(keyIDs.map(\.bytes.databaseBlob))
    let removed = try Row.fetchAll(
      db,
      sql: """
        DELETE FROM credential WHERE username = ? AND appID = ? AND deviceID IS ? \(aaid == nil ? "" : "AND aaid = ?")
          \(named)
        RETURNING aaid, keyID, revokedAt IS NULL AS wasUsable
        """, arguments: arguments
    ).map { row in
      (
        aaid: try AAID(row["aaid"] as String), keyID: try KeyID(bytes: bytes(row, "keyID")),
        wasUsable: row["wasUsable"] as Bool
      )
    }
    try DeregisteredKeyStore(db: db).add(removed.filter(\.wasUsable).map(\.keyID), of: username, deviceID: deviceID)
    return removed.map { ($0.aaid, $0.keyID) }
  }

  func deregisteredKeyIDs(of username: String) throws -> [KeyID] {
    try DeregisteredKeyStore(db: db).keyIDs(of: username)
  }

  func records(of username: String) throws -> [KeyRecord] {
    try Row.fetchAll(db, sql: "SELECT * FROM credential WHERE username = ? ORDER BY id", arguments: [username])
      .map(KeyRecord.init(row:))
  }

  func revoke(_ keys: KeySelection, _ revocation: Revocation) throws -> Int {
    try DeregisteredKeyStore(db: db).forget(keys)
    let (condition, values): (String, StatementArguments) =
      switch keys {
      case .all(let username): ("username = ?", [username])
      case .one(let aaid, let keyID, let username):
        ("aaid = ? AND keyID = ? AND username = ?", [aaid.text, keyID.bytes.databaseBlob, username])
      case .onMachine(let id, let username): ("username = ? AND deviceID = ?", [username, id])
      case .machine(let id): ("deviceID = ?", [id])
      }
    try db.execute(
      sql: """
        UPDATE credential SET revokedAt = ?, revokedBy = ?, revokedReason = ? WHERE revokedAt IS NULL AND \(condition)
        """, arguments: [revocation.time, revocation.by, revocation.reason] + values)
    return db.changesCount
  }

  private func bytes(_ row: Row, _ column: String) -> [UInt8] {
    [UInt8](databaseBlob: row[column])
  }
}

extension KeyRecord {
  /// Reads a row of the table of keys.
  ///
  /// - Throws: what an AAID or a KeyID cannot be made of.
  init(row: Row) throws {
    let revocation = (row["revokedAt"] as Int64?).map {
      Revocation(time: $0, by: row["revokedBy"] ?? "", reason: row["revokedReason"] ?? "")
    }
    self.init(
      username: row["username"], aaid: try AAID(row["aaid"] as String),
      keyID: try KeyID(bytes: [UInt8](databaseBlob: row["keyID"])),
      authenticatorVersion: UInt16(clamping: row["authenticatorVersion"] as Int64),
      signCounter: UInt32(clamping: row["signCounter"] as Int64), deviceID: row["deviceID"],
      deviceName: row["deviceName"],
      registeredAt: row["registeredAt"], lastUsedAt: row["lastUsedAt"], revocation: revocation,
      origin: KeyOrigin(issuedBy: row["issuedBy"], vouchedBy: row["vouchedBy"]))
  }
}
