/// What is left of a budget that fills by itself: short bursts are allowed, and no more than the rate on average.
package struct TokenBucket: Equatable, Sendable {
  /// How often something may happen.
  package struct Rate: Equatable, Sendable {
    /// On average.
    package let perMinute: Int64

    package init(perMinute: Int64) { self.perMinute = perMinute }

    /// At once, after a pause: as many as in two minutes.
    var burst: Int64 { perMinute * 2 }

    /// The level of a full bucket.
    package var full: Int64 { burst * TokenBucket.turn }
  }

  private static let turn: Int64 = 60

  /// What is left, in sixtieths of a turn, so that a second adds a whole number.
  package private(set) var level: Int64
  /// When that was, in seconds since 1970.
  package private(set) var filledAt: Int64

  package init(level: Int64, filledAt: Int64) {
    self.level = level
    self.filledAt = filledAt
  }

  /// Adds what has come since it was filled last.
  ///
  /// - Parameter now: seconds since 1970; if the clock was set back, nothing is added.
  package mutating func fill(_ rate: Rate, now: Int64) {
    // Both capped, so that nothing overflows: every bucket is full again long before that.
    let elapsed = min(max(0, now.subtractingReportingOverflow(filledAt).partialValue), 3600)
    level = min(rate.full, min(max(0, level), rate.full) + elapsed * rate.perMinute)
    filledAt = now
  }

  /// Takes turns out; what is not there is not taken.
  ///
  /// - Returns: how many it had, of those that were wanted.
  package mutating func take(_ wanted: Int64) -> Int64 {
    let taken = min(wanted, level / Self.turn)
    level -= taken * Self.turn
    return taken
  }
}
