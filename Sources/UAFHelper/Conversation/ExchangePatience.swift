/// Divides the wait for the server into stretches.
///
/// After each stretch but the last, the one who waits gets a message.
///
/// All times are in milliseconds.
struct ExchangePatience {
  /// How often the front end hears something: the module gives up on a core that says nothing for 40 s.
  static let interval: Int64 = 15_000
  /// The time after which a person at a terminal reads that the core waits for the server.
  static let firstNotice: Int64 = 2000

  /// What is left of the time.
  private(set) var left: Int64
  private var first: Int64?

  /// - Parameters:
  ///   - total: the whole time.
  ///   - first: how long the first stretch lasts; nil where it is as long as the others.
  init(total: Int64, first: Int64? = nil) {
    left = total
    self.first = first
  }

  /// The next stretch; nil once the time is over.
  mutating func next() -> Int64? {
    guard left > 0 else { return nil }
    let stretch = min(left, first ?? Self.interval)
    first = nil
    left -= stretch
    return stretch
  }
}
