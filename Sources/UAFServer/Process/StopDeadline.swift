import Logging
import ServiceLifecycle

/// Ends the server although something is still under way, if stopping takes too long.
///
/// What is not answered by then was not promised to anybody.
struct StopDeadline: Service {
  /// One second less than the server may take, so that it ends in time on a busy machine too.
  static let standard = Duration.seconds(4)

  let limit: Duration
  let end: @Sendable () -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
    // Not awaited: the other services stop meanwhile.
    Task { [limit, end] in
      try? await Task.sleep(for: limit)
      end()
    }
  }
}
