/// The lines of a file as libpam joins them since 1.6, however long they are.
///
/// A `\` before a newline, with or without blanks between them, continues the line in the next one, unless there is a `#` before
/// it. An empty line or a comment ends a continued line. Text after a NUL in such a line is ignored, even in the next line of
/// the file. A `\` after the NUL still continues the line.
struct WholePAMLines {
  private var rest: ArraySlice<UInt8>
  private var row = 0

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next line with content; nil at the end.
  mutating func next() -> PAMFile.Line? {
    var text: [UInt8] = []
    var first: Int?
    while !rest.isEmpty {
      let begin = row
      let part = Part(take())
      let rows = (first ?? begin)...begin
      if part.goesOn {
        text += part.text
        first = rows.lowerBound
        continue
      }
      if !text.isEmpty || part.isWorthALine { text += part.text }
      let said = text.prefix { $0 != 0 }
      guard said.isEmpty else { return PAMFile.Line(rows: rows, text: Array(said)) }
      (text, first) = ([], nil)
    }
    return first.map { PAMFile.Line(rows: $0...max($0, row - 1), text: nil) }
  }

  /// The next line of the file, with its newline.
  private mutating func take() -> ArraySlice<UInt8> {
    let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
    defer { rest = rest[end...] }
    row += 1
    return rest[..<end]
  }

  /// The part that a line of the file adds to the joined line.
  private struct Part {
    /// Its text, without leading blanks; a NUL replaces the beginning of a comment.
    let text: [UInt8]
    /// Whether the next line of the file belongs to it.
    let goesOn: Bool

    init(_ line: ArraySlice<UInt8>) {
      var seen = line
      let end = line.lastIndex { !PAMTokens.isBlank($0) }.flatMap { line[$0] == UInt8(ascii: "\\") ? $0 : nil }
      if let end { seen = line[..<end] + [UInt8(ascii: " ")] }
      let comment = seen.prefix { $0 != 0 }.firstIndex(of: UInt8(ascii: "#"))
      goesOn = end != nil && comment == nil
      if let comment { seen = seen[..<comment] + [0] }
      text = Array(seen.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
    }

    /// Whether a line with content can begin with it.
    var isWorthALine: Bool { text.first.map { $0 != 0 && $0 != UInt8(ascii: "\n") } ?? false }
  }
}

/// The lines of a file as libpam 1.5 joins them, in a buffer of 1,024 bytes.
///
/// Only a newline ends a line. A line that begins with `#` is skipped, whatever it ends with. A `\` before a newline, with or
/// without blanks between them, continues the line in the next one that is neither empty nor a comment. Text after a NUL is
/// ignored. A line longer than the buffer is cut into several: the second may take effect although the first is a comment.
struct BufferedPAMLines {
  // The buffer without its NUL.
  private static let room = 1023

  private var rest: ArraySlice<UInt8>
  private var row = 0

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next line with content; nil at the end.
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

  /// The next bytes, up to and including a newline.
  private mutating func take(atMost limit: Int) -> ArraySlice<UInt8> {
    let window = rest.prefix(limit)
    let end = window.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    if end != nil { row += 1 }
    defer { rest = rest[(end ?? window.endIndex)...] }
    return rest[..<(end ?? window.endIndex)]
  }
}
