import ProgramTesting
import Testing

@testable import AuthenticatorTypes

@Suite struct PasscodeRuleTests {
  private func refuses(_ rule: PasscodeRule, _ value: String) -> Bool {
    let points = value.unicodeScalars.map(\.value)
    return rule.refuses(points.span)
  }

  @Test(arguments: [
    (PasscodeRule.equalCharacter, ["11", "111111", "aaaaaa", "aAaA", "!!", "한한", "éÉ"]),
    (.ascendingDescending, ["abc", "cba", "abcdef", "654321", "123", "aBcD", "xyz", "789", "XyZ"]),
    (.twoCharacterRepeat, ["3737", "373737", "37373", "abab", "aBAb", "!?!?", "한글한글"]),
    (.twoEqualCharacterRepeat, ["3355", "335577", "7777", "aabb", "aAbB", "!!??", "한한글글"]),
    (.notNumberEnglish, ["!", "abc 1", "é", "한글", "abc_", "١"]),
  ])
  func `refuses a passcode that the rule forbids`(_ rule: PasscodeRule, _ values: [String]) {
    for value in values { #expect(refuses(rule, value), "\(value)") }
  }

  @Test(arguments: [
    (PasscodeRule.equalCharacter, ["1", "", "112", "aaab", "baaa"]),
    (
      .ascendingDescending,
      [
        "ab", "12", "", "8901", "zab", "1098", "abd", "acb", "1234a", "a12345", "aab", "yz{", "@AB", "/01", "89:",
        "135", "Zab",
      ]
    ),
    (.twoCharacterRepeat, ["373", "37", "", "3773", "7777", "3738", "aaAA", "abcabc"]),
    (.twoEqualCharacterRepeat, ["33", "335", "33557", "", "3553", "1233"]),
    (.notNumberEnglish, ["abcXYZ019", "", "z", "Z", "0", "9"]),
  ])
  func `accepts a passcode that the rule only seems to forbid`(_ rule: PasscodeRule, _ values: [String]) {
    for value in values { #expect(!refuses(rule, value), "\(value)") }
  }

  @Test(arguments: PasscodeRule.allCases) func `each rule gives the same result as a slow second implementation`(
    _ rule: PasscodeRule
  ) {
    var generator = SplitMix(state: 0x5eed)
    let alphabets = [
      "01", "xY", "aA", "abcABC", "0123456789", "é É1a", "abcdefghijklmnopqrstuvwxyz", "한글ab", "89:@AZ[`az{/0",
    ].map(Array.init)
    var refused = 0
    for round in 0..<20_000 {
      let alphabet = alphabets[round % alphabets.count]
      var value = ""
      for _ in 0..<Int.random(in: 0...7, using: &generator) {
        value.append(alphabet.randomElement(using: &generator) ?? "0")
      }
      if round % 5 == 0 { value = run(from: UInt8.random(in: 0x2e...0x7c, using: &generator), using: &generator) }
      #expect(refuses(rule, value) == SlowRules.refuses(rule, value), "\(rule) on \(value)")
      if refuses(rule, value) { refused += 1 }
    }
    #expect(refused > 50 && refused < 19_950, "random values must try both answers")
  }

  private func run(from start: UInt8, using generator: inout SplitMix) -> String {
    let step: Int = Bool.random(using: &generator) ? 1 : -1
    let count = Int.random(in: 2...6, using: &generator)
    return String(decoding: (0..<count).compactMap { UInt8(exactly: Int(start) + $0 * step) }, as: UTF8.self)
  }
}
