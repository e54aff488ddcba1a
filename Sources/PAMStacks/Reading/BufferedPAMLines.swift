/// The lines of a file as libpam 1.5 puts them together, in a buffer of 1,024 bytes.
///
/// Only a newline ends a line. A line that begins with `#` is skipped, whatever it ends with. A `\` before a newline, with or
/// without blanks between them, continues the line in the next one that is neither empty nor a comment. What follows a NUL is
/// ignored. A line longer than the buffer is cut into several: the second may take effect although the first is a comment.
struct BufferedPAMLines {
  // The buffer without its NUL.
  private static let room = 1023

  private var rest: ArraySlice<UInt8>
  private var row = 0

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next line that says something; nil at the end.
  mutating func next() -> PAMFile.Line? {
    var text: [UInt8] = []
    var first: Int?
    while true {
      let begin = row
      // If the buffer is full, libpam never returns.
      guard !rest.isEmpty, text.count < Self.room else {
        rest = []
        return first.map { PAMFile.Line(rows: $0...max($0, begin - 1), text: nil) }
      }
      let seen = take(atMost: Self.room - text.count).prefix { $0 != 0 }
      guard let start = seen.first(where: { !PAMTokens.isBlank($0) }), start != UInt8(ascii: "#") else { continue }
      let rows = (first ?? begin)...begin
      first = rows.lowerBound
      if let comment = seen.firstIndex(of: UInt8(ascii: "#")) {
        return PAMFile.Line(rows: rows, text: text + seen[..<comment])
      }
      guard let end = seen.lastIndex(where: { !PAMTokens.isBlank($0) }), seen[end] == UInt8(ascii: "\\") else {
        return PAMFile.Line(rows: rows, text: text + seen)
      }
      text += seen[..<end] + [UInt8(ascii: " ")]
    }
  }

  /// The next bytes, up to and with a newline.
  private mutating func take(atMost limit: Int) -> ArraySlice<UInt8> {
    let window = rest.prefix(limit)
    let end = window.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    if end != nil { row += 1 }
    defer { rest = rest[(end ?? window.endIndex)...] }
    return rest[..<(end ?? window.endIndex)]
  }
}
