/// What libpam reads in a file of its folder.
///
/// libpam 1.5 (Debian 12) and 1.6 (Debian 13 has 1.7) put lines together in two ways (``PAMReading``). A file that they read
/// differently is read as far as both agree; the rest counts as a line that refuses everybody. So an update of libpam does not
/// change what was found out about a file.
struct PAMFile {
  /// A line as libpam puts it together.
  struct Line: Equatable {
    /// The lines of the file it begins and ends in, from 0.
    let rows: ClosedRange<Int>
    /// What it says; nil where libpam does not get to its end, and refuses the whole file.
    let text: [UInt8]?
  }

  /// Those that say something, in order.
  let lines: [Line]
  /// The first line of the file, from 0, that the two read differently; nil where both agree.
  let parting: Int?

  init(_ bytes: [UInt8]) {
    let (older, newer) = (PAMReading.untilFive.lines(of: bytes), PAMReading.sinceSix.lines(of: bytes))
    let agreed = zip(older, newer).prefix { PAMLine(line: $0) == PAMLine(line: $1) }
    // A difference in blanks does not count.
    let common = agreed.map { Line(rows: Self.union($0.rows, $1.rows), text: $1.text) }
    let apart = [older.dropFirst(common.count).first, newer.dropFirst(common.count).first].compactMap(\.self)
    parting = apart.map(\.rows.lowerBound).min()
    let last = (older + newer).map(\.rows.upperBound).max() ?? 0
    lines = common + (parting.map { [Line(rows: $0...max($0, last), text: nil)] } ?? [])
  }

  /// The first of the file's lines, from 0, that says something and ends as Windows ends lines; nil if there is none.
  static func carriageReturn(in lines: [[UInt8]]) -> Int? {
    lines.firstIndex { line in
      let first = line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "\r") }
      return line.last == UInt8(ascii: "\r") && first.map { $0 != UInt8(ascii: "#") } ?? false
    }
  }

  private static func union(_ first: ClosedRange<Int>, _ second: ClosedRange<Int>) -> ClosedRange<Int> {
    min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
  }

  /// The first line of a text; nil if it has only comments and blanks.
  static func firstLine(of text: String) -> PAMLine? {
    PAMFile(Array(text.utf8)).lines.first.map(PAMLine.init(line:))
  }

  /// What the lines say.
  var parsed: [PAMLine] { lines.map(PAMLine.init(line:)) }
}
