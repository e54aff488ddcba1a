import UAFMessages
import UAFService

/// The table of registered keys.
struct CredentialTable<Connection: SQLConnection>: Credentials {
  let connection: Connection

  func usage(of username: String, appID: String) throws -> KeyUsage {
    try connection.requiredRow(
      """
      SELECT count(*), coalesce(sum(length(keyID)), 0) FROM credential
      WHERE username = ?1 AND appID = ?2 AND revokedAt IS NULL
      """, [.text(username), .text(appID)]
    ) { KeyUsage(keys: try $0.integer(0, as: Int.self), keyIDBytes: try $0.integer(1, as: Int.self)) }
  }

  func keys(of username: String, appID: String) throws -> [StoredKey] {
    try connection.rows(
      """
      SELECT aaid, keyID, publicKey, signatureAlgorithm, signCounter, revokedAt, deviceID, deviceName
      FROM credential WHERE username = ?1 AND appID = ?2 ORDER BY id
      """, [.text(username), .text(appID)]
    ) { try StoredKey($0) }
  }

  func shapes(ofAccounts numbers: [Int64], appID: String) throws -> [KeyShape] {
    let rows = try connection.rows(
      """
      SELECT a.\(Connection.rowNumber), c.aaid, length(c.keyID)
      FROM account a JOIN credential c ON c.username = a.username AND c.appID = ?1
      WHERE a.\(Connection.rowNumber) IN (\(SQLValue.list(numbers.count, from: 2)))
      ORDER BY a.\(Connection.rowNumber), c.id
      """, [.text(appID)] + numbers.map { .integer($0) }
    ) { (account: try $0.integer(0, as: Int64.self), aaid: try $0.text(1), length: try $0.integer(2, as: Int.self)) }
    var keys: [Int64: [(aaid: String, length: Int)]] = [:]
    for row in rows { keys[row.account, default: []].append((row.aaid, row.length)) }
    return keys.values.map { KeyShape($0) }
  }

  func usableModels(after username: String, appID: String, limit: Int) throws -> [AccountModels] {
    let rows = try connection.rows(
      """
      SELECT username, \(Connection.joined("DISTINCT lower(aaid)")) FROM credential
      WHERE appID = ?2 AND revokedAt IS NULL AND username IN (
        SELECT DISTINCT username FROM credential
        WHERE username > ?1 AND appID = ?2 AND revokedAt IS NULL ORDER BY username LIMIT ?3)
      GROUP BY username, deviceID ORDER BY username
      """, [.text(username), .text(appID), .integer(limit)]
    ) { (username: try $0.text(0), aaids: Set(try $0.text(1).split(separator: ",").map(String.init))) }
    return AccountModels.joined(rows)
  }

  func countsByModel() throws -> [ModelCount] {
    try connection.rows(
      """
      SELECT min(aaid), count(*) FILTER (WHERE revokedAt IS NULL), count(*) FILTER (WHERE revokedAt IS NOT NULL)
      FROM credential GROUP BY lower(aaid) ORDER BY lower(aaid)\(Connection.byBytes)
      """
    ) { row in
      ModelCount(
        aaid: try AAID(row.text(0)), keys: try row.integer(1, as: Int.self),
        revokedKeys: try row.integer(2, as: Int.self))
    }
  }

  func exists(_ aaid: AAID, _ keyID: KeyID) throws -> Bool {
    try connection.requiredRow(
      "SELECT EXISTS (SELECT 1 FROM credential WHERE \(Connection.isAAID("?1")) AND keyID = ?2)",
      [.text(aaid.text), .bytes(keyID.bytes)]
    ) { try $0.boolean(0) }
  }

  /// The name that this machine got with the account's first registration on it; nil if the request has no device ID, or if the
  /// machine has no key of the account or no name yet.
  private func deviceName(of username: String, deviceID: String?) throws -> String? {
    try connection.row(
      """
      SELECT deviceName FROM credential WHERE username = ?1 AND deviceID = ?2 AND deviceName IS NOT NULL
      ORDER BY id LIMIT 1
      """, [.text(username), .text(deviceID)]
    ) { try $0.text(0) }
  }

  func devices(of username: String) throws -> [AccountDevice] {
    // Model and system are those of the machine's last registration; a key's `deviceName` repeats the name of the first.
    try connection.rows(
      """
      SELECT last.deviceName, last.deviceModel, last.deviceOS, d.keys, d.revoked, d.registeredAt, d.lastUsedAt FROM (
        SELECT max(id) AS id, min(id) AS first, max(lastUsedAt) AS lastUsedAt, max(registeredAt) AS registeredAt,
          count(*) FILTER (WHERE revokedAt IS NULL) AS keys, count(*) FILTER (WHERE revokedAt IS NOT NULL) AS revoked
        FROM credential WHERE username = ?1 GROUP BY deviceID
      ) AS d JOIN credential last ON last.id = d.id ORDER BY d.lastUsedAt DESC NULLS LAST, d.first
      """, [.text(username)]
    ) { row in
      AccountDevice(
        name: try row.optionalText(0), model: try row.optionalText(1), system: try row.optionalText(2),
        keys: try row.integer(3, as: Int.self), revokedKeys: try row.integer(4, as: Int.self),
        registeredAt: try row.integer(5), lastUsedAt: try row.optionalInteger(6))
    }
  }

