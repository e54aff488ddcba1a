import GRDB
import UAFService

/// The table of the places of the audit's sinks.
struct AuditDeliveryStore: AuditDeliveries {
  /// The form of the table.
  static let table = """
    CREATE TABLE auditDelivery (
      sink TEXT PRIMARY KEY NOT NULL,
      delivered INTEGER NOT NULL,
      holder TEXT NOT NULL,
      heldUntil INTEGER NOT NULL
    ) STRICT;
    """

  let db: Database

  func all() throws -> [AuditDelivery] {
    try Row.fetchAll(db, sql: "SELECT sink, delivered, holder, heldUntil FROM auditDelivery ORDER BY sink").map {
      AuditDelivery(sink: $0[0], delivered: $0[1], holder: $0[2], heldUntil: $0[3])
    }
  }

  func keep(_ delivery: AuditDelivery) throws {
    try db.execute(
      sql: """
        INSERT INTO auditDelivery (sink, delivered, holder, heldUntil) VALUES (?, ?, ?, ?) ON CONFLICT (sink) DO UPDATE
        SET delivered = excluded.delivered, holder = excluded.holder, heldUntil = excluded.heldUntil
        """,
      arguments: [delivery.sink, delivery.delivered, delivery.holder, delivery.heldUntil])
  }
}
