/// Brings the tables to their current form.
///
/// They are in a schema of their own, `uaf`, whose table `migration` names the steps that were taken.
struct Migrator {
  /// The advisory lock that lets one instance migrate at a time; a number that nothing else in this database uses.
  private static let lock: Int64 = 0x7561_665F_6D69_6772

  let connection: Connection
  var migrations = Migration.all

  /// Takes the steps that are missing, each in a transaction of its own: the locks of one do not wait for the next.
  ///
  /// - Parameter create: makes the tables if there are none.
  /// - Throws: ``PostgreSQLRefusal``; ``PostgreSQLError``.
  func migrate(create: Bool) throws {
    do {
      if try !isCurrent() {
        try connection.execute("SELECT pg_advisory_lock($1)", [.integer(Self.lock)])
        // A connection that is lost gives the lock back by itself.
        defer { _ = try? connection.execute("SELECT pg_advisory_unlock($1)", [.integer(Self.lock)]) }
        // Another instance may have been faster.
        if try !isCurrent() { try takeSteps(create: create) }
      }
      try requireRights()
    } catch PostgreSQLError.refused("42501", let message) {
      throw PostgreSQLRefusal.noRights(message: message)
    } catch PostgreSQLError.refused("42703", _) {
      // Another application's table has the name, and not the columns.
      throw PostgreSQLRefusal.otherApplication
    }
  }

  private func isCurrent() throws -> Bool {
    let taken = try steps()
    if let newer = taken.first(where: { name in !migrations.contains { $0.name == name } }) {
      throw PostgreSQLRefusal.newer(migration: newer)
    }
    return taken.count == migrations.count
  }

  /// The names of the steps that were taken; none if there are no tables.
  private func steps() throws -> [String] {
    // to_regclass() would do, but can still find nothing after this connection has waited for another that made the table.
    let isThere =
      try connection.execute(
        """
        SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'uaf' AND c.relname = 'migration')
        """
      ).first?.boolean(0) == true
    guard isThere else { return [] }
    return try connection.execute("SELECT name FROM uaf.migration ORDER BY number").rows.map { try $0.text(0) }
  }

  private func hasTablesOfOthers() throws -> Bool {
    try connection.execute(
      """
      SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname <> 'information_schema'
          AND n.nspname NOT LIKE 'pg\\_%'
          AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))
      """
    ).first?.boolean(0) == true
  }

  private func takeSteps(create: Bool) throws {
    let taken = try steps()
    if taken.isEmpty {
      guard try !hasTablesOfOthers() else { throw PostgreSQLRefusal.otherApplication }
      guard create else { throw PostgreSQLRefusal.empty }
    }
    for migration in migrations where !taken.contains(migration.name) {
      try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
      do {
        if taken.isEmpty && migration.name == migrations.first?.name { try makeTableOfSteps() }
        for statement in migration.statements { try connection.execute(statement) }
        try connection.execute("INSERT INTO uaf.migration (name) VALUES ($1)", [.text(migration.name)])
        try connection.commit()
      } catch {
        connection.rollback()
        throw error
      }
    }
  }

  private func makeTableOfSteps() throws {
    try connection.execute("CREATE SCHEMA IF NOT EXISTS uaf")
    try connection.execute(
      "CREATE TABLE uaf.migration (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE NOT NULL)")
  }

  /// Refuses a user who may not use each table: the first login would find that out.
  private func requireRights() throws {
    let lacking = try connection.execute(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'uaf' AND c.relkind = 'r' AND c.relname <> 'migration'
        AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
          AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
      ORDER BY 1 LIMIT 1
      """
    ).first?.text(0)
    if let lacking { throw PostgreSQLRefusal.noRights(message: "it may not read and change table uaf.\(lacking)") }
  }
}
