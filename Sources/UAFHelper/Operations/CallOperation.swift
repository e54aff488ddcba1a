/// What a call does: one type for each operation, which is handed what it needs.
protocol CallOperation {
  /// Does what was asked.
  ///
  /// - Throws: ``Ending``: any end but a success.
  func run() throws(Ending) -> Success
}
