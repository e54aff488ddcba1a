import AuthenticatorTypes

/// A second implementation of the built-in rules: slow, over strings, and written directly from the documentation.
enum SlowRules {
  static let digits = Array("0123456789").map(String.init)
  static let letters = Array("abcdefghijklmnopqrstuvwxyz").map(String.init)

  /// Whether a normalised passcode breaks a rule.
  static func refuses(_ rule: PasscodeRule, _ value: String) -> Bool {
    let original = value.unicodeScalars.map(String.init)
    let folded = original.map { $0.lowercased() }
    switch rule {
    case .equalCharacter: return folded.count > 1 && Set(folded).count == 1
    case .ascendingDescending:
      let text = folded.joined()
      return [digits, letters].contains { row in
        guard original.allSatisfy({ $0.utf8.count == 1 }), folded.count > 2 else { return false }
        return row.joined().contains(text) || row.reversed().joined().contains(text)
      }
    case .twoCharacterRepeat:
      guard folded.count > 3, folded[0] != folded[1] else { return false }
      return folded.indices.map { folded[$0 % 2] } == folded
    case .twoEqualCharacterRepeat:
      guard folded.count > 3, folded.count.isMultiple(of: 2) else { return false }
      return folded.indices.map { folded[$0 - $0 % 2] } == folded
    case .notNumberEnglish:
      return original.contains { !digits.contains($0) && !letters.contains($0.lowercased()) || $0.utf8.count > 1 }
    }
  }
}
