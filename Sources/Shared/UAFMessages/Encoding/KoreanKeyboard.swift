/// The Korean keyboard layout with two sets of letters (Dubeolsik, KS X 5002), on whose keys people may type a Latin code by
/// mistake.
enum KoreanKeyboard {
  /// A text with the Latin letters of the keys with which its Hangul was typed.
  ///
  /// The input method has combined letters to syllables, and separate keys to one letter; each is taken apart again. Everything
  /// else stays as it is.
  ///
  /// - Returns: nil if the text has no Hangul.
  static func latin(for text: String) -> String? {
    var latin = ""
    var hasHangul = false
    for scalar in text.unicodeScalars {
      if let keys = keys(of: scalar.value) {
        latin += keys
        hasHangul = true
      } else {
        latin.unicodeScalars.append(scalar)
      }
    }
    return hasHangul ? latin : nil
  }

  private static let initials = [
    "r", "R", "s", "e", "E", "f", "a", "q", "Q", "t", "T", "d", "w", "W", "c", "z", "x", "v", "g",
  ]
  private static let vowels = [
    "k", "o", "i", "O", "j", "p", "u", "P", "h", "hk", "ho", "hl", "y", "n", "nj", "np", "nl", "b", "m", "ml", "l",
  ]
  /// The first one is that of a syllable without a final consonant.
  private static let finals = [
    "", "r", "R", "rt", "s", "sw", "sg", "e", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "qt", "t", "T",
    "d", "w", "c", "z", "x", "v", "g",
  ]
  /// The consonants that stand alone, in Unicode's order.
  private static let consonants = [
    "r", "R", "rt", "s", "sw", "sg", "e", "E", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "Q", "qt", "t",
    "T", "d", "w", "W", "c", "z", "x", "v", "g",
  ]

  /// The keys of a letter or a syllable; nil for anything but Hangul.
  ///
  /// The ranges are those of the Unicode Standard, section 3.12 ("Conjoining Jamo Behavior"), and of Hangul Compatibility Jamo.
  private static func keys(of value: UInt32) -> String? {
    switch value {
    case 0xAC00...0xD7A3:
      let index = Int(value - 0xAC00)
      return initials[index / 588] + vowels[index % 588 / 28] + finals[index % 28]
    case 0x3131...0x314E: return consonants[Int(value - 0x3131)]
    case 0x314F...0x3163: return vowels[Int(value - 0x314F)]
    case 0x1100...0x1112: return initials[Int(value - 0x1100)]
    case 0x1161...0x1175: return vowels[Int(value - 0x1161)]
    case 0x11A8...0x11C2: return finals[Int(value - 0x11A7)]
    default: return nil
    }
  }
}
