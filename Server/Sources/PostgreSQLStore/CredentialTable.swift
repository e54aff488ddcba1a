import UAFMessages
import UAFService

/// The table of registered keys.
struct CredentialTable: Credentials {
  let connection: Connection

  func usage(of username: String, appID: String) throws -> KeyUsage {
    let row = try connection.execute(
      """
      SELECT count(*), coalesce(sum(length(keyID)), 0) FROM credential
      WHERE username = $1 AND appID = $2 AND revokedAt IS NULL
      """, [.text(username), .text(appID)]
    ).first
    guard let row else { throw PostgreSQLError.unreadable }
    return KeyUsage(keys: try row.integer(0, as: Int.self), keyIDBytes: try row.integer(1, as: Int.self))
  }

  func keys(of username: String, appID: String) throws -> [StoredKey] {
    try connection.execute(
      """
      SELECT aaid, keyID, publicKey, signatureAlgorithm, signCounter, revokedAt, deviceID, deviceName
      FROM credential WHERE username = $1 AND appID = $2 ORDER BY id
      """, [.text(username), .text(appID)]
    ).rows.map(Self.key)
  }

  /// The keys of each account, and whether each challenge was used, in one statement.
  ///
  /// - Returns: for each lookup its records, or what is wrong with a stored key.
  func logins(_ lookups: [LoginLookup]) throws -> [Result<LoginRecords, any Error>] {
    guard !lookups.isEmpty else { return [] }
    let rows = try connection.execute(
      Self.selectLogins,
      [
        .texts(lookups.map(\.username)), .texts(lookups.map(\.appID)),
        // No challenge has an empty hash.
        .byteStrings(lookups.map { $0.challenge?.hash ?? [] }),
      ]
    ).rows
    var found: [[QueryRow]] = lookups.map { _ in [] }
    for row in rows {
      let number = try row.integer(9, as: Int.self)
      guard found.indices.contains(number - 1) else { throw PostgreSQLError.unreadable }
      found[number - 1].append(row)
    }
    return found.map { rows in Result { try Self.records(rows) } }
  }

  private static func records(_ rows: [QueryRow]) throws -> LoginRecords {
    guard let first = rows.first else { throw PostgreSQLError.unreadable }
    // An account without keys has one row, of NULLs but for the challenge's column.
    let hasKeys = first.bytes(0) != nil
    return LoginRecords(isUsed: try first.boolean(8), keys: hasKeys ? try rows.map(Self.key) : [])
  }

  // With OFFSET 0 the keys are looked for account by account. PostgreSQL could read and sort all keys for a join, and all
  // challenges for EXISTS.
  static let selectLogins = """
    SELECT c.aaid, c.keyID, c.publicKey, c.signatureAlgorithm, c.signCounter, c.revokedAt, c.deviceID, c.deviceName,
      (SELECT true FROM usedChallenge u WHERE u.hash = a.hash) IS NOT NULL, a.number
    FROM unnest($1::text[], $2::text[], $3::bytea[]) WITH ORDINALITY AS a (username, appID, hash, number)
      LEFT JOIN LATERAL (
        SELECT * FROM credential WHERE username = a.username AND appID = a.appID OFFSET 0
      ) AS c ON true
    ORDER BY a.number, c.id
    """

  private static func key(_ row: QueryRow) throws -> StoredKey {
    StoredKey(
      aaid: try AAID(row.text(0)), keyID: try KeyID(bytes: row.requiredBytes(1)), publicKey: try row.requiredBytes(2),
      signatureAlgorithm: try row.integer(3, as: UInt16.self), signCounter: try row.integer(4, as: UInt32.self),
      isRevoked: try row.optionalInteger(5) != nil, deviceID: try row.optionalText(6),
      deviceName: try row.optionalText(7))
  }

