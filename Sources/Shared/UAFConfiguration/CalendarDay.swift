/// A day of the calendar, as `nouserok=` and `uafctl pam enable --until` name one: 2027-01-31.
///
/// The day is one of UTC. So it ends at the same moment on every machine of an organisation, and neither the machine's zone nor
/// its zone files, nor anybody who may change them, decide when. People west of Greenwich lose the last hours of the day, and
/// people east of it win some of the next one.
public struct CalendarDay: Equatable, Comparable, Sendable {
  /// Whole days since 1970-01-01.
  public let number: Int64

  private static let secondsOfDay: Int64 = 86_400
  /// Nobody plans with other years, and with these no calculation overflows.
  private static let years: ClosedRange<Int64> = 1970...9999

  /// Reads YYYY-MM-DD; nil for any other form, and for a day that no calendar has.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(Array.init(_:))
    guard parts.map(\.count) == [4, 2, 2], let year = Self.number(parts[0]), let month = Self.number(parts[1]),
      let day = Self.number(parts[2]), Self.years.contains(year), (1...12).contains(month),
      (1...Self.length(of: month, in: year)).contains(day)
    else { return nil }
    number = Self.daysBefore(year) + (1..<month).reduce(0) { $0 + Self.length(of: $1, in: year) } + day - 1
  }

  /// The day of a moment.
  ///
  /// - Parameter wallSeconds: since 1970. A moment before 1970 or after 9999 counts as the first or the last day of these years.
  public init(at wallSeconds: Int64) {
    let last = Self.daysBefore(Self.years.upperBound + 1) - 1
    number = min(max(wallSeconds, 0) / Self.secondsOfDay, last)
  }

  /// Whether a later day has begun.
  public func isOver(at wallSeconds: Int64) -> Bool { CalendarDay(at: wallSeconds) > self }

  /// How many days later this day is than `other`; negative if it is earlier.
  public func days(after other: CalendarDay) -> Int { Int(number - other.number) }

  /// Whether the first day is before the second.
  public static func < (first: CalendarDay, second: CalendarDay) -> Bool { first.number < second.number }

  /// The digits of a part as a number; nil if anything else is in it.
  private static func number(_ digits: [Character]) -> Int64? {
    digits.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(String(digits)) : nil
  }

  /// How many days are between 1970-01-01 and the first day of a year, in the Gregorian calendar.
  private static func daysBefore(_ year: Int64) -> Int64 {
    let (past, before) = (year - 1, years.lowerBound - 1)
    return 365 * (year - years.lowerBound) + (past / 4 - before / 4) - (past / 100 - before / 100)
      + (past / 400 - before / 400)
  }

  private static func length(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    default: 31
    }
  }
}

extension CalendarDay: CustomStringConvertible {
  /// The day as YYYY-MM-DD.
  public var description: String {
    // No year has fewer than 365 days, so this one is at most some years too late.
    var year = Self.years.lowerBound + number / 365
    while Self.daysBefore(year) > number { year -= 1 }
    var (month, day) = (Int64(1), number - Self.daysBefore(year))
    while day >= Self.length(of: month, in: year) {
      day -= Self.length(of: month, in: year)
      month += 1
    }
    return "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day + 1))"
  }

  private static func twoDigits(_ value: Int64) -> String { (value < 10 ? "0" : "") + String(value) }
}
