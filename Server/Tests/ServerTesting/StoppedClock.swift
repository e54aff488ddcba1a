import Synchronization

/// A clock that only a test moves forward.
///
/// So no deadline expires on a busy machine.
final class StoppedClock: Sendable {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }

  func advance(_ duration: Duration) { time.withLock { $0 += duration } }
}
