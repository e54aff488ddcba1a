/// A language people are spoken to in: the list of catalogues.
public enum Language: String, CaseIterable, Sendable {
  /// English.
  case english = "en"
  /// Korean.
  case korean = "ko"

  /// The language of a locale name such as `ko_KR.UTF-8`; nil for `C`, `POSIX`, languages without a catalogue and anything odd.
  ///
  /// The name comes from the caller of the conversation: it is compared with the list above and never used to find a
  /// file.
  public init?(locale: String) {
    let bytes = locale.utf8
    guard bytes.prefix(Self.longestLocale + 1).count <= Self.longestLocale else { return nil }
    let letters = bytes.prefix { isLetter($0) }
    guard letters.count == bytes.count || "_-.@".utf8.contains(bytes[letters.endIndex]) else { return nil }
    self.init(rawValue: String(Substring(letters)).lowercased())
  }

  /// The language of a locale, or the configured one if there is no catalogue for it.
  public static func matching(_ locale: String?, default configured: Language) -> Language {
    locale.flatMap(Language.init(locale:)) ?? configured
  }

  /// Whether a locale name has UTF-8 for its characters; a missing one has not.
  public static func hasUTF8(locale: String?) -> Bool {
    guard let bytes = locale?.utf8, bytes.prefix(Self.longestLocale + 1).count <= Self.longestLocale,
      let dot = bytes.firstIndex(of: UInt8(ascii: "."))
    else { return false }
    let charset = String(decoding: bytes[bytes.index(after: dot)...].prefix { $0 != UInt8(ascii: "@") }, as: UTF8.self)
    return ["utf-8", "utf8"].contains(charset.lowercased())
  }

  private static let longestLocale = 64

  var catalogue: any Catalogue.Type {
    switch self {
    case .english: EnglishCatalogue.self
    case .korean: KoreanCatalogue.self
    }
  }
}

private func isLetter(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}
