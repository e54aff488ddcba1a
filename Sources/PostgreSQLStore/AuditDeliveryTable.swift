import UAFService

/// The table of the places of the audit's sinks.
struct AuditDeliveryTable: AuditDeliveries {
  /// The form of the table.
  ///
  /// Its rows are changed often: a page keeps room for that.
  static let migration = Migration(
    name: "audit deliveries",
    statements: [
      """
      CREATE TABLE auditDelivery (
        sink text COLLATE "C" PRIMARY KEY,
        delivered bigint NOT NULL,
        holder text NOT NULL,
        heldUntil bigint NOT NULL
      ) WITH (fillfactor = 10)
      """
    ])

  let connection: Connection

  func all() throws -> [AuditDelivery] {
    try connection.execute("SELECT sink, delivered, holder, heldUntil FROM auditDelivery ORDER BY sink", []).rows.map {
      AuditDelivery(
        sink: try $0.text(0), delivered: try $0.integer(1), holder: try $0.text(2), heldUntil: try $0.integer(3))
    }
  }

  func keep(_ delivery: AuditDelivery) throws {
    try connection.execute(
      """
      INSERT INTO auditDelivery (sink, delivered, holder, heldUntil) VALUES ($1, $2, $3, $4) ON CONFLICT (sink) DO UPDATE
      SET delivered = excluded.delivered, holder = excluded.holder, heldUntil = excluded.heldUntil
      """,
      [
        .text(delivery.sink), .integer(delivery.delivered), .text(delivery.holder), .integer(delivery.heldUntil),
      ])
  }
}
