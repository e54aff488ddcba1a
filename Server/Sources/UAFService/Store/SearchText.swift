import Foundation

/// A text in the form in which searches compare texts: Unicode's form NFC, without a difference of case.
package struct SearchText: Equatable, Sendable {
  /// The text as it was given, without white space at its ends.
  package let typed: String
  /// Never empty.
  package let folded: String

  /// - Returns: nil if nothing is left of the text without white space at its ends.
  package init?(_ text: String) {
    let trimmed = Self.composed(text).trimmingCharacters(in: .whitespaces)
    guard !trimmed.isEmpty else { return nil }
    typed = trimmed
    folded = Self.withoutCase(trimmed)
  }

  /// The text in Unicode's form NFC, in which it is stored.
  package static func composed(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
  }

  /// The form by which two names of groups are the same.
  package static func key(_ name: String) -> String { withoutCase(composed(name)) }

  /// Lower case, by way of upper case: so `ß` equals `ss`, and all forms of sigma are equal.
  static func withoutCase(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return text.uppercased().lowercased()
  }

  /// The texts with which the login names that lead a search begin: this text as it was given, and in lower case.
  ///
  /// Login names are compared by bytes, so one with capitals only leads a search for it as it is written. Empty if no login name
  /// contains the text.
  package var beginnings: [String] {
    guard Username.isValid(typed) else { return [] }
    return typed == folded ? [folded] : [typed, folded]
  }

  /// Whether one of the texts of an account contains this text.
  package func isIn(_ username: String, _ profile: AccountProfile) -> Bool {
    SearchGram.texts(username, profile).contains { Self.contains($0, folded) }
  }

  /// Compares bytes: the bytes of a text in UTF-8 contain those of another one only where its characters are.
  private static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    guard let first = part.first, text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { start in
      text[start] == first && text[start..<start + part.count].elementsEqual(part)
    }
  }
}

/// Two characters that follow each other in a text of an account: the unit of the index of the search.
///
/// Two and not three, because names in Korean have two or three syllables. The last character of a text is followed by the end,
/// so that every character begins a pair.
package struct SearchGram: Hashable, Sendable {
  /// The bits of a character.
  private static let bits: Int64 = 21
  /// The end of a text; no text contains it.
  private static let end: Unicode.Scalar = "\n"

  /// The first character, 21 bits, and the second.
  package let number: Int64

  package init(number: Int64) { self.number = number }

  private init(_ first: Unicode.Scalar, _ second: Unicode.Scalar) {
    number = Int64(first.value) << Self.bits | Int64(second.value)
  }

  /// The pairs of all texts of an account.
  package static func all(_ username: String, _ profile: AccountProfile) -> Set<SearchGram> {
    var grams: Set<SearchGram> = []
    for text in texts(username, profile) { add(text.unicodeScalars, to: &grams, hasEnd: true) }
    return grams
  }

  /// The pairs of a text that is searched for; none if it is a single character.
  package static func sought(_ text: SearchText) -> Set<SearchGram> {
    var grams: Set<SearchGram> = []
    add(text.folded.unicodeScalars, to: &grams, hasEnd: false)
    return grams
  }

  /// The numbers of the pairs that begin with a character.
  package static func numbers(beginningWith scalar: Unicode.Scalar) -> Range<Int64> {
    Int64(scalar.value) << bits..<(Int64(scalar.value) + 1) << bits
  }

  private static func add(_ text: String.UnicodeScalarView, to grams: inout Set<SearchGram>, hasEnd: Bool) {
    var last: Unicode.Scalar?
    for scalar in text {
      if let last { grams.insert(SearchGram(last, scalar)) }
      last = scalar
    }
    if hasEnd, let last { grams.insert(SearchGram(last, end)) }
  }

  /// The texts of an account in which a search looks, folded.
  static func texts(_ username: String, _ profile: AccountProfile) -> [String] {
    [username, profile.displayName, profile.mail, profile.department].compactMap { $0.map(SearchText.withoutCase) }
  }
}
