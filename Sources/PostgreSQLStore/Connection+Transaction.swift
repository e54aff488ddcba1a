extension Connection {
  /// Commits, and waits until that is durable.
  ///
  /// - Throws: ``PostgreSQLError/interrupted`` also if the server warned: a commit that was cancelled while it waited for its
  ///   standby is a success with a warning.
  func commit() throws {
    forgetWarnings()
    _ = try commit(returning: { _ in })
  }

  /// Commits along with the statement that was enqueued last, in one exchange.
  ///
  /// - Returns: that statement's rows.
  /// - Throws: as ``commit()``.
  func commit<Value>(returning value: (QueryRow) throws -> Value) throws -> [Value] {
    try enqueue("COMMIT")
    try send()
    let results = try receiveAll()
    guard let last = results.last, last.tag == "COMMIT", !hasWarned else { throw lost() }
    return try results.dropLast().last?.rows.map(value) ?? []
  }

  /// Undoes the transaction; gives the connection up if that fails.
  func rollback() {
    guard isOpen else { return }
    do { try execute("ROLLBACK") } catch { lost() }
  }

  /// Has each statement planned once, with indexes, whatever PostgreSQL believes of a table's size.
  ///
  /// Otherwise a plan that is made while a table is empty reads the whole table, and is kept until PostgreSQL counts the rows
  /// anew. And a statement for several logins is planned each time, which costs more than to run it. Statements without an
  /// index read the table as before. PostgreSQL takes those for dear ones then: without `jit = off` it would compile them.
  func preferIndexes() throws {
    try execute(
      """
      SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
        set_config('enable_mergejoin', 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false),
        set_config('jit', 'off', false)
      """)
  }
}
