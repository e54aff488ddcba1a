/// The letters beyond ASCII that a text to be confirmed is shown in.
///
/// Each has one form in Unicode (NFC), joins with no other character, runs from left to right, is visible, and is no
/// other form of a syntax character. The table is fixed, so that both ends have the same one, whatever Unicode version
/// their libraries have. Left out are combining marks and the scripts that need them, scripts that are written from
/// right to left, compatibility forms (full width, ligatures, mathematical letters), and all spaces, digits and
/// punctuation beyond ASCII.
enum TransactionLetter {
  private static let ranges: [ClosedRange<UInt32>] = [
    // Latin
    0x00C0...0x00D6, 0x00D8...0x00F6, 0x00F8...0x0131, 0x0134...0x013E, 0x0141...0x0148, 0x014A...0x017E,
    0x0180...0x01BF, 0x01CD...0x01F0, 0x01F4...0x024F, 0x1E00...0x1E99, 0x1E9C...0x1EFF,
    // Greek, Cyrillic, Armenian, Georgian
    0x0386...0x0386, 0x0388...0x038A, 0x038C...0x038C, 0x038E...0x03A1, 0x03A3...0x03CF, 0x0400...0x0481,
    0x048A...0x0527, 0x0531...0x0556, 0x0561...0x0586, 0x10D0...0x10FA,
    // Ethiopic
    0x1200...0x1248, 0x124A...0x124D, 0x1250...0x1256, 0x1258...0x1258, 0x125A...0x125D, 0x1260...0x1288,
    0x128A...0x128D, 0x1290...0x12B0, 0x12B2...0x12B5, 0x12B8...0x12BE, 0x12C0...0x12C0, 0x12C2...0x12C5,
    0x12C8...0x12D6, 0x12D8...0x1310, 0x1312...0x1315, 0x1318...0x135A,
    // Kana and Bopomofo, with the marks of repetition and length
    0x3005...0x3005, 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC...0x30FC, 0x3105...0x312D, 0x31A0...0x31BA,
    // Hangul: syllables, and single letters but those that look like a dash and a bar
    0x3131...0x3160, 0x3162...0x3162, 0xAC00...0xD7A3,
    // Han
    0x3400...0x4DB5, 0x4E00...0x9FCB,
    // Pound, yen, won and euro signs
    0x00A3...0x00A3, 0x00A5...0x00A5, 0x20A9...0x20A9, 0x20AC...0x20AC,
  ]

  /// Greek, Cyrillic and Armenian; many of their letters look like Latin ones.
  private static let lookalikes: [ClosedRange<UInt32>] = [0x0386...0x03CF, 0x0400...0x0527, 0x0531...0x0586]

  static func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar.value) } }

  /// Whether the letter may pass for a Latin one.
  static func isLookalike(_ scalar: Unicode.Scalar) -> Bool { lookalikes.contains { $0.contains(scalar.value) } }

  /// Whether it is one of the letters that others look like.
  static func isLatin(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z": true
    default: (0x00C0...0x024F).contains(scalar.value) || (0x1E00...0x1EFF).contains(scalar.value)
    }
  }
}
