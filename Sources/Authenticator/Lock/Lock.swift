/// A lock that was written.
struct Lock: Equatable, Sendable {
  /// How long it lasts.
  enum Length: Equatable, Sendable {
    case temporary(nanoseconds: Int64)
    case permanent
  }

  /// The charge that caused it: a correct entry with the same or a later ticket ends it.
  var ticket: UInt64
  var length: Length
  /// When it began to run.
  var started: BootTime

  /// The time that is left of it, or nil once it is over; never more than its length.
  ///
  /// After a reboot it runs in full once more, from the start of the boot: a clock that somebody may have set does not
  /// show how long the machine was off, but the time since the boot is certain.
  func remaining(at now: BootTime) -> Remaining? {
    guard case .temporary(let nanoseconds) = length else { return .forever }
    let start = now.bootID == started.bootID ? started.nanoseconds : 0
    let (elapsed, overflow) = now.nanoseconds.subtractingReportingOverflow(start)
    guard !overflow, elapsed >= 0 else { return .time(nanoseconds) }
    return elapsed < nanoseconds ? .time(nanoseconds - elapsed) : nil
  }

  /// What is left of a lock.
  enum Remaining: Equatable {
    case time(Int64)
    case forever
  }

  /// Starts a lock dated in the future now.
  ///
  /// A machine whose memory was restored from an earlier moment, but not its disk, has such a lock.
  mutating func restart(at now: BootTime) {
    if now.bootID == started.bootID, now.nanoseconds < started.nanoseconds { started = now }
  }
}
