import Synchronization

/// A clock in seconds since 1970 that advances only when a test moves it.
final class TestClock: Sendable {
  private let seconds = Mutex<Int64>(1_800_000_000)

  var now: Int64 { seconds.withLock { $0 } }

  func advance(seconds more: Int64) {
    seconds.withLock { $0 += more }
  }
}
