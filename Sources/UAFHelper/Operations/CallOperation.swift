/// What a call does: one type for each operation.
///
/// It gets what it needs as parameters.
protocol CallOperation {
  /// Does what was asked.
  ///
  /// - Throws: ``Ending``: any end without success.
  func run() throws(Ending) -> Success
}
