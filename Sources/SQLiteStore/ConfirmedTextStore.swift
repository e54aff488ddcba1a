import GRDB
import UAFService

/// The table of confirmed texts.
struct ConfirmedTextStore: ConfirmedTexts {
  let db: Database

  func add(_ confirmation: ConfirmedText) throws {
    try db.execute(
      sql: """
        INSERT INTO confirmation (username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        confirmation.username, confirmation.confirmedAt, confirmation.shown, confirmation.fcParams,
        confirmation.assertion.databaseBlob, confirmation.publicKey.databaseBlob, confirmation.signatureAlgorithm,
      ])
  }

  func forEach(of username: String?, _ body: (ConfirmedText) throws -> Void) throws {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT * FROM confirmation WHERE ?1 IS NULL OR username = ?1 ORDER BY id", arguments: [username])
    while let row = try rows.next() { try body(Self.confirmation(row)) }
  }

  func confirmation(_ number: Int64) throws -> ConfirmedText? {
    try Row.fetchOne(db, sql: "SELECT * FROM confirmation WHERE id = ?", arguments: [number]).map(Self.confirmation)
  }

  private static func confirmation(_ row: Row) -> ConfirmedText {
    ConfirmedText(
      id: row["id"], username: row["username"], confirmedAt: row["confirmedAt"], shown: row["shown"],
      fcParams: row["fcParams"], assertion: [UInt8](databaseBlob: row["assertion"]),
      publicKey: [UInt8](databaseBlob: row["publicKey"]),
      // An unknown algorithm cannot check a signature, and is no reason to stop here.
      signatureAlgorithm: UInt16(exactly: row["signatureAlgorithm"] as Int64) ?? 0)
  }
}
