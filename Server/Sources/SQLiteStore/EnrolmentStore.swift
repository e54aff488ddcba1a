import GRDB
import UAFService

/// The table of enrolment codes.
struct EnrolmentStore: Enrolments {
  /// Codes that were given out before are closed: nobody knows their keys.
  static let sealedKeys = """
    DELETE FROM enrolment;
    ALTER TABLE enrolment RENAME COLUMN codeHash TO sealedKey;
    """

  let db: Database

  func open(_ sealedKey: [UInt8], for username: String, expiresAt: Int64) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE username = ?", arguments: [username])
    try db.execute(
      sql: "INSERT INTO enrolment (username, sealedKey, expiresAt) VALUES (?, ?, ?)",
      arguments: [username, sealedKey.databaseBlob, expiresAt])
  }

  func find(for username: String, now: Int64) throws -> OpenEnrolment? {
    try Row.fetchOne(
      db, sql: "SELECT id, sealedKey FROM enrolment WHERE username = ? AND expiresAt > ?", arguments: [username, now]
    ).map { OpenEnrolment(id: $0["id"], sealedKey: [UInt8](databaseBlob: $0["sealedKey"])) }
  }

  func reserve(id: Int64, challengeHash: [UInt8]) throws {
    try db.execute(
      sql: "UPDATE enrolment SET reservedBy = ? WHERE id = ?", arguments: [challengeHash.databaseBlob, id])
  }

  func isReserved(id: Int64, by challengeHash: [UInt8]) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM enrolment WHERE id = ? AND reservedBy = ?)",
      arguments: [id, challengeHash.databaseBlob]) ?? false
  }

  func consume(id: Int64) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE id = ?", arguments: [id])
  }

  func close(for username: String) throws {
    try db.execute(sql: "DELETE FROM enrolment WHERE username = ?", arguments: [username])
  }

  func closeAll() throws {
    try db.execute(sql: "DELETE FROM enrolment")
  }
}

/// The table of the codes that were given out.
struct IssuedCodeStore: IssuedCodes {
  let db: Database

  func add(for username: String, by issuer: String, reachesPrivileged: Bool, now: Int64) throws {
    try db.execute(
      sql: """
        INSERT INTO issuedCode (number, username, issuedBy, reachesPrivileged, issuedAt, expiresAt)
        SELECT id, username, ?, ?, ?, expiresAt FROM enrolment WHERE username = ?
        """, arguments: [issuer, reachesPrivileged, now, username])
  }

  func markUsed(_ number: Int64, now: Int64) throws {
    try db.execute(sql: "UPDATE issuedCode SET usedAt = ? WHERE number = ?", arguments: [now, number])
  }

  func page(before number: Int64?, onlyOpen: Bool, limit: Int, now: Int64) throws -> [IssuedCode] {
    // Open codes are found from their own table, which has no others.
    let source =
      onlyOpen
      ? "enrolment e JOIN issuedCode i ON i.number = e.id WHERE e.expiresAt > ?2 AND e.id < ?1 ORDER BY e.id DESC"
      : "issuedCode i LEFT JOIN enrolment e ON e.id = i.number WHERE i.number < ?1 ORDER BY i.number DESC"
    return try Row.fetchAll(
      db, sql: "SELECT i.*, e.expiresAt > ?2 AS isOpen FROM \(source) LIMIT ?3",
      arguments: [number ?? .max, now, limit]
    ).map(Self.code)
  }

  func code(_ number: Int64) throws -> IssuedCode? {
    try Row.fetchOne(db, sql: "SELECT *, 0 AS isOpen FROM issuedCode WHERE number = ?", arguments: [number])
      .map(Self.code)
  }

  func accountsWithLesserCodes() throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT e.username FROM enrolment e LEFT JOIN issuedCode i ON i.number = e.id
        WHERE coalesce(i.reachesPrivileged, 0) = 0 ORDER BY e.username
        """)
  }

  func accounts(withCodesBy issuer: String) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT e.username FROM enrolment e JOIN issuedCode i ON i.number = e.id WHERE i.issuedBy = ? ORDER BY e.username
        """, arguments: [issuer])
  }

  private static func code(_ row: Row) -> IssuedCode {
    IssuedCode(
      number: row["number"], username: row["username"], issuedBy: row["issuedBy"],
      reachesPrivileged: row["reachesPrivileged"], issuedAt: row["issuedAt"], expiresAt: row["expiresAt"],
      usedAt: row["usedAt"], isOpen: row["isOpen"] ?? false)
  }
}

/// The table of join codes.
struct JoinCodeStore: JoinCodes {
  let db: Database

  func add(
    _ code: String, group: String, machines: Int, by issuer: String, now: Int64, expiresAt: Int64
  ) throws -> Int64 {
    try db.execute(
      sql: """
        INSERT INTO joinCode (codeHash, machineGroup, machines, issuedBy, issuedAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?)
        """, arguments: [try OneTimeCode.hash(code).databaseBlob, group, machines, issuer, now, expiresAt])
    return db.lastInsertedRowID
  }

  func code(_ code: String) throws -> JoinCode? {
    // The time of comparing hashes shows nothing of the code.
    try Row.fetchOne(
      db, sql: Self.codes("codeHash = ?"), arguments: [try OneTimeCode.hash(code).databaseBlob]
    ).map(Self.code)
  }

  func page(before number: Int64?, limit: Int) throws -> [JoinCode] {
    try Row.fetchAll(
      db, sql: Self.codes("number < ? ORDER BY number DESC LIMIT ?"), arguments: [number ?? .max, limit]
    ).map(Self.code)
  }

  func close(_ number: Int64) throws -> Bool {
    try db.execute(
      sql: "UPDATE joinCode SET codeHash = NULL WHERE number = ? AND codeHash IS NOT NULL", arguments: [number])
    return db.changesCount == 1
  }

  func closeAll() throws {
    try db.execute(sql: "UPDATE joinCode SET codeHash = NULL")
  }

  private static func codes(_ condition: String) -> String {
    """
    SELECT *, codeHash IS NULL AS isClosed,
      (SELECT count(*) FROM joinedMachine m WHERE m.codeNumber = joinCode.number) AS used
    FROM joinCode WHERE \(condition)
    """
  }

  private static func code(_ row: Row) -> JoinCode {
    JoinCode(
      number: row["number"], group: row["machineGroup"], machines: row["machines"], used: row["used"],
      issuedBy: row["issuedBy"], issuedAt: row["issuedAt"], expiresAt: row["expiresAt"], isClosed: row["isClosed"])
  }
}
