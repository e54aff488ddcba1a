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
  /// When it began to run.
  var started: BootTime

  /// What is left of it, or nil once it is over; never more than its length.
  ///
  /// After a reboot it runs in full once more, from the start of the boot: what passed while the machine was off cannot be told
  /// from a clock somebody set, what passed since is certain.
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

  /// Lets a lock from the future run from now.
  ///
  /// A machine that was set back to an earlier state of its memory, but not of its disk, sees one.
  mutating func restart(at now: BootTime) {
    if now.bootID == started.bootID, now.nanoseconds < started.nanoseconds { started = now }
  }
}
