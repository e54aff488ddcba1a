/// A language of the console.
package enum PageLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case korean = "ko"

  /// Its own name.
  var name: String {
    switch self {
    case .english: "English"
    case .korean: "한국어"
    }
  }

  /// The language that a browser wants most (RFC 9110, section 12.5.4); English if it wants none of these.
  init(accepted header: String?) {
    let wanted = (header ?? "").split(separator: ",").compactMap { part -> (language: PageLanguage, weight: Double)? in
      let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
      let tag = pieces.first.map { $0.prefix { $0 != "-" }.lowercased() } ?? ""
      guard let language = PageLanguage(rawValue: tag) else { return nil }
      let weight = pieces.dropFirst().first.flatMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil } ?? 1
      return (language, weight)
    }
    self = wanted.filter { $0.weight > 0 }.max { $0.weight < $1.weight }?.language ?? .english
  }

  private func form(_ text: PageText) -> String? {
    switch self {
    case .english: EnglishPageTexts.all[text] ?? EnglishListTexts.all[text]
    case .korean: KoreanPageTexts.all[text] ?? KoreanListTexts.all[text]
    }
  }

  /// Whether there is a text for a key.
  func has(_ text: PageText) -> Bool { form(text) != nil }

  /// The text, each `{}` in it replaced by the next value.
  func text(_ text: PageText, _ values: String...) -> String {
    let pieces = (form(text) ?? text.rawValue).split(separator: "{}", omittingEmptySubsequences: false)
    return zip(pieces, values + Array(repeating: "", count: pieces.count)).reduce(into: "") { $0 += $1.0 + $1.1 }
  }
}