  func shapes(ofAccounts numbers: [Int64], appID: String) throws -> [KeyShape] {
    let rows = try connection.execute(
      """
      SELECT a.number, c.aaid, length(c.keyID)
      FROM account a JOIN credential c ON c.username = a.username AND c.appID = $1
      WHERE a.number = ANY ($2) ORDER BY a.number, c.id
      """, [.text(appID), .integers(numbers)]
    ).rows
    var keys: [Int64: [(aaid: String, length: Int)]] = [:]
    for row in rows {
      keys[try row.integer(0), default: []].append((try row.text(1), try row.integer(2, as: Int.self)))
    }
    return keys.values.map { KeyShape($0) }
  }

  func usableModels(after username: String, appID: String, limit: Int) throws -> [AccountModels] {
    let rows = try connection.execute(
      """
      SELECT username, string_agg(DISTINCT lower(aaid), ',') FROM credential
      WHERE appID = $2 AND revokedAt IS NULL AND username IN (
        SELECT DISTINCT username FROM credential
        WHERE username > $1 AND appID = $2 AND revokedAt IS NULL ORDER BY username LIMIT $3)
      GROUP BY username, deviceID ORDER BY username
      """, [.text(username), .text(appID), .integer(limit)]
    ).rows
    return AccountModels.joined(
      try rows.map { row in
        (username: try row.text(0), aaids: Set(try row.text(1).split(separator: ",").map(String.init)))
      })
  }

  func countsByModel() throws -> [ModelCount] {
    try connection.execute(
      """
      SELECT min(aaid), count(*) FILTER (WHERE revokedAt IS NULL), count(*) FILTER (WHERE revokedAt IS NOT NULL)
      FROM credential GROUP BY lower(aaid) ORDER BY lower(aaid) COLLATE "C"
      """
    ).rows.map { row in
      ModelCount(
        aaid: try AAID(row.text(0)), keys: try row.integer(1, as: Int.self),
        revokedKeys: try row.integer(2, as: Int.self))
    }
  }

  func exists(_ aaid: AAID, _ keyID: KeyID) throws -> Bool {
    try connection.execute(
      "SELECT EXISTS (SELECT 1 FROM credential WHERE lower(aaid) = lower($1) AND keyID = $2)",
      [.text(aaid.text), .bytes(keyID.bytes)]
    ).first?.boolean(0) == true
  }

  /// The name the account's first registration gave this machine; nil for a machine it does not tell apart, and for one
  /// without a key here or without a name so far.
  private func deviceName(of username: String, deviceID: String?) throws -> String? {
    try connection.execute(
      """
      SELECT deviceName FROM credential WHERE username = $1 AND deviceID = $2 AND deviceName IS NOT NULL
      ORDER BY id LIMIT 1
      """, [.text(username), .text(deviceID)]
    ).first?.text(0)
  }

  func devices(of username: String) throws -> [AccountDevice] {
    // A machine is described as by its last registration; it keeps the name of its first.
    try connection.execute(
      """
      SELECT last.deviceName, last.deviceModel, last.deviceOS, d.keys, d.revoked, d.registeredAt, d.lastUsedAt FROM (
        SELECT max(id) AS id, min(id) AS first, max(lastUsedAt) AS lastUsedAt, max(registeredAt) AS registeredAt,
          count(*) FILTER (WHERE revokedAt IS NULL) AS keys, count(*) FILTER (WHERE revokedAt IS NOT NULL) AS revoked
        FROM credential WHERE username = $1 GROUP BY deviceID
      ) AS d JOIN credential last ON last.id = d.id ORDER BY d.lastUsedAt DESC NULLS LAST, d.first
      """, [.text(username)]
    ).rows.map { row in
      AccountDevice(
        name: try row.optionalText(0), model: try row.optionalText(1), system: try row.optionalText(2),
        keys: try row.integer(3, as: Int.self), revokedKeys: try row.integer(4, as: Int.self),
        registeredAt: try row.integer(5), lastUsedAt: try row.optionalInteger(6))
    }
  }

