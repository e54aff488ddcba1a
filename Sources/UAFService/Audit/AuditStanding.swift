import Synchronization

/// For how long the end of the audit has been unsigned, as this process knows it.
///
/// It asks nobody: a store that hangs, fails or drops what is written to it cannot make the time look shorter.
package final class AuditStanding: Sendable {
  private let state = Mutex<SignedMoment?>(nil)

  /// Makes one that nobody keeps up: it says that the audit is signed.
  package init() {}

  /// The last moment at which the whole audit was signed; nil if nobody keeps that up.
  package var moment: SignedMoment? { state.withLock { $0 } }

  /// Notes that the whole audit was signed.
  package func note(_ moment: SignedMoment) { state.withLock { $0 = moment } }

  /// For how many seconds it is not known that the audit is signed to its end.
  ///
  /// A clock that was set back begins that time anew: otherwise it would stand still until the clock is where it was.
  ///
  /// - Parameter now: seconds since 1970.
  package func unsignedSeconds(at now: Int64) -> Int64 {
    state.withLock { state in
      guard let moment = state else { return 0 }
      if moment.time > now { state = SignedMoment(link: moment.link, time: now) }
      return max(0, now - moment.time)
    }
  }

  /// Whether the audit has been unsigned for longer than ``AuditGap/bound``.
  ///
  /// - Parameter now: seconds since 1970.
  package func isOverdue(at now: Int64) -> Bool { unsignedSeconds(at: now) > AuditGap.bound }
}
