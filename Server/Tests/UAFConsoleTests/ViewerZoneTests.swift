import Testing

@testable import UAFConsole

/// Times in the zone of the reader, and lengths of time in words.
struct ViewerZoneTests {
  @Test(
    arguments: [
      (0, 0, "1970-01-01 00:00:00"), (1_709_164_800, 0, "2024-02-29 00:00:00"),
      (1_709_251_199, 0, "2024-02-29 23:59:59"),
      (951_782_400, 0, "2000-02-29 00:00:00"), (4_107_542_399, 0, "2100-02-28 23:59:59"),
      (4_107_542_400, 0, "2100-03-01 00:00:00"), (-1, 0, "1969-12-31 23:59:59"),
      (1_796_035_073, 540, "2026-11-30 19:37:53"),
      (1_796_035_073, -210, "2026-11-30 07:07:53"), (1_798_761_599, 1, "2027-01-01 00:00:59"),
    ] as [(Int64, Int, String)])
  func `a time has the date and hour of its zone, in leap years and before 1970 too`(
    seconds: Int64, offset: Int, expected: String
  ) {
    #expect(ViewerZone(offset: offset, isChosen: true).text(seconds) == expected)
  }

  @Test func `each day of four hundred years follows the day before it`() {
    var last = ""
    for day in Int64(-80_000)..<66_097 {
      let text = ViewerZone.utc.day(day * 86_400)
      // Years of four digits sort as their dates do.
      #expect(text > last && text.count == 10)
      last = text
    }
  }

  @Test(arguments: [("540", 540, false), ("-210", -210, false), ("chosen.345", 345, true), ("chosen.0", 0, true)])
  func `a cookie says the zone, and whether a person has chosen it`(cookie: String, offset: Int, isChosen: Bool) {
    #expect(ViewerZone(cookie: cookie) == ViewerZone(offset: offset, isChosen: isChosen))
  }

  @Test(arguments: [nil, "", "x", "841", "-721", "chosen.", "chosen.900", "99999999999999999999", "540; Path=/", "<b>"])
  func `a cookie that is not a zone is ignored, and times are in UTC`(cookie: String?) {
    #expect(ViewerZone(cookie: cookie) == .utc)
  }

  @Test(arguments: [Int64.min, .max]) func `the first and the last possible time are shown without a trap`(time: Int64)
  {
    #expect(!ViewerZone(offset: 840, isChosen: true).text(time).isEmpty)
    #expect(!PageLanguage.english.distance(from: 0, to: time).isEmpty || time == .min)
  }

  @Test(
    arguments: [
      (3, "just now", "방금"), (60, "1 minute ago", "1분 전"), (7199, "1 hour ago", "1시간 전"),
      (172_800, "2 days ago", "2일 전"), (-299, "in 4 minutes", "4분 뒤"), (-31_536_000, "in 1 year", "1년 뒤"),
    ] as [(Int64, String, String)])
  func `a distance is told in its largest unit, in both languages`(ago: Int64, english: String, korean: String) {
    #expect(PageLanguage.english.distance(from: 1000, to: 1000 - ago) == english)
    #expect(PageLanguage.korean.distance(from: 1000, to: 1000 - ago) == korean)
  }

  @Test(arguments: [
    (900, 15, LengthUnit.minutes), (86_400, 1, .days), (90, 90, .seconds), (0, 0, .seconds), (7200, 2, .hours),
  ])
  func `a length is split into the largest unit of which it is a whole number`(
    seconds: Int64, count: Int64, unit: LengthUnit
  ) {
    #expect(LengthUnit.split(seconds) == (count, unit))
  }
}

/// The order of a table's rows, and the numbers on an axis.
struct TableOrderTests {
  private func sorted(_ text: String, _ cells: [String]) -> [String] {
    TableOrder(text, columns: 1, page: "/").sorted(cells.map { [PageCell($0)] }, ["a"]).map { $0.1[0].text }
  }

  @Test func `numbers are sorted by their size, words by their letters, and both can be reversed`() {
    #expect(sorted("1", ["10", "9", "100"]) == ["9", "10", "100"])
    #expect(sorted("1", ["b", "A", "c"]) == ["A", "b", "c"])
    #expect(sorted("-1", ["b", "A", "c"]) == ["c", "b", "A"])
  }

  @Test(arguments: ["", "0", "2", "-9", "x", "1;", "99999999999999999999"])
  func `an order by a column that does not exist leaves the rows as they are`(text: String) {
    #expect(sorted(text, ["b", "a"]) == ["b", "a"])
  }

  @Test(arguments: [0, 1, 3, 4, 5, 9, 10, 37, 100, 5000, 1_000_000])
  func `an axis has at most five numbers, and reaches the highest bar`(highest: Int) {
    let ticks = BarPlot.ticks(to: highest)
    #expect((2...5).contains(ticks.count) && ticks.first == 0 && (ticks.last ?? 0) >= highest)
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1 - $0 == ticks[1] })
  }
}
