import FidoResults
import Testing

@testable import AuthenticatorTypes

@Suite struct PasscodePolicyTests {
  @Test func `without further rules a passcode may have 6 to 64 characters`() {
    let policy = PasscodePolicy()
    #expect(policy.keys("abc12") == ["min_length"] && policy.keys("abc123") == [])
    #expect(policy.keys(String(repeating: "한", count: 64)) == [])
    #expect(policy.keys(String(repeating: "x", count: 65)) == ["max_length"])
    #expect(policy.keys("한글한글한") == ["min_length"], "characters count, not bytes")
  }

  @Test func `for a passcode that cannot be stored, reports nothing but its format`() {
    var policy = PasscodePolicy()
    policy.digitsOnly = true
    for value in ["", "abc\u{1b}def", String(repeating: "한", count: 90)] { #expect(policy.keys(value) == ["format"]) }
    #expect(policy.problems([0xff, 0xfe]).map(\.key) == ["format"])
  }

  @Test func `a PIN has its own length, and the length and expression for other passcodes do not apply to it`() throws {
    var policy = PasscodePolicy()
    policy.uiType = .pin4
    policy.minimumLength = 10
    policy.regularExpression = try PasscodeExpression("[a-z]+")
    #expect(policy.keys("1357") == [])
    for value in ["135", "13579", "135a", "abcdefghij"] { #expect(policy.keys(value) == ["ui_type"], "\(value)") }
    policy.uiType = .pin6
    #expect(policy.keys("135792") == [] && policy.keys("1357") == ["ui_type"])
  }

  @Test func `rules, ignored texts and expressions apply to PINs too`() throws {
    var policy = PasscodePolicy()
    policy.uiType = .pin4
    policy.rules = [.equalCharacter: nil]
    policy.ignored = [try #require(IgnoredText("19", message: nil))]
    policy.expressions = [(try PasscodeExpression(#"(?!0).*"#), nil)]
    #expect(policy.keys("1111") == ["equal_character"] && policy.keys("2195") == ["ignore"])
    #expect(policy.keys("0246") == ["regex"] && policy.keys("2468") == [])
  }

  @Test func `reports all broken rules together, in the order of the configuration's sections`() throws {
    var policy = PasscodePolicy()
    policy.digitsOnly = true
    policy.regularExpression = try PasscodeExpression("x.*")
    for rule in PasscodeRule.allCases { policy.rules[rule] = .some(nil) }
    policy.ignored = [try #require(IgnoredText("aa", message: "not aa"))]
    policy.expressions = [(try PasscodeExpression("b+"), "only b"), (try PasscodeExpression("a+!?"), nil)]
    #expect(
      policy.keys("aaaa") == [
        "min_length", "digits_only", "equal_character", "two_equal_character_repeat", "regular_expression", "ignore",
        "regex",
      ])
    let messages = policy.problems("aaaa").map { $0.message(in: .english) }
    #expect(messages.suffix(2) == ["not aa", "only b"])
    #expect(
      policy.keys("abc") == [
        "min_length", "digits_only", "ascending_descending", "regular_expression", "regex", "regex",
      ])
  }

  @Test func `the administrator's message for a rule replaces the built-in one, without its control characters`() {
    var policy = PasscodePolicy()
    policy.rules = [.equalCharacter: "Not \u{1b}that.", .ascendingDescending: nil]
    #expect(policy.problems("111111").map { $0.message(in: .korean) } == ["Not that."])
    let run = policy.problems("123456")
    #expect(run.map { $0.message(in: .english) } == [RuleText.ascendingDescending.text(in: .english)])
    #expect(run.map { $0.message(in: .korean) } == [RuleText.ascendingDescending.text(in: .korean)])
  }

  @Test func `a rule that is switched off refuses nothing`() {
    #expect(PasscodePolicy().keys("111111") == [] && PasscodePolicy().keys("123456") == [])
  }

  @Test func `finds an ignored text anywhere in the passcode, in the same case`() throws {
    var policy = PasscodePolicy()
    policy.ignored = [try #require(IgnoredText("acme", message: nil)), try #require(IgnoredText("한글", message: nil))]
    for value in ["acme123", "my acme", "xacmex", "123한글"] {
      #expect(policy.keys(value).contains("ignore"), "\(value)")
    }
    for value in ["ACME123", "acm123e", "한1글한"] { #expect(!policy.keys(value).contains("ignore"), "\(value)") }
    #expect(IgnoredText("", message: nil) == nil)
  }

  @Test func `compares an ignored text and a passcode in the same Unicode form`() throws {
    var policy = PasscodePolicy()
    for text in ["cafe\u{301}", "글"] { policy.ignored.append(try #require(IgnoredText(text, message: nil))) }
    for value in ["my caf\u{e9}", "my cafe\u{301}", "12345\u{1100}\u{1173}\u{11af}"] {
      #expect(policy.keys(value) == ["ignore"])
    }
    #expect(policy.keys("my cafes") == [], "a bare e is another letter")
  }

  @Test func `refuses to configure an ignored text that no passcode can contain`() {
    for text in ["a\nb", "\u{e000}", "\u{378}", String(repeating: "x", count: 257)] {
      #expect(IgnoredText(text, message: nil) == nil)
    }
    #expect(IgnoredText(String(repeating: "x", count: 256), message: nil) != nil)
  }

  @Test func `the length limits count code points of the normalised passcode`() {
    let policy = PasscodePolicy()
    #expect(policy.keys(String(repeating: "e\u{301}", count: 5)) == ["min_length"], "ten are entered, five count")
    #expect(policy.keys(String(repeating: "e\u{301}", count: 64)) == [])
    #expect(policy.keys(String(repeating: "\u{1100}\u{1161}", count: 65)) == ["max_length"])
    #expect(policy.keys("\u{958}\u{958}\u{958}") == [], "each counts as the two it is stored as")
  }

  @Test func `rules check the normalised passcode`() {
    var policy = PasscodePolicy()
    policy.rules = [.equalCharacter: nil]
    #expect(policy.keys("\u{e9}e\u{301}\u{c9}E\u{301}\u{e9}e\u{301}") == ["equal_character"])
  }

  @Test func `the report of a broken rule contains no part of the passcode`() {
    var policy = PasscodePolicy()
    for rule in PasscodeRule.allCases { policy.rules[rule] = .some(nil) }
    let problems = policy.problems("q!q!")
    #expect(problems.count == 3)
    for problem in problems { #expect(!"\(problem)".contains("q!") && !problem.message(in: .english).contains("q!")) }
  }
}
