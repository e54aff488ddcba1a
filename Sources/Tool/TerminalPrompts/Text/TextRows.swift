/// Breaks text into the rows of a terminal.
package enum TextRows {
  /// Each line in as many rows of at most `columns` cells as it needs.
  ///
  /// A row ends after a space if it has one.
  package static func wrapped(_ text: String, columns: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { rows($0, columns: max(2, columns)) }
  }

  /// The lines of a text, broken only between words, so that a path or a code longer than a row can still be copied.
  ///
  /// - Parameter hanging: the indentation of a line's further rows relative to its first row.
  package static func flowing(_ text: String, columns: Int, hanging: Int = 0) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { flow($0, columns: max(2, columns), hanging: hanging) }.joined(separator: "\n")
  }

  /// A line of usage, broken into rows only between its parts: an option and its value stay in one row.
  package static func usage(_ line: String, columns: Int, hanging: Int) -> String {
    var depth = 0
    let joined = line.map { character -> Character in
      if character == "[" || character == "(" { depth += 1 }
      if character == "]" || character == ")" { depth -= 1 }
      return character == " " && depth > 0 ? Self.joint : character
    }
    return flowing(String(joined), columns: columns, hanging: hanging).replacing(String(Self.joint), with: " ")
  }

  /// A space, of the usual width, at which no row is broken.
  private static let joint: Character = "\u{A0}"

  private static func flow(_ line: Substring, columns: Int, hanging: Int) -> String {
    guard cells(line) > columns else { return String(line) }
    // Spaces at the beginning of a line, and one at its end, before the person's entry, are kept.
    let first = String(line.prefix { $0 == " " })
    let indent = first + String(repeating: " ", count: hanging)
    // Several spaces between two words of a row are kept.
    var words = line.dropFirst(first.count)[...]
    var text = first
    var width = first.count
    while !words.isEmpty {
      let spaces = words.prefix { $0 == " " }
      let word = words.dropFirst(spaces.count).prefix { $0 != " " }
      words = words.dropFirst(spaces.count + word.count)
      guard !word.isEmpty else { break }
      let needed = cells(word)
      let fits = spaces.isEmpty || width + spaces.count + needed <= columns
      text += fits ? String(spaces) : "\n" + indent
      width = fits ? width + spaces.count : indent.count
      text += word
      width += needed
    }
    return text + (line.hasSuffix(" ") ? " " : "")
  }

  /// How many cells a text takes; the sequences for colours take none.
  private static func cells(_ text: Substring) -> Int {
    var cells = 0
    var isColour = false
    for scalar in text.unicodeScalars {
      if scalar == "\u{1B}" { isColour = true }
      if !isColour { cells += CharacterWidth.columns(scalar.value) }
      if scalar == "m" { isColour = false }
    }
    return cells
  }

  private static func rows(_ line: Substring, columns: Int) -> [String] {
    var rows: [String] = []
    var row = ""
    var width = 0
    for character in line {
      let needed = CharacterWidth.columns(String(character))
      while !row.isEmpty, width + needed > columns {
        // A word that does not fit goes to the next row. A word as long as a row is cut.
        let word = row.lastIndex(of: " ").map { String(row[row.index(after: $0)...]) } ?? ""
        rows.append(String(row.dropLast(word.count)))
        (row, width) = (word, CharacterWidth.columns(word))
      }
      row.append(character)
      width += needed
    }
    return rows + [row]
  }
}

/// How many cells of a terminal a code point takes.
///
/// Wide and fullwidth characters of Unicode's East Asian Width take two, in whole blocks. Ambiguous ones take one, as in most
/// terminals. wcwidth is not used, because it works only in a locale that this program never sets.
package enum CharacterWidth {
  /// 0, 1 or 2.
  package static func columns(_ scalar: UInt32) -> Int {
    guard scalar >= 0x300 else { return 1 }
    if wide.contains(where: { $0.contains(scalar) }) { return 2 }
    switch Unicode.Scalar(scalar)?.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }

  /// How many cells a text takes.
  package static func columns(_ text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + columns($1.value) }
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x25FD...0x25FE, 0x2614...0x2615, 0x2E80...0x3029,
    0x3030...0x303E, 0x3041...0x3098, 0x309B...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18CFF, 0x1B000...0x1B2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF,
    0x20000...0x3FFFD,
  ]
}

/// Code points in UTF-8, one at a time: for secrets, which must never be in a String.
package enum UTF8Scalar {
  /// The code point that begins at `index`; nil if RFC 3629 does not allow it.
  package static func first(_ bytes: Span<UInt8>, at index: Int) -> UInt32? {
    let lead = bytes[index]
    let (length, smallest): (Int, UInt32)
    switch lead {
    case 0x00...0x7F: return UInt32(lead)
    case 0xC2...0xDF: (length, smallest) = (2, 0x80)
    case 0xE0...0xEF: (length, smallest) = (3, 0x800)
    case 0xF0...0xF4: (length, smallest) = (4, 0x10000)
    default: return nil
    }
    guard bytes.count - index >= length else { return nil }
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      let byte = bytes[index + offset]
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard value >= smallest, value <= 0x10FFFF, !(0xD800...0xDFFF).contains(value) else { return nil }
    return value
  }

  /// How many bytes a code point takes.
  package static func byteCount(_ scalar: UInt32) -> Int {
    switch scalar {
    case 0..<0x80: 1
    case 0x80..<0x800: 2
    case 0x800..<0x10000: 3
    default: 4
    }
  }

  /// One byte of a code point's UTF-8 form.
  package static func byte(_ index: Int, of scalar: UInt32) -> UInt8 {
    let count = byteCount(scalar)
    if count == 1 { return UInt8(truncatingIfNeeded: scalar) }
    let bits = UInt8(truncatingIfNeeded: scalar >> UInt32(6 * (count - 1 - index)))
    if index > 0 { return 0x80 | bits & 0x3F }
    return [0xC0, 0xE0, 0xF0][count - 2] | bits & (0x7F >> UInt8(count))
  }
}
