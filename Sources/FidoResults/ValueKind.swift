/// What a person is asked to enter, as texts name it: the secret of one authenticator type, or of one of several.
///
/// An authenticator type brings its own words, so that the texts around them need no change for a new type.
public struct ValueKind: Hashable, Sendable {
  /// The noun as it stands inside an English sentence.
  let english: String
  /// The noun as it stands inside a Korean sentence, without a particle.
  let korean: String

  /// The words of one type; each is a noun that begins with a small letter.
  public init(english: String, korean: String) {
    self.english = english
    self.korean = korean
  }

  /// One of several, if the text must not show which of them the account has.
  ///
  /// - Parameter kinds: at least one; one alone is returned as it is.
  public static func oneOf(_ kinds: [ValueKind]) -> ValueKind {
    ValueKind(
      english: listed(kinds.map(\.english), last: " or "), korean: listed(kinds.map(\.korean), last: " 또는 "))
  }

  private static func listed(_ words: [String], last: String) -> String {
    [words.dropLast().joined(separator: ", "), words.last ?? ""].filter { !$0.isEmpty }.joined(separator: last)
  }

  /// The English noun at the beginning of a sentence.
  var englishCapitalised: String { english.prefix(1).uppercased() + english.dropFirst() }

  /// The Korean noun with the particle of an object.
  var koreanObject: String { korean + (endsWithConsonant ? "을" : "를") }

  /// The Korean noun with the particle of a subject.
  var koreanSubject: String { korean + (endsWithConsonant ? "이" : "가") }

  /// Whether the last Hangul syllable has a final consonant, which decides between the two forms of a particle.
  private var endsWithConsonant: Bool {
    // The syllables stand in blocks of 28 from U+AC00; the first of each block has no final consonant.
    guard let last = korean.unicodeScalars.last?.value, (0xAC00...0xD7A3).contains(last) else { return false }
    return (last - 0xAC00) % 28 != 0
  }
}
