import Synchronization

/// A number of events, or of things under way, that many threads change.
final class MetricCounter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add(_ amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }
}