  func raiseCounter(_ signature: VerifiedAuthentication, of username: String, now: Int64) throws -> Bool {
    try connection.run(
      """
      UPDATE credential SET signCounter = ?1, lastUsedAt = ?2
      WHERE \(Connection.isAAID("?3")) AND keyID = ?4 AND username = ?5 AND revokedAt IS NULL
        AND (blockedUntil IS NULL OR blockedUntil <= ?2) AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
      """,
      [
        .integer(signature.signCounter), .integer(now), .text(signature.aaid.text), .bytes(signature.keyID.bytes),
        .text(username),
      ]) == 1
  }

  func add(_ key: VerifiedRegistration, issued: IssuedRequest, origin: KeyOrigin, now: Int64) throws -> Bool {
    let kept = try deviceName(of: issued.username, deviceID: issued.device.id)
    try connection.run(
      """
      INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
        signCounter, regCounter, deviceID, deviceName, deviceModel, deviceOS, registeredAt, displays,
        machineProvedAt, issuedBy, vouchedBy, blockedUntil)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
        (SELECT blockedUntil FROM account WHERE username = ?1))
      """,
      [
        .text(issued.username), .text(issued.appID), .text(key.aaid.text), .bytes(key.keyID.bytes),
        .bytes(key.publicKey), .integer(key.signatureAlgorithm), .integer(key.authenticatorVersion),
        .integer(key.signCounter), .integer(key.regCounter), .text(issued.device.id),
        .text(kept ?? issued.device.name), .text(issued.device.model), .text(issued.device.os), .integer(now),
        .text(key.displays.isEmpty ? nil : JSONValue.array(key.displays.map(\.json)).text),
        .integer(origin.isMachineProved ? now : nil),
        .text(origin.issuedBy), .text(origin.vouchedBy),
      ])
    guard let kept, let name = issued.device.name else { return true }
    return name.isIdentical(to: kept)
  }

  func vouch(for aaid: AAID, _ keyID: KeyID, of username: String, by voucher: String) throws -> Bool {
    try connection.run(
      """
      UPDATE credential SET vouchedBy = ?1
      WHERE \(Connection.isAAID("?2")) AND keyID = ?3 AND username = ?4 AND revokedAt IS NULL
      """, [.text(voucher), .text(aaid.text), .bytes(keyID.bytes), .text(username)]) == 1
  }

  func removeAll(
    of username: String, appID: String, deviceID: String?, aaid: AAID?, keyIDs: [KeyID]
  ) throws -> [(aaid: AAID, keyID: KeyID)] {
    let named = keyIDs.isEmpty ? "" : "AND keyID IN (\(SQLValue.list(keyIDs.count, from: 5)))"
    let removed = try connection.rows(
      """
      DELETE FROM credential WHERE username = ?1 AND appID = ?2 AND deviceID IS NOT DISTINCT FROM ?3
        AND (?4 IS NULL OR \(Connection.isAAID("?4"))) \(named)
      RETURNING aaid, keyID, revokedAt IS NULL
      """,
      [.text(username), .text(appID), .text(deviceID), .text(aaid?.text)] + keyIDs.map { .bytes($0.bytes) }
    ) { row in
      (aaid: try AAID(row.text(0)), keyID: try KeyID(bytes: row.requiredBytes(1)), wasUsable: try row.boolean(2))
    }
    try DeregisteredKeyTable(connection: connection)
      .add(removed.filter(\.wasUsable).map(\.keyID), of: username, deviceID: deviceID)
    return removed.map { ($0.aaid, $0.keyID) }
  }

  func deregisteredKeyIDs(of username: String) throws -> [KeyID] {
    try DeregisteredKeyTable(connection: connection).keyIDs(of: username)
  }

  func records(of username: String) throws -> [KeyRecord] {
    try connection.rows(
      "SELECT \(KeyRecord.columns) FROM credential WHERE username = ?1 ORDER BY id", [.text(username)],
      KeyRecord.init(row:))
  }

