import Synchronization

/// Up to when used challenges are forgotten.
///
/// A row that was removed stays in its index until no transaction of the database is older than the removal. While somebody
/// takes a dump for an hour, each second would pass everything that was removed in that hour. So it begins where the one
/// before has ended.
final class ForgettingProgress: Sendable {
  /// After how many seconds it begins from the oldest row again: one that another instance was removing may have stayed.
  private static let fullEvery: Int64 = 3600

  private let state = Mutex((reached: Int64(0), beganAt: Int64(0)))

  /// Where the next search begins, in the database's seconds since 1970.
  ///
  /// - Parameter now: seconds since 1970, by this machine's clock.
  func start(at now: Int64) -> Int64 {
    state.withLock { state in
      if now < state.beganAt || now - state.beganAt >= Self.fullEvery { state = (0, now) }
      return state.reached
    }
  }

  /// Notes up to when everything is forgotten.
  func reached(_ time: Int64) { state.withLock { $0.reached = time } }
}
