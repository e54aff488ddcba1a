/// Text from outside, made fit to be shown.
public enum Text {
  /// The longest text of a server or a name that is shown.
  public static let defaultLimit = 512

  /// The text without anything that controls a terminal or is invisible, at most `limit` code points long.
  ///
  /// Control, format (bidirectional and zero-width included), private, unassigned and invisible code points are dropped; white
  /// space of any kind, line ends included, becomes one space, so that a text is always one line; none is left at the ends. The
  /// limit counts code points, because one character may be made of any number of them.
  public static func cleaned(_ text: String, limit: Int = defaultLimit) -> String {
    var kept = String.UnicodeScalarView()
    var count = 0
    var pendingSpace = false
    for scalar in text.unicodeScalars {
      if isSpace(scalar) {
        pendingSpace = count > 0
        continue
      }
      guard isVisible(scalar) else { continue }
      let needed = pendingSpace ? 2 : 1
      guard count + needed <= limit else { break }
      if pendingSpace { kept.append(" ") }
      kept.append(scalar)
      count += needed
      pendingSpace = false
    }
    return String(kept)
  }

  /// The text with `[U+202E]` in place of each character that nobody sees, or that moves others, at most `limit` code points.
  ///
  /// For texts that have to be compared or judged: what ``cleaned(_:limit:)`` drops could be the difference between two names.
  ///
  /// - Parameter keepsLines: whether line feeds and tabs stay as they are.
  public static func marked(_ text: String, limit: Int = .max, keepsLines: Bool = false) -> String {
    var shown = String.UnicodeScalarView()
    var left = limit
    for scalar in text.unicodeScalars {
      guard isHidden(scalar, keepsLines) else {
        guard left > 0 else { break }
        shown.append(scalar)
        left -= 1
        continue
      }
      let mark = "[\(name(of: scalar))]".unicodeScalars
      guard left >= mark.count else { break }
      shown += mark
      left -= mark.count
    }
    return String(shown)
  }

  /// The first character that ``marked(_:limit:keepsLines:)`` would write in another way, as `U+202E`; nil if there is none.
  public static func firstHidden(in text: String, keepsLines: Bool = false) -> String? {
    text.unicodeScalars.first { isHidden($0, keepsLines) }.map(name)
  }

  private static func isHidden(_ scalar: Unicode.Scalar, _ keepsLines: Bool) -> Bool {
    switch scalar.properties.generalCategory {
    case .lineSeparator, .paragraphSeparator: true
    default: !isVisible(scalar) && !(keepsLines && (scalar == "\n" || scalar == "\t"))
    }
  }

  private static func name(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: true
    default: (0x09...0x0d).contains(scalar.value) || scalar.value == 0x85
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned: false
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
