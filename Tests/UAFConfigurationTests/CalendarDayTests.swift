import Testing

@testable import UAFConfiguration

@Suite struct CalendarDayTests {
  private func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

  @Test func `a day is read and written the same, for every day of four centuries`() throws {
    var seconds: Int64 = 0
    var before: CalendarDay?
    // 400 years have 146,097 days in the Gregorian calendar.
    for _ in 0..<146_097 {
      let day = CalendarDay(at: seconds)
      #expect(CalendarDay(day.description) == day)
      if let before { #expect(before < day && day.days(after: before) == 1) }
      before = day
      seconds += 86_400
    }
    #expect(CalendarDay(at: seconds).description == "2370-01-01")
  }

  @Test(arguments: [
    (0, "1970-01-01"), (86_399, "1970-01-01"), (86_400, "1970-01-02"), (951_782_400, "2000-02-29"),
    (1_801_353_600, "2027-01-31"), (1_801_439_999, "2027-01-31"), (1_801_440_000, "2027-02-01"), (-1, "1970-01-01"),
    (Int64.min, "1970-01-01"), (Int64.max, "9999-12-31"),
  ])
  func `a moment is in its day of UTC`(_ seconds: Int64, _ text: String) {
    #expect(CalendarDay(at: seconds).description == text)
  }

  @Test func `a day is not over in its last second, and is over in the next`() throws {
    let last = try day("2027-01-31")
    #expect(!last.isOver(at: 1_801_439_999))
    #expect(last.isOver(at: 1_801_440_000))
    #expect(!last.isOver(at: 0))
  }

  @Test func `days are compared and counted over months, years and leap days`() throws {
    #expect(try day("2027-01-31") < day("2027-02-01"))
    #expect(try day("2028-03-01").days(after: day("2028-02-28")) == 2)
    #expect(try day("2027-12-31").days(after: day("2026-12-31")) == 365)
    #expect(try day("2026-12-31").days(after: day("2027-01-01")) == -1)
  }
}
