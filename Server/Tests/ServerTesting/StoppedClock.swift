import Synchronization

/// A clock that only a test moves forward: on a busy machine nothing takes too long.
final class StoppedClock: Sendable {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }

  func advance(_ duration: Duration) { time.withLock { $0 += duration } }
}
