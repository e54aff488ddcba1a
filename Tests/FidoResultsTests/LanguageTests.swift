import FidoResults
import Testing

@Suite struct LanguageTests {
  @Test(arguments: ["ko", "ko_KR", "ko_KR.UTF-8", "ko.UTF-8", "ko@hanja", "KO-kr"])
  func `a Korean locale selects Korean`(_ locale: String) {
    #expect(Language(locale: locale) == .korean)
  }

  @Test(arguments: ["en", "en_GB.UTF-8", "en-US"])
  func `an English locale selects English`(_ locale: String) {
    #expect(Language(locale: locale) == .english)
  }

  @Test(arguments: [
    "", "C", "C.UTF-8", "POSIX", "de_DE", "korean", "k", "ko/../../etc/passwd", "ko\0", "../ko", " ko", "ko\u{0301}",
    "kö",
    "_KR", "\u{1b}[2J", String(repeating: "ko", count: 40), "ko_" + String(repeating: "K", count: 62),
  ])
  func `any other locale selects no language`(_ locale: String) {
    #expect(Language(locale: locale) == nil)
  }

  @Test func `a locale counts as UTF-8 only if its name says so`() {
    for locale in ["ko_KR.UTF-8", "C.UTF-8", "en_GB.utf8", "ko_KR.UTF-8@hanja", ".utf-8"] {
      #expect(Language.hasUTF8(locale: locale), "\(locale)")
    }
    let others = ["", "C", "POSIX", "ko_KR", "ko_KR.EUC-KR", "en_US.ISO-8859-1", "UTF-8", "C.UTF-16", "C.UTF-8x"]
    for locale in others + [String(repeating: "x", count: 64) + ".UTF-8"] {
      #expect(!Language.hasUTF8(locale: locale), "\(locale)")
    }
    #expect(!Language.hasUTF8(locale: nil))
  }

  @Test func `uses the configured language if the locale selects none`() {
    #expect(Language.matching("C", default: .korean) == .korean)
    #expect(Language.matching(nil, default: .korean) == .korean)
    #expect(Language.matching("en_US.UTF-8", default: .korean) == .english)
  }

  @Test func `every cause and every result has its own Korean text`() {
    func isKorean(_ text: String) -> Bool { text.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) } }
    for cause in EndCause.allCases {
      let text = PromptText.cause(cause)
      #expect(isKorean(text.text(in: .korean)) && !isKorean(text.text(in: .english)), "\(cause)")
      #expect(text.nextStep(in: .korean).map(isKorean) ?? true, "\(cause)")
      #expect((text.nextStep(in: .korean) == nil) == (text.nextStep(in: .english) == nil), "\(cause)")
    }
    for result in FidoResult.allListed {
      #expect(isKorean(result.text(in: .korean)) && !isKorean(result.text(in: .english)), "\(result)")
      #expect(result.nextStep(in: .korean).map(isKorean) ?? true, "\(result)")
    }
  }
}
