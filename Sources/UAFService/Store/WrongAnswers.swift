/// The budgets of wrong answers, each in one of a fixed number of places.
package protocol WrongAnswers {
  /// Takes turns out of the budgets of some places.
  ///
  /// A budget without a turn is not changed, so wrong answers beyond it write nothing.
  ///
  /// - Parameters:
  ///   - wanted: how many turns of each place.
  ///   - now: seconds since 1970; a store with a clock of its own goes by that, which is the same for all instances.
  /// - Returns: how many turns each place had, of those that were wanted.
  func take(_ wanted: [Int64: Int64], at rate: TokenBucket.Rate, now: Int64) throws -> [Int64: Int64]
}
