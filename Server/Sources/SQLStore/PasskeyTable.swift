import UAFMessages
import UAFService
import WebAuthn

/// The table of passkeys.
struct PasskeyTable<Connection: SQLConnection>: Passkeys {
  let connection: Connection

  func passkeys(of username: String) throws -> [PasskeyRecord] {
    try connection.rows(
      "SELECT \(PasskeyRecord.columns) FROM passkey WHERE username = ?1 ORDER BY number", [.text(username)],
      PasskeyRecord.init(row:))
  }

  func passkey(_ id: [UInt8]) throws -> PasskeyRecord? {
    try connection.row(
      "SELECT \(PasskeyRecord.columns) FROM passkey WHERE credentialID = ?1", [.bytes(id)], PasskeyRecord.init(row:))
  }

  func shapes(ofAccounts numbers: [Int64], relyingPartyID: String) throws -> [KeyShape] {
    let rows = try connection.rows(
      """
      SELECT a.\(Connection.rowNumber), p.transports, length(p.credentialID), p.revokedAt
      FROM account a JOIN passkey p ON p.username = a.username AND p.rpID = ?1
      WHERE a.\(Connection.rowNumber) IN (\(SQLValue.list(numbers.count, from: 2)))
      ORDER BY a.\(Connection.rowNumber), p.number
      """, [.text(relyingPartyID)] + numbers.map { .integer($0) }
    ) { row in
      ListedPasskey(
        account: try row.integer(0), transports: try row.text(1), length: try row.integer(2, as: Int.self),
        isRevoked: try row.optionalInteger(3) != nil)
    }
    return Dictionary(grouping: rows, by: \.account).values.map { passkeys in
      PasskeyShape.shape(PasskeyShape.listed(passkeys, isRevoked: \.isRevoked).map { ($0.transports, $0.length) })
    }
  }

  func kinds(of names: [String]) throws -> [String: Set<PasskeyKind>] {
    try grouped(
      """
      SELECT username, isBackupEligible, rpID, isAttested, aaguid FROM passkey WHERE revokedAt IS NULL
        AND username IN (\(Connection.jsonTexts.replacing("?", with: "?1")))
      GROUP BY username, isBackupEligible, rpID, isAttested, aaguid
      """, [.text(JSONValue.array(names.map(JSONValue.string)).text)])
  }

  func kindsWithoutKeys(after username: String, appID: String, limit: Int) throws -> [String: Set<PasskeyKind>] {
    try grouped(
      """
      SELECT username, isBackupEligible, rpID, isAttested, aaguid FROM passkey WHERE revokedAt IS NULL AND username IN (
        SELECT DISTINCT p.username FROM passkey p WHERE p.username > ?1 AND p.revokedAt IS NULL AND NOT EXISTS (
          SELECT 1 FROM credential c WHERE c.username = p.username AND c.appID = ?2 AND c.revokedAt IS NULL)
        ORDER BY p.username LIMIT ?3)
      GROUP BY username, isBackupEligible, rpID, isAttested, aaguid
      """, [.text(username), .text(appID), .integer(limit)])
  }

  private func grouped(_ sql: String, _ values: [SQLValue]) throws -> [String: Set<PasskeyKind>] {
    let rows = try connection.rows(sql, values) { row in
      (
        username: try row.text(0),
        kind: PasskeyKind(
          isBackupEligible: try row.integer(1) == 1,
          attestedModel: try row.integer(3) == 1 ? AAGUID(try row.requiredBytes(4)) : nil,
          relyingPartyID: try row.text(2))
      )
    }
    return rows.reduce(into: [:]) { $0[$1.username, default: []].insert($1.kind) }
  }

