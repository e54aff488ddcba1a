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
