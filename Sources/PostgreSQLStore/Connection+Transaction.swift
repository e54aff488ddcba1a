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

  /// Has each statement look for rows in an index, whatever PostgreSQL believes of a table's size.
  ///
  /// A statement's plan is kept. One that was made while a table was empty reads the whole table: so did each login, through all
  /// challenges that were used since, until PostgreSQL looked at the table again. Statements for which there is no index
  /// read it as before. They would count as dear ones then, so nothing is compiled for them.
  func preferIndexes() throws {
    try execute(
      """
      SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
        set_config('enable_mergejoin', 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false),
        set_config('jit', 'off', false)
      """)
  }
}