  func add(_ passkey: PasskeyRecord) throws {
    try connection.run(
      """
      INSERT INTO passkey (username, rpID, credentialID, userHandle, publicKey, signCounter, aaguid, isAttested,
        isBackupEligible, isBackedUp, transports, registeredAt, issuedBy, vouchedBy)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      """,
      [
        .text(passkey.username), .text(passkey.relyingPartyID), .bytes(passkey.id), .bytes(passkey.userHandle),
        .bytes(passkey.publicKey.encoded),
        .integer(passkey.signCounter), .bytes(passkey.aaguid.bytes), .integer(passkey.isAttested ? 1 : 0),
        .integer(passkey.isBackupEligible ? 1 : 0), .integer(passkey.isBackedUp ? 1 : 0),
        .text(PasskeyShape.text(passkey.transports)), .integer(passkey.registeredAt), .text(passkey.origin.issuedBy),
        .text(passkey.origin.vouchedBy),
      ])
  }

  func use(_ passkey: UsedPasskey, of username: String, now: Int64) throws -> Bool {
    try connection.run(
      """
      UPDATE passkey SET signCounter = ?1, isBackedUp = ?2, lastUsedAt = ?3
      WHERE credentialID = ?4 AND username = ?5 AND revokedAt IS NULL
        AND (signCounter < ?1 OR (signCounter = 0 AND ?1 = 0))
        AND NOT EXISTS (SELECT 1 FROM account WHERE username = ?5 AND blockedUntil > ?3)
      """,
      [
        .integer(passkey.signCounter), .integer(passkey.isBackedUp ? 1 : 0), .integer(now), .bytes(passkey.id),
        .text(username),
      ]) == 1
  }

  func vouch(for id: [UInt8], of username: String, by voucher: String) throws -> Bool {
    try connection.run(
      "UPDATE passkey SET vouchedBy = ?1 WHERE credentialID = ?2 AND username = ?3 AND revokedAt IS NULL",
      [.text(voucher), .bytes(id), .text(username)]) == 1
  }

  func revoke(_ id: [UInt8]?, of username: String, _ revocation: Revocation) throws -> Int {
    let condition = id == nil ? "" : " AND credentialID = ?5"
    return try connection.run(
      """
      UPDATE passkey SET revokedAt = ?1, revokedBy = ?2, revokedReason = ?3
      WHERE username = ?4 AND revokedAt IS NULL\(condition)
      """,
      [.integer(revocation.time), .text(revocation.by), .text(revocation.reason), .text(username)]
        + [id].compactMap(\.self).map { .bytes($0) })
  }
}

/// What a request shows of a passkey.
private struct ListedPasskey {
  let account: Int64
  let transports: String
  let length: Int
  let isRevoked: Bool
}

extension PasskeyRecord {
  /// The columns that ``init(row:)`` reads, in their order.
  static let columns = """
    username, credentialID, userHandle, publicKey, signCounter, aaguid, isAttested, isBackupEligible, isBackedUp,
    transports, registeredAt, lastUsedAt, revokedAt, revokedBy, revokedReason, issuedBy, vouchedBy, rpID
    """

  /// Reads a row of the table of passkeys.
  ///
  /// - Throws: the error of the row; the error of a key that cannot be read.
  init(row: some SQLRow) throws {
    guard let aaguid = AAGUID(try row.requiredBytes(5)) else { throw type(of: row).unreadable }
    var revocation: Revocation?
    if let time = try row.optionalInteger(12) {
      revocation = Revocation(time: time, by: try row.optionalText(13) ?? "", reason: try row.optionalText(14) ?? "")
    }
    self.init(
      username: try row.text(0), relyingPartyID: try row.text(17), id: try row.requiredBytes(1),
      userHandle: try row.requiredBytes(2),
      publicKey: try COSEKey(stored: row.requiredBytes(3)), signCounter: try row.integer(4, as: UInt32.self),
      aaguid: aaguid, isAttested: try row.integer(6) == 1, isBackupEligible: try row.integer(7) == 1,
      isBackedUp: try row.integer(8) == 1, transports: PasskeyShape.transports(try row.text(9)),
      registeredAt: try row.integer(10), lastUsedAt: try row.optionalInteger(11), revocation: revocation,
      origin: KeyOrigin(issuedBy: try row.optionalText(15), vouchedBy: try row.optionalText(16)))
  }
}