  func revoke(_ keys: KeySelection, _ revocation: Revocation) throws -> Int {
    try DeregisteredKeyTable(connection: connection).forget(keys)
    let (condition, values): (String, [SQLValue]) =
      switch keys {
      case .all(let username): ("username = ?4", [.text(username)])
      case .one(let aaid, let keyID, let username):
        (
          "\(Connection.isAAID("?4")) AND keyID = ?5 AND username = ?6",
          [.text(aaid.text), .bytes(keyID.bytes), .text(username)]
        )
      case .onMachine(let id, let username): ("username = ?4 AND deviceID = ?5", [.text(username), .text(id)])
      case .machine(let id): ("deviceID\(Connection.byBytes) = ?4", [.text(id)])
      case .passkey: ("false", [])
      }
    return try connection.run(
      """
      UPDATE credential SET revokedAt = ?1, revokedBy = ?2, revokedReason = ?3 WHERE revokedAt IS NULL AND \(condition)
      """, [.integer(revocation.time), .text(revocation.by), .text(revocation.reason)] + values)
  }
}

extension KeyRecord {
  /// The columns that ``init(row:)`` reads, in their order.
  static var columns: String {
    """
    username, aaid, keyID, authenticatorVersion, signCounter, deviceID, deviceName, registeredAt, lastUsedAt, revokedAt,
    revokedBy, revokedReason, issuedBy, vouchedBy
    """
  }

  /// Reads a row of the table of keys.
  ///
  /// - Throws: the error of the row; the error of an AAID or a KeyID that cannot be read.
  init(row: some SQLRow) throws {
    var revocation: Revocation?
    if let time = try row.optionalInteger(9) {
      revocation = Revocation(time: time, by: try row.optionalText(10) ?? "", reason: try row.optionalText(11) ?? "")
    }
    self.init(
      username: try row.text(0), aaid: try AAID(row.text(1)), keyID: try KeyID(bytes: row.requiredBytes(2)),
      authenticatorVersion: try row.integer(3, as: UInt16.self), signCounter: try row.integer(4, as: UInt32.self),
      deviceID: try row.optionalText(5), deviceName: try row.optionalText(6), registeredAt: try row.integer(7),
      lastUsedAt: try row.optionalInteger(8),
      revocation: revocation,
      origin: KeyOrigin(issuedBy: try row.optionalText(12), vouchedBy: try row.optionalText(13)))
  }
}

/// The table of keys that were deregistered.
struct DeregisteredKeyTable<Connection: SQLConnection> {
  let connection: Connection

  /// The remembered KeyIDs of an account, oldest first.
  func keyIDs(of username: String) throws -> [KeyID] {
    try connection.rows(
      "SELECT keyID FROM deregisteredKey WHERE username = ?1 ORDER BY number", [.text(username)]
    ) { try KeyID(bytes: $0.requiredBytes(0)) }
  }

  /// Adds keys, and removes the account's oldest ones if there are too many.
  func add(_ keyIDs: [KeyID], of username: String, deviceID: String?) throws {
    guard !keyIDs.isEmpty else { return }
    let rows = keyIDs.indices.map { "(?1, ?\($0 + 3), ?2)" }.joined(separator: ", ")
    try connection.run(
      "INSERT INTO deregisteredKey (username, keyID, deviceID) VALUES \(rows)",
      [.text(username), .text(deviceID)] + keyIDs.map { .bytes($0.bytes) })
    try connection.run(
      """
      DELETE FROM deregisteredKey WHERE username = ?1 AND number NOT IN (
        SELECT number FROM deregisteredKey WHERE username = ?1 ORDER BY number DESC LIMIT ?2)
      """, [.text(username), .integer(DeregisteredKeys.mostKept)])
  }

  /// Removes the keys that a revocation covers.
  func forget(_ keys: KeySelection) throws {
    switch keys {
    case .all(let username):
      try connection.run("DELETE FROM deregisteredKey WHERE username = ?1", [.text(username)])
    case .onMachine(let id, let username):
      try connection.run(
        "DELETE FROM deregisteredKey WHERE username = ?1 AND deviceID = ?2", [.text(username), .text(id)])
    case .machine(let id): try connection.run("DELETE FROM deregisteredKey WHERE deviceID = ?1", [.text(id)])
    case .one, .passkey: break
    }
  }
}

extension StoredKey {
  /// Reads a row that begins with aaid, keyID, publicKey, signatureAlgorithm, signCounter, revokedAt, deviceID, deviceName.
  ///
  /// - Throws: the engine's ``StoreFailure``, and the error of a value that cannot be read.
  package init(_ row: some SQLRow) throws {
    self.init(
      aaid: try AAID(row.text(0)), keyID: try KeyID(bytes: row.requiredBytes(1)), publicKey: try row.requiredBytes(2),
      signatureAlgorithm: try row.integer(3, as: UInt16.self), signCounter: try row.integer(4, as: UInt32.self),
      isRevoked: try row.optionalInteger(5) != nil, deviceID: try row.optionalText(6),
      deviceName: try row.optionalText(7))
  }
}
