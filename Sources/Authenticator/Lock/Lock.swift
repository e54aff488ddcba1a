/// A lock that was written.
struct Lock: Equatable, Sendable {
  /// How long it lasts.
  enum Length: Equatable, Sendable {
    case temporary(nanoseconds: Int64)
    case permanent
  }

  /// The charge that brought it about: a right value with the same or a later ticket lifts it.
  var ticket: UInt64
  var length: Length
  /// When it began to run; restarted once after a reboot, because time that passed while the machine
  /// was off cannot be told from a clock somebody set.
  var started: BootTime

  /// What is left of it, or nil once it is over.
  ///
  /// Never more than its length.
  func remaining(at now: BootTime) -> Remaining? {
    guard case .temporary(let nanoseconds) = length else { return .forever }
    guard now.bootID == started.bootID else { return .time(nanoseconds) }
    let (elapsed, overflow) = now.nanoseconds.subtractingReportingOverflow(started.nanoseconds)
    guard !overflow, elapsed >= 0 else { return .time(nanoseconds) }
    return elapsed < nanoseconds ? .time(nanoseconds - elapsed) : nil
  }

  /// What is left of a lock.
  enum Remaining: Equatable {
    case time(Int64)
    case forever
  }

  /// Lets a lock of an earlier boot, or one from the future, run from now.
  ///
  /// Whether anything changed.
  mutating func restart(at now: BootTime) -> Bool {
    guard length != .permanent, now.bootID != started.bootID || now.nanoseconds < started.nanoseconds
    else { return false }
    started = now
    return true
  }
}
