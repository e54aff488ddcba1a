import Authenticator
import FidoResults
import UAFConfiguration

/// The time that `timeout=` of the module gives to a call.
///
/// The module counts it, and closes its socket when it is over. It cannot say why: the person is told 7011, and so the log has to
/// say it too.
final class CallTimeLimit {
  private let limit: Duration
  private let now: () -> BootTime
  private var begun: BootTime

  /// The module began to count before *begin* arrived here, and a busy machine takes a moment for that.
  private static let longestHeadStart = Duration.seconds(1)

  init(_ limit: Duration, now: @escaping () -> BootTime) {
    self.limit = limit
    self.now = now
    begun = now()
  }

  /// Counts from now on.
  func restart() { begun = now() }

  /// The ending, with 7011 in place of 7010 where the front end went away when its time was over.
  func explaining(_ ending: Ending) -> Ending {
    guard ending.result == .applicationCancel, isOver else { return ending }
    return ending.outOfTime(after: limit)
  }

  private var isOver: Bool {
    let now = now()
    // After another boot nothing of this call would be here.
    let elapsed = Duration.nanoseconds(now.nanoseconds - begun.nanoseconds)
    return elapsed >= limit - min(Self.longestHeadStart, limit / 4)
  }
}
