/// A text of the administrator for people: one for everybody, or one for each language.
public struct AdministratorText: Hashable, Sendable {
  /// The texts as written, by language; at least one.
  private let texts: [Language: String]

  /// A text for every language.
  public init(_ text: String) {
    texts = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, text) })
  }

  /// A text for each language that is named.
  ///
  /// - Returns: nil where none is.
  public init?(_ texts: [Language: String]) {
    guard !texts.isEmpty else { return nil }
    self.texts = texts
  }

  /// The text for a person, cleaned; nil if the administrator wrote none in that language.
  public func text(in language: Language) -> String? { texts[language].map { Text.cleaned($0) } }
}

extension AdministratorText: ExpressibleByStringLiteral {
  /// A text for every language.
  public init(stringLiteral text: String) { self.init(text) }
}
