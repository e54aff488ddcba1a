import UAFService

/// The table of confirmed texts.
struct ConfirmedTextTable: ConfirmedTexts {
  /// How many are read at once: a text and its proof can have some kilobytes.
  private static let page: Int64 = 256
  private static let columns = """
    SELECT id, username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm FROM confirmation
    """

  let connection: Connection

  func add(_ confirmation: ConfirmedText) throws {
    try connection.execute(
      """
      INSERT INTO confirmation (username, confirmedAt, shown, fcParams, assertion, publicKey, signatureAlgorithm)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .text(confirmation.username), .integer(confirmation.confirmedAt), .text(confirmation.shown),
        .text(confirmation.fcParams), .bytes(confirmation.assertion), .bytes(confirmation.publicKey),
        .integer(confirmation.signatureAlgorithm),
      ])
  }

  func forEach(of username: String?, _ body: (ConfirmedText) throws -> Void) throws {
    var last: Int64 = 0
    while true {
      let rows = try connection.execute(
        "\(Self.columns) WHERE id > $1 AND ($2::text IS NULL OR username = $2) ORDER BY id LIMIT $3",
        [.integer(last), .text(username), .integer(Self.page)]
      ).rows
      for row in rows { try body(Self.confirmation(row)) }
      guard let end = rows.last else { return }
      last = try end.integer(0)
    }
  }

  func confirmation(_ number: Int64) throws -> ConfirmedText? {
    try connection.execute("\(Self.columns) WHERE id = $1", [.integer(number)]).first.map(Self.confirmation)
  }

  private static func confirmation(_ row: QueryRow) throws -> ConfirmedText {
    ConfirmedText(
      id: try row.integer(0), username: try row.text(1), confirmedAt: try row.integer(2), shown: try row.text(3),
      fcParams: try row.text(4), assertion: try row.requiredBytes(5), publicKey: try row.requiredBytes(6),
      // An unknown algorithm cannot check a signature, and is no reason to stop here.
      signatureAlgorithm: UInt16(exactly: try row.integer(7)) ?? 0)
  }
}
