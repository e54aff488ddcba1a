import PAMStacks
import UAFConfiguration
import Wording

/// The day that `uafctl pam enable --until` was given: the last on which people get to the password who never registered.
struct PasswordEnd {
  /// The day.
  let day: CalendarDay

  /// How many days ahead it may be.
  ///
  /// Whoever needs longer than a year names another day then: a day that nobody lives to see is no end.
  static let longest = 366

  /// - Throws: ``ToolError/badArgument(_:)`` for what is no day, for a day that is over, and for one that is too far ahead.
  init(_ text: String, today: CalendarDay) throws(ToolError) {
    guard let day = CalendarDay(text) else { throw .badArgument(.noDay(text)) }
    guard day >= today else { throw .badArgument(.dayIsOver(day, today: today)) }
    guard day.days(after: today) <= Self.longest else { throw .badArgument(.dayIsFar(day)) }
    self.day = day
  }
}

/// A service that leads people to the password who never registered on this machine, up to the end of a day.
struct Rollout {
  /// The service.
  let service: String
  /// The day.
  let day: CalendarDay

  /// Nil for a service without such a day, and for a day that the module does not read: it refuses everybody.
  init?(of entry: StackList.Entry, in list: StackList) {
    guard let day = list.lastDayOfPassing(entry).flatMap(CalendarDay.init) else { return nil }
    service = entry.name
    self.day = day
  }

  /// The services of a folder that have such a day, in the order of their names.
  ///
  /// - Parameter vendors: the folders in which libpam looks for services that have no file in the folder.
  static func all(in folder: String, vendors: [String]) -> [Rollout] {
    let list = StackList(reader: PAMDirectory(path: folder, vendors: vendors))
    return (list.entries() ?? []).compactMap { Rollout(of: $0, in: list) }
  }

  /// What the service does with people who never registered.
  func text(on today: CalendarDay) -> StackText {
    let name = ShownText.line(service)
    return today > day
      ? .passedUntil(day.description, service: name) : .passesUntil(day.description, service: name)
  }
}
