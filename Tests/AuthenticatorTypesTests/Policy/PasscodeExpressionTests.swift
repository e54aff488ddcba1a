import Testing

@testable import AuthenticatorTypes

@Suite struct PasscodeExpressionTests {
  private func matches(_ pattern: String, _ value: String) throws -> Bool {
    try PasscodeExpression(pattern).accepts(value)
  }

  /// The five expressions of the documentation, each with passcodes that only it accepts or refuses.
  private static let examples: [(pattern: String, accepted: [String], refused: [String])] = [
    (
      #"^(?=.*[A-Za-z])(?=.*\d)(?=.*[$@!%*#?&])[A-Za-z\d$@!%*#?&]{8,}$"#,
      ["abcdef1!", "A#345678"], ["abcdefg1", "abcdef!!", "1234567!", "abcde1!", "abcdef1! ", "abcdef1!한"]
    ),
    (
      #"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[a-zA-Z\d]{8,}$"#,
      ["Abcdefg1"], ["Abcdef1!", "abcdefg1", "ABCDEFG1", "Abcdefgh", "Abcdef1"]
    ),
    (
      #"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[$@!%*?&])[A-Za-z\d$@!%*?&]{8,}"#,
      ["Abcdef1!"], ["Abcdef1#", "ABCDEF1!", "Abcdef1!한글", "Abcdef1!#", "xAbcdef1"]
    ),
    (#"^(?!.*(\d)\1\1)[\d]{0,}$"#, ["1122", "1212", ""], ["1112", "0111", "11a", "1112223"]),
    (
      #"^(?!.*(012))(?!.*(123))(?!.*(234))(?!.*(345))(?!.*(456))(?!.*(567))(?!.*(678))(?!.*(789))[\d]{0,}$"#,
      ["3210", "8901", "135"], ["0123", "9123", "6789", "a135"]
    ),
  ]

  @Test(arguments: examples.indices) func `the documentation's expressions accept and refuse what it says`(_ index: Int)
    throws
  {
    let example = Self.examples[index]
    for value in example.accepted { #expect(try matches(example.pattern, value), "\(value)") }
    for value in example.refused { #expect(try !matches(example.pattern, value), "\(value)") }
  }

  @Test func `an expression must match the whole passcode`() throws {
    #expect(try matches("abc", "abc"))
    #expect(try !matches("abc", "xabc") && !matches("abc", "abcx") && !matches("abc|x", "abcd"))
    #expect(try matches("a|ab", "ab"), "an alternative that ends early is not the last word")
  }

  @Test func `in an expression a dollar sign matches only at the very end, not before a final line end`() throws {
    #expect(try matches("abc$", "abc") && !matches("abc$", "abc\n") && !matches(#"abc$\n"#, "abc\n"))
    #expect(try !matches("(?m)abc$", "abc\n"))
  }

  @Test func `in an expression a dot matches one character, not one byte`() throws {
    #expect(try matches(".", "한") && matches("..", "é1") && !matches("..", "한"))
    #expect(try matches("[가-힣]{2}", "한글"))
  }

  @Test(arguments: ["\u{661}", "\u{967}", "１"])
  func `in an expression a digit is one of 0 to 9, and no digit of another script`(_ digit: String) throws {
    #expect(try !matches(#"\d"#, digit))
    #expect(throws: PasscodeExpressionError.self) { try PasscodeExpression(#"(*UCP)\d"#) }
  }

  @Test(arguments: [
    ("a(b", 3), ("a[", 2), ("(?<=a+)b", 0), ("a|*", 2), (")", 0), (#"\C"#, nil), ("(?(9)a)", nil), ("\\", nil),
  ])
  func `refuses an expression that does not compile, and names the position of the error`(
    _ pattern: String, _ offset: Int?
  ) {
    do throws(PasscodeExpressionError) {
      let expression = try PasscodeExpression(pattern)
      Issue.record("\(expression.pattern) compiled")
    } catch {
      guard case .doesNotCompile(let found, let reason) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(!reason.isEmpty)
      if let offset { #expect(found == offset) }
      #expect(error.description.contains("position \(found)"))
    }
  }

  @Test func `refuses an empty expression, but accepts one that matches the empty text`() {
    #expect(throws: PasscodeExpressionError.empty) { try PasscodeExpression("") }
    #expect(throws: Never.self) { try PasscodeExpression("a*") }
  }

  @Test func `refuses an expression that is too long, or too large once compiled`() {
    #expect(throws: PasscodeExpressionError.tooLarge) { try PasscodeExpression(String(repeating: "a", count: 4097)) }
    #expect(throws: PasscodeExpressionError.self) { try PasscodeExpression("(((a{99}){99}){99})") }
    #expect(throws: PasscodeExpressionError.self) { try PasscodeExpression(String(repeating: "(", count: 4000)) }
    #expect(throws: Never.self) { try PasscodeExpression(String(repeating: "a", count: 4096)) }
  }

  @Test func `refuses an expression that compiles to more than 64 KiB`() {
    // PCRE2 itself refuses expressions a little above 64 KiB; our limit must refuse them earlier.
    let refusals = (0..<600).compactMap { count -> PasscodeExpressionError? in
      do throws(PasscodeExpressionError) {
        _ = try PasscodeExpression("(?:abcdefghijklmnop){1700}" + String(repeating: "a", count: count))
        return nil
      } catch {
        return error
      }
    }
    #expect(refusals.contains(.tooLarge))
  }

  @Test(arguments: [
    "^(a+)+$", "(a|aa)+", "(a*)*b", "(.*)(.*)(.*)(.*)(.*)(.*)x", "((a|a)*)*y", "(?:a?){64}a{64}", "(?R)?a|(a(?1)?)+z",
    "^(([a-z])+.)+[A-Z]([a-z])+$", #"(a*)*\1b"#, "(?=(a+)+$)a*b", "(?>(a|a?)+)+c", "(a|b|ab|aa|aaa)*d",
    "(?:(?:a{1,64}){1,64})+e",
  ])
  func `an expression with explosive backtracking stops at its limits`(_ pattern: String) throws {
    for count in [63, 255] {
      #expect(try !matches(pattern, String(repeating: "a", count: count) + "!"))
    }
  }

  @Test func `if matching reaches a limit, the passcode is refused`() throws {
    // The expression matches, but in more steps than the limit allows. Inline options can lower the limit, but not raise it.
    let value = String(repeating: "a", count: 60)
    #expect(try matches("(a+)+", value))
    #expect(try !matches("(*LIMIT_MATCH=1)(a+)+", value))
    #expect(try !matches("(*LIMIT_MATCH=4000000000)(*LIMIT_DEPTH=4000000000)^(a+)+b|a{60}", value))
  }

  @Test func `one compiled expression checks many passcodes, including empty ones`() throws {
    let expression = try PasscodeExpression("[a-c]*")
    for round in 0..<1000 {
      #expect(
        expression.accepts("abc") && !expression.accepts([UInt8(ascii: "d"), UInt8(round % 128)]))
    }
    #expect(expression.accepts(""))
  }

  @Test func `no expression matches bytes that are not UTF-8`() throws {
    let expression = try PasscodeExpression(".*")
    for bytes: [UInt8] in [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0x61, 0xe2, 0x82]] {
      #expect(!expression.accepts(bytes))
    }
  }
}
