/// The audit: rows that are numbered without gaps and chained by their hashes, and the signed heads of that chain.
package protocol AuditTrail {
  /// Adds rows to the end of the chain, in the transaction that does what they say.
  ///
  /// Of several instances and processes one at a time adds rows. So that none waits for another one that waits for it, a
  /// store may add them at the end of its transaction: they are not seen before that.
  func append(_ events: [AuditEntry]) throws

  /// The end of the chain.
  func last() throws -> AuditLink

  /// Rows in the order of their numbers, or the newest first.
  ///
  /// - Parameter limit: how many at most.
  func rows(_ filter: AuditFilter, limit: Int) throws -> [AuditRow]

  /// The lowest number of a row that is not older than a time; nil if there is none.
  ///
  /// - Parameter time: seconds since 1970.
  func firstNumber(since time: Int64) throws -> Int64?

  /// The numbers of the two rows beside a time, in the order of times: the last older one, and the first that is not older.
  ///
  /// Rows are numbered as they were stored. Where instances have clocks that differ, or a clock was set, that is another order.
  /// It costs the same wherever it is.
  ///
  /// - Parameter time: seconds since 1970.
  /// - Returns: nil for a row that there is not.
  func numbers(around time: Int64) throws -> (older: Int64?, notOlder: Int64?)

  /// Signed heads in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: heads of higher numbers.
  ///   - limit: how many at most.
  func heads(after number: Int64, limit: Int) throws -> [StoredHead]

  /// The signed head with the highest number, up to a number.
  func lastHead(through number: Int64) throws -> StoredHead?

  /// Keeps a signed head, in place of another one of the same number.
  func keep(_ head: StoredHead) throws

  /// Removes the heads of higher numbers.
  func removeHeads(after number: Int64) throws

  /// Removes the rows and the heads up to a number.
  ///
  /// - Returns: how many rows there were.
  func remove(through number: Int64) throws -> Int
}

extension AuditTrail {
  /// The signed head with the highest number.
  package func lastHead() throws -> StoredHead? { try lastHead(through: .max) }
}
