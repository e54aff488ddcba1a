import UAFMessages
import UAFService

/// What `/metrics` tells of one server: how many requests, how they ended, how long they and the store took.
final class ServerMetrics: Sendable {
  let requests = RequestMetrics()
  let store: StoreMetrics
  let deliveries = DeliveryFigures(now: { Terminal.now })
  /// A clock that runs while the machine does.
  let clock: @Sendable () -> ContinuousClock.Instant

  /// Makes one that has counted nothing.
  init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.clock = clock
    store = StoreMetrics(now: clock)
  }
}
