import Synchronization

/// Says when something is due that is done once in a second at most, beside other work.
package final class OncePerSecond: Sendable {
  /// When it was last due, in seconds since 1970.
  private let last = Mutex(Int64(0))

  package init() {}

  /// Whether it is due, for the first caller in a second.
  ///
  /// - Parameter now: seconds since 1970.
  package func isDue(at now: Int64) -> Bool {
    last.withLock { last in
      defer { last = now }
      return now != last
    }
  }
}
