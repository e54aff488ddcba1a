import ProgramTesting
import FidoResults
import Testing

@testable import AuthenticatorTypes

/// Random passcodes under random policies: the result must be that of a slow second implementation of every key.
@Suite struct PasscodePolicyPropertyTests {
  private static let alphabets = [
    "0123456789", "01", "abcABC", "aA", "a1", "!@ ~_", "한글가나다", "\u{1100}\u{1161}\u{11a8}", "e\u{301}é1", "한a1",
  ].map { Array($0.unicodeScalars) }

  private static let lengths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 64, 65, 85, 86, 128, 129, 256, 257]

  private func value(using generator: inout SplitMix) -> String {
    let alphabet = Self.alphabets.randomElement(using: &generator) ?? ["a"]
    let limit = Int.random(in: 0..<3, using: &generator) == 0 ? Self.lengths.count : 10
    let count = Self.lengths[Int.random(in: 0..<limit, using: &generator)]
    var text = String.UnicodeScalarView()
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      // A run of characters, or one or two characters repeated.
      let pair = (0..<Int.random(in: 1...2, using: &generator)).map { _ in alphabet.randomElement(using: &generator) }
      for index in 0..<count { text.append(pair[index % pair.count] ?? "a") }
    case 1:
      let start = UInt32.random(in: 0x2c...0x7a, using: &generator)
      let step: Int32 = Bool.random(using: &generator) ? 1 : -1
      for index in 0..<Int32(min(count, 12)) {
        let point = Int32(start) + index * step
        text.append(Unicode.Scalar(UInt32(clamping: max(0x20, min(0x7e, point)))) ?? "a")
      }
    default:
      for _ in 0..<count { text.append(alphabet.randomElement(using: &generator) ?? "a") }
    }
    return String(text)
  }

  private func told(_ problem: PasscodeProblem) -> String {
    switch problem.wording {
    case .builtIn: problem.key
    case .administrator: "\(problem.key): \(problem.message(in: .english))"
    }
  }

  @Test func `reports exactly the rules that a passcode breaks, in order and with the right messages`() throws {
    var generator = SplitMix(state: 0xacce97)
    var seen: [String: Int] = [:]
    var accepted = 0
    for round in 0..<400 {
      let random = try RandomPolicy(using: &generator)
      for _ in 0..<50 {
        let value = value(using: &generator)
        let problems = random.policy.problems(value).map(told)
        let expected = random.problems(value)
        if problems != expected { Issue.record("round \(round), \(value.debugDescription): \(problems), \(expected)") }
        for problem in problems { seen[String(problem.prefix { $0 != ":" }), default: 0] += 1 }
        accepted += problems.isEmpty ? 1 : 0
      }
    }
    let keys = [
      "format", "ui_type", "min_length", "max_length", "digits_only", "regular_expression", "ignore", "regex",
    ]
    for key in keys + PasscodeRule.allCases.map(\.rawValue) { #expect(seen[key] ?? 0 > 50, "\(key)") }
    #expect(accepted > 500)
  }
}
