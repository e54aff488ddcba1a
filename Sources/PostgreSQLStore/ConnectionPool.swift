/// Connections, each with a thread of its own, so that none of Swift's threads waits for the database.
///
/// A connection is made when work comes and all others are in use. While the server is away, work fails at once, and every half
/// second one thread tries to connect.
final class ConnectionPool: Sendable {
  /// How long a loss of the connection counts as one that happened before the work: the server had ended it while it was idle.
  static let soon = Duration.seconds(1)

  private let workers: ConnectionWorkers

  /// Makes a pool.
  ///
  /// - Parameters:
  ///   - size: the most connections.
  ///   - deadline: how long work may take, once it has a connection.
  ///   - now: a clock that runs while the machine does.
  ///   - makeConnection: makes a connection that can be used.
  init(
    size: Int, deadline: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant,
    makeConnection: @escaping @Sendable () throws -> Connection
  ) {
    workers = ConnectionWorkers(size: size, deadline: deadline, now: now, makeConnection: makeConnection)
  }

  deinit { workers.close() }

  /// Has one of the threads do something, as often as it says that there is more.
  func submit(_ work: @escaping ConnectionWorkers.Work) { workers.submit(work) }

  /// Does something on one of the threads, and returns its result.
  func run<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { caller in
      submit { connection in
        caller.resume(with: Result { try body(connection.get()) })
        return false
      }
    }
  }
}
