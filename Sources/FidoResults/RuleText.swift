/// What a rule for new passcodes says if a secret breaks it and the administrator gave no text.
public enum RuleText: Hashable, Sendable {
  /// Fewer characters than `min_length`.
  case minimumLength(Int)
  /// More characters than `max_length`.
  case maximumLength(Int)
  /// Not exactly that many digits (`pin4`, `pin6`).
  case exactDigits(Int)
  /// Nothing was entered.
  case empty
  /// More bytes than any secret may have.
  case tooLong
  /// Control, private-use or unassigned characters, or not UTF-8.
  case unusableCharacters
  /// Something but digits (`digits_only`).
  case digitsOnly
  /// `equal_character`.
  case equalCharacter
  /// `ascending_descending`.
  case ascendingDescending
  /// `two_character_repeat`.
  case twoCharacterRepeat
  /// `two_equal_character_repeat`.
  case twoEqualCharacterRepeat
  /// `not_number_english`.
  case notNumberEnglish
  /// A pattern of fewer nodes than `min_nodes`.
  case minimumNodes(Int)
  /// A pattern with something but nodes in it.
  case nodesOnly
  /// A pattern that visits a node twice.
  case nodeTwice
  /// An expression without a text of its own.
  case regularExpression
  /// An ignore list entry without a text of its own.
  case ignored
  /// There is an expression without a text of its own; told before anything is entered.
  case ownForm
  /// There is an ignore list entry without a text of its own; told before anything is entered.
  case ownExclusions

  /// The message.
  public func text(in language: Language) -> String { language.catalogue.text(self) }
}
