/// How many cells of a terminal a code point takes.
///
/// By Unicode's East Asian Width, wide and full, in whole blocks; ambiguous ones count as narrow, which is what terminals
/// do unless told otherwise. Not wcwidth, which knows nothing outside of a locale that this program never sets.
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

  /// The sum over a text.
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
