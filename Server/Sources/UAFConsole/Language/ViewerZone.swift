/// The time zone of the person who reads a page, as a distance from UTC.
///
/// The browser says it in a cookie that the console's script keeps, or the person has chosen it. Without either, times are in
/// UTC.
struct ViewerZone: Equatable, Sendable {
  /// Zones are from 12 hours behind UTC to 14 hours before it.
  static let minutes: ClosedRange<Int> = -720...840
  /// What the cookie has before the distance if the person has chosen it.
  private static let chosenMark = "chosen."

  /// The distance from UTC in minutes; positive to the east.
  let offset: Int
  /// Whether the person has chosen the zone; otherwise the script may correct the times on the page.
  let isChosen: Bool

  static let utc = ViewerZone(offset: 0, isChosen: false)

  init(offset: Int, isChosen: Bool) {
    self.offset = offset
    self.isChosen = isChosen
  }

  /// Reads the cookie; UTC for anything that is not a zone.
  init(cookie: String?) {
    let text = cookie ?? ""
    let isChosen = text.hasPrefix(Self.chosenMark)
    let digits = isChosen ? text.dropFirst(Self.chosenMark.count) : text[...]
    guard let offset = Int(digits), Self.minutes.contains(offset) else {
      self = .utc
      return
    }
    self.init(offset: offset, isChosen: isChosen)
  }

  /// The cookie of a zone that a person has chosen.
  var chosenCookie: String { "\(Self.chosenMark)\(offset)" }

  /// The zone as people write it, such as `UTC` or `UTC+09:00`.
  var name: String {
    guard offset != 0 else { return "UTC" }
    let size = offset.magnitude
    return "UTC\(offset < 0 ? "-" : "+")\(Self.two(Int64(size / 60))):\(Self.two(Int64(size % 60)))"
  }

  /// A time with date, to the second, without the zone.
  ///
  /// - Parameter seconds: seconds since 1970.
  func text(_ seconds: Int64) -> String {
    let (date, second) = parts(seconds)
    return "\(date) \(Self.two(second / 3600)):\(Self.two(second / 60 % 60)):\(Self.two(second % 60))"
  }

  /// A time with its zone.
  func textWithZone(_ seconds: Int64) -> String { "\(text(seconds)) \(name)" }

  /// The hour of a time, such as `09:00`.
  func hour(_ seconds: Int64) -> String {
    let second = parts(seconds).second
    return "\(Self.two(second / 3600)):\(Self.two(second / 60 % 60))"
  }

  /// The day of a time, such as `2026-11-30`.
  func day(_ seconds: Int64) -> String { parts(seconds).date }

  /// When the day of a time began in this zone, in seconds since 1970.
  func startOfDay(_ seconds: Int64) -> Int64 { seconds - parts(seconds).second }

  private func parts(_ seconds: Int64) -> (date: String, second: Int64) {
    // A time from outside may be near the limit of the type.
    let (local, overflow) = seconds.addingReportingOverflow(Int64(offset) * 60)
    let (whole, rest) = (overflow ? seconds : local).quotientAndRemainder(dividingBy: 86_400)
    return rest < 0 ? (Self.date(whole - 1), rest + 86_400) : (Self.date(whole), rest)
  }

  /// The date of a day that is counted from 1970-01-01, in the Gregorian calendar.
  ///
  /// It counts from 1 March of the year 0 in cycles of 400 years, so that the day which only some years have is a year's last.
  private static func date(_ day: Int64) -> String {
    let shifted = day + 719_468
    let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfCycle = shifted - cycle * 146_097
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfCycle + cycle * 400 + (month >= 10 ? 1 : 0)
    return "\(year)-\(two(month < 10 ? month + 3 : month - 9))-\(two(dayOfMonth))"
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
}

/// A point in time as a page shows it: how long ago, the exact time in the reader's zone, and the time in UTC on hover.
struct PageTime: Equatable {
  let seconds: Int64
  /// For programs.
  let machine: String
  let utc: String
  let exact: String
  /// How long ago, or in how long.
  let distance: String

  init(_ seconds: Int64, now: Int64, zone: ViewerZone, machine: String, _ language: PageLanguage) {
    self.seconds = seconds
    self.machine = machine
    utc = ViewerZone.utc.textWithZone(seconds)
    exact = zone.text(seconds)
    distance = language.distance(from: now, to: seconds)
  }

  var context: [String: Any] { ["machine": machine, "utc": utc, "exact": exact, "distance": distance] }
}

extension PageLanguage {
  /// How long ago a time was, or in how long it will be.
  func distance(from now: Int64, to time: Int64) -> String {
    let (difference, overflow) = now.subtractingReportingOverflow(time)
    guard !overflow else { return "" }
    let size = Int64(clamping: difference.magnitude)
    guard size >= 5 else { return text(.justNow) }
    let much = length(size)
    return difference >= 0 ? text(.timeAgo, much) : text(.timeAhead, much)
  }

  /// A length of time in its largest unit, rounded down.
  func length(_ seconds: Int64) -> String {
    let units: [(seconds: Int64, one: PageText, many: PageText)] = [
      (31_536_000, .oneYear, .manyYears), (86_400, .oneDay, .manyDays), (3600, .oneHour, .manyHours),
      (60, .oneMinute, .manyMinutes),
    ]
    let found = units.first { seconds >= $0.seconds } ?? (1, .oneSecond, .manySeconds)
    let count = seconds / found.seconds
    return count == 1 ? text(found.one) : text(found.many, String(count))
  }

  /// A length of time in the largest unit of which it is a whole number.
  package func exactLength(_ seconds: Int64) -> String {
    let (count, unit) = LengthUnit.split(seconds)
    switch unit {
    case .days: return count == 1 ? text(.oneDay) : text(.manyDays, String(count))
    case .hours: return count == 1 ? text(.oneHour) : text(.manyHours, String(count))
    case .minutes: return count == 1 ? text(.oneMinute) : text(.manyMinutes, String(count))
    case .seconds: return count == 1 ? text(.oneSecond) : text(.manySeconds, String(count))
    }
  }
}
