/// Korean particles whose form depends on the end of the word before them.
///
/// A text has both forms, as in `이(가)`, because the word is known only when the text is shown.
public enum KoreanParticles {
  /// The last sound of a word when it is read aloud.
  private enum Ending {
    case vowel, rieul, consonant
  }

  /// Each pair, with the form after a consonant and the one after a vowel.
  private static let pairs: [(both: String, consonant: String, vowel: String)] = [
    ("은(는)", "은", "는"), ("이(가)", "이", "가"), ("을(를)", "을", "를"), ("와(과)", "과", "와"), ("(으)로", "으로", "로"),
    ("(이)라고", "이라고", "라고"),
  ]

  /// The text with the form that fits each word; a pair after an unreadable word stays as it is.
  public static func resolved(_ text: String) -> String {
    guard text.contains("(") else { return text }
    var made = ""
    var rest = text[...]
    while let character = rest.first {
      guard let pair = pairs.first(where: { rest.hasPrefix($0.both) }), let ending = ending(of: made) else {
        made.append(character)
        rest.removeFirst()
        continue
      }
      // After ㄹ it is 로, as after a vowel.
      let isVowel = ending == .vowel || ending == .rieul && pair.vowel == "로"
      made += isVowel ? pair.vowel : pair.consonant
      rest.removeFirst(pair.both.count)
    }
    return made
  }

  /// The ending of a text's last word; nil if nothing can be read.
  private static func ending(of text: String) -> Ending? {
    let isRead: (Unicode.Scalar) -> Bool = { isLetter($0) || isDigit($0) || isSyllable($0) }
    let scalars = Array(text.unicodeScalars.suffix(64))
    // Quotes, brackets and the slash of a folder are not read.
    guard let end = scalars.lastIndex(where: isRead),
      scalars[end...].dropFirst().allSatisfy({ !$0.properties.isWhitespace })
    else { return nil }
    let last = scalars[end]
    if isSyllable(last) {
      // The syllables are in blocks of 28 from U+AC00, by their final consonant: none first, ㄹ ninth.
      let final = (last.value - 0xAC00) % 28
      return final == 0 ? .vowel : final == 8 ? .rieul : .consonant
    }
    if isDigit(last) { return digits[last] ?? .consonant }
    let letters = scalars[...end].reversed().prefix(while: isLetter).reversed().map {
      Character($0.properties.lowercaseMapping)
    }
    return ending(ofLatin: String(letters))
  }

  /// 영, 일, 이, 삼, 사, 오, 육, 칠, 팔, 구; what ends with 0 is read 십, 백, 천 or 만.
  private static let digits: [Unicode.Scalar: Ending] = [
    "0": .consonant, "1": .rieul, "2": .vowel, "3": .consonant, "4": .vowel, "5": .vowel, "6": .consonant, "7": .rieul,
    "8": .rieul, "9": .vowel,
  ]

  /// A word in small Latin letters, by the rules for loan words as far as the spelling shows.
  private static func ending(ofLatin word: String) -> Ending {
    let vowels: Set<Character> = ["a", "e", "i", "o", "u"]
    let letters = Array(word)
    guard let last = letters.last else { return .vowel }
    // Letters that make no syllable are read by their names: 엘, 엠, 엔, 알.
    guard letters.count > 1, letters.contains(where: { vowels.contains($0) || $0 == "y" }) else {
      return last == "l" || last == "r" ? .rieul : last == "m" || last == "n" ? .consonant : .vowel
    }
    let before = letters[letters.count - 2]
    switch last {
    case "l": return .rieul
    case "m", "n": return .consonant
    case "g": return before == "n" ? .consonant : .vowel
    // The final e is silent: file and table end with ㄹ, name and line with another consonant.
    case "e" where before == "l": return .rieul
    case "e" where before == "m" || before == "n": return letters.count > 3 ? .consonant : .vowel
    case "k" where before == "c": return .consonant
    case "b", "c", "k", "p", "t":
      // A stop closes a short syllable (web, git), but is a separate syllable after a long one (root) or a consonant (desk).
      guard vowels.contains(before) else { return .vowel }
      return letters.count > 2 && vowels.contains(letters[letters.count - 3]) ? .vowel : .consonant
    default: return .vowel
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isSyllable(_ scalar: Unicode.Scalar) -> Bool { (0xAC00...0xD7A3).contains(scalar.value) }
}