  func raiseCounter(_ signature: VerifiedAuthentication, of username: String, now: Int64) throws -> Bool {
    try connection.execute(
      """
      UPDATE credential SET signCounter = $1, lastUsedAt = $2
      WHERE lower(aaid) = lower($3) AND keyID = $4 AND username = $5 AND revokedAt IS NULL
        AND (blockedUntil IS NULL OR blockedUntil <= $2) AND (signCounter < $1 OR (signCounter = 0 AND $1 = 0))
      """,
      [
        .integer(signature.signCounter), .integer(now), .text(signature.aaid.text), .bytes(signature.keyID.bytes),
        .text(username),
      ]
    ).changes == 1
  }

  func add(_ key: VerifiedRegistration, issued: IssuedRequest, origin: KeyOrigin, now: Int64) throws -> Bool {
    let kept = try deviceName(of: issued.username, deviceID: issued.device.id)
    try connection.execute(
      """
      INSERT INTO credential (username, appID, aaid, keyID, publicKey, signatureAlgorithm, authenticatorVersion,
        signCounter, regCounter, deviceID, deviceName, deviceModel, deviceOS, registeredAt, displays,
        machineProvedAt, issuedBy, vouchedBy, blockedUntil)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        (SELECT blockedUntil FROM account WHERE username = $1))
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
    try connection.execute(
      """
      UPDATE credential SET vouchedBy = $1
      WHERE lower(aaid) = lower($2) AND keyID = $3 AND username = $4 AND revokedAt IS NULL
      """, [.text(voucher), .text(aaid.text), .bytes(keyID.bytes), .text(username)]
    ).changes == 1
  }

  func removeAll(
    of username: String, appID: String, deviceID: String?, aaid: AAID?, keyIDs: [KeyID]
  ) throws -> [(aaid: AAID, keyID: KeyID)] {
    let removed = try connection.execute(
      """
      DELETE FROM credential WHERE username = $1 AND appID = $2 AND deviceID IS NOT DISTINCT FROM $3
        AND ($4::text IS NULL OR lower(aaid) = lower($4)) AND (cardinality($5::bytea[]) = 0 OR keyID = ANY ($5))
      RETURNING aaid, keyID, revokedAt IS NULL
      """,
      [
        .text(username), .text(appID), .text(deviceID), .text(aaid?.text), .byteStrings(keyIDs.map(\.bytes)),
      ]
    ).rows.map { row in
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
    try connection.execute(
      "SELECT \(KeyRecord.columns) FROM credential WHERE username = $1 ORDER BY id", [.text(username)]
    ).rows.map(KeyRecord.init(row:))
  }

  func revoke(_ keys: KeySelection, _ revocation: Revocation) throws -> Int {
    try DeregisteredKeyTable(connection: connection).forget(keys)
    let (condition, values): (String, [Parameter]) =
      switch keys {
      case .all(let username): ("username = $4", [.text(username)])
      case .one(let aaid, let keyID, let username):
        (
          "lower(aaid) = lower($4) AND keyID = $5 AND username = $6",
          [.text(aaid.text), .bytes(keyID.bytes), .text(username)]
        )
      case .onMachine(let id, let username): ("username = $4 AND deviceID = $5", [.text(username), .text(id)])
      case .machine(let id): (#"deviceID COLLATE "C" = $4"#, [.text(id)])
      }
    return try connection.execute(
      """
      UPDATE credential SET revokedAt = $1, revokedBy = $2, revokedReason = $3 WHERE revokedAt IS NULL AND \(condition)
      """, [.integer(revocation.time), .text(revocation.by), .text(revocation.reason)] + values
    ).changes
  }
}

extension KeyRecord {
  /// The columns that ``init(row:)`` reads, in their order.
  static let columns = """
    username, aaid, keyID, authenticatorVersion, signCounter, deviceID, deviceName, registeredAt, lastUsedAt, revokedAt,
    revokedBy, revokedReason, issuedBy, vouchedBy
    """

  /// Reads a row of the table of keys.
  ///
  /// - Throws: ``PostgreSQLError/unreadable``; what an AAID or a KeyID cannot be made of.
  init(row: QueryRow) throws {
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
