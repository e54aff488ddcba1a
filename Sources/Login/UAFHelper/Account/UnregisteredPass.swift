import Authenticator
import UAFConfiguration

/// The day after which root's `nouserok=` no longer passes accounts on that were never registered.
struct UnregisteredPass {
  let call: Call
  let policy: CallPolicy
  let folder: StateFolder
  let log: CallLog
  let now: () -> BootTime

  /// The last day on which such accounts were passed on, if it is over; nil if it is not, or if root named no day.
  ///
  /// Once a login has found that a day is over, it stays over whatever the clock says later. If that cannot be read, the day
  /// counts as over. So each login of a service with that argument calls this, not only that of an account without a
  /// registration.
  func endedDay() -> CalendarDay? {
    guard case .until(let day)? = policy.arguments.nouserok else { return nil }
    let isOver = day.isOver(at: now().wallSeconds)
    do throws(StateError) {
      let seen = try EndedDayRecord.read(in: folder.path, owner: folder.owner)
      let isKnown = seen.map { $0.day >= day.number } ?? false
      // A host without root may have made up its line.
      if isOver, !isKnown, call.caller.isRoot {
        try EndedDayRecord(day: day.number).store(in: folder.path, owner: folder.owner)
      }
      return isOver || isKnown ? day : nil
    } catch {
      log.write(.state, "whether \(day), the last day of nouserok, is over cannot be determined: \(error)", .warning)
      return day
    }
  }
}
