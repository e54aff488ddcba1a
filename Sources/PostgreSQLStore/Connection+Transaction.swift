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
}
