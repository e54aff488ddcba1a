/// How often something took how long.
final class DurationHistogram: Sendable {
  /// The longest time of each bucket: from a login's own work on a quiet machine to the longest wait for a database.
  static let bounds: [Duration] = [
    .microseconds(500), .milliseconds(1), .milliseconds(2), .milliseconds(5), .milliseconds(10), .milliseconds(20),
    .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .milliseconds(2500),
    .seconds(5), .seconds(10),
  ]

  /// One for each bound, and one for what took longer than all.
  private let buckets = (0...bounds.count).map { _ in MetricCounter() }
  private let nanoseconds = MetricCounter()

  /// Counts one that took so long.
  func count(_ duration: Duration) {
    buckets[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count].add()
    nanoseconds.add(Int(duration / .nanoseconds(1)))
  }

  /// How many took at most as long as each bound, how many there were, and how long all took together, in seconds.
  ///
  /// Somebody may count meanwhile, so the total is made of the buckets: a page whose buckets contradict its total is refused.
  var figures: (atMost: [Int], count: Int, seconds: Double) {
    var sum = 0
    let atMost = buckets.map { bucket in
      sum += bucket.value
      return sum
    }
    return (atMost.dropLast(), sum, Double(nanoseconds.value) / 1e9)
  }
}
