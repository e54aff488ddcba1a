extension TestDatabase {
  /// Makes the database silently drop each new head, as a database administrator could.
  func dropHeads() async throws {
    switch StoreEngine.current {
    case .sqlite:
      try await execute(
        "CREATE TRIGGER dropping BEFORE INSERT ON auditHead BEGIN SELECT RAISE(IGNORE); END")
    case .postgresql:
      try await execute(
        "CREATE FUNCTION dropped() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
      try await execute(
        "CREATE TRIGGER dropping BEFORE INSERT ON auditHead FOR EACH ROW EXECUTE FUNCTION dropped()")
    }
  }

  /// Makes the database keep new heads again.
  func keepHeads() async throws {
    switch StoreEngine.current {
    case .sqlite: try await execute("DROP TRIGGER dropping")
    case .postgresql: try await execute("DROP FUNCTION dropped CASCADE")
    }
  }

  /// Removes the rows after `number`, as anybody who may write to the database can.
  func cutAudit(after number: Int64) async throws {
    try await execute("DELETE FROM audit WHERE number > \(number)")
    if StoreEngine.current == .postgresql {
      try await execute(
        "UPDATE auditEnd SET (number, hash) = (SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1)")
    }
  }
}
