import FidoResults
import Testing

@Suite struct RuleTextTests {
  private static let rules: [RuleText] = [
    .minimumLength(6), .maximumLength(64), .exactDigits(4), .empty, .tooLong, .unusableCharacters, .digitsOnly,
    .equalCharacter,
    .ascendingDescending, .minimumNodes(5), .nodesOnly, .nodeTwice,
    .twoCharacterRepeat, .twoEqualCharacterRepeat, .notNumberEnglish, .regularExpression, .ignored,
  ]

  @Test(arguments: Language.allCases) func `every passcode rule has its own message`(_ language: Language) {
    let texts = Self.rules.map { $0.text(in: language) }
    #expect(!texts.contains("") && Set(texts).count == texts.count)
  }

  @Test func `the messages in both languages name the required length`() {
    for language in Language.allCases { #expect(RuleText.minimumLength(6).text(in: language).contains("6")) }
  }
}
