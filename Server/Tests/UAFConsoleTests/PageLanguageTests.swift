import Testing

@testable import UAFConsole

struct PageLanguageTests {
  @Test(arguments: PageText.allCases) func `each language has each text, with the same places`(text: PageText) {
    let places = PageLanguage.allCases.map { language in
      language.text(text, "\u{1}", "\u{1}", "\u{1}", "\u{1}").count { $0 == "\u{1}" }
    }
    #expect(PageLanguage.allCases.allSatisfy { $0.has(text) })
    #expect(places.allSatisfy { $0 == places[0] })
  }

  @Test func `a Korean text has the particle that fits the word before it, and never both forms`() {
    #expect(PageLanguage.korean.text(.lineTwice, "mina", "3") == "mina는 이미 3번째 줄에 있습니다")
    #expect(PageLanguage.korean.text(.lineTwice, "김민준", "3") == "김민준은 이미 3번째 줄에 있습니다")
  }

  @Test(arguments: [
    ("ko", PageLanguage.korean), ("ko-KR,en;q=0.8", .korean), ("en;q=0.5, ko;q=0.9", .korean), ("fr, de", .english),
    ("ko;q=0, en", .english), ("", .english), (";;;,,q=x", .english),
  ]) func `takes the language that a browser wants most`(header: String, language: PageLanguage) {
    #expect(PageLanguage(accepted: header) == language)
  }
}
