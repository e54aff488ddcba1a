import ProgramTesting
import AuthenticatorTypes
import FidoResults
import Foundation

/// A random policy, and a second implementation of policies: slow, over strings, and written from the documentation of each
/// key.
struct RandomPolicy {
  let policy: PasscodePolicy
  private let minimum: Int
  private let maximum: Int
  private let ignored: [(text: String, message: String?)]
  private let ownForm: Form?
  private let forms: [(form: Form, message: String?)]

  /// An expression, and the check in Swift that means the same.
  struct Form: Sendable {
    let expression: String
    let accepts: @Sendable (String) -> Bool
  }

  private static let forms: [Form] = [
    Form(expression: #"\d*"#) { $0.unicodeScalars.allSatisfy { SlowRules.digits.contains(String($0)) } },
    Form(expression: ".*[a-z].*") { $0.unicodeScalars.contains { SlowRules.letters.contains(String($0)) } },
    Form(expression: "(?!.*한).*") { !$0.unicodeScalars.contains("한") },
    Form(expression: "^.{8,}$") { $0.unicodeScalars.count >= 8 },
    Form(expression: #"^(?!.*(.)\1).*$"#) { text in
      zip(text.unicodeScalars, text.unicodeScalars.dropFirst()).allSatisfy { $0 != $1 }
    },
  ]

  init(using generator: inout SplitMix) throws {
    func message(_ text: String) -> String? { Bool.random(using: &generator) ? text : nil }
    var policy = PasscodePolicy()
    policy.uiType = PasscodeUIType.allCases.randomElement(using: &generator) ?? .normal
    if Int.random(in: 0..<3, using: &generator) > 0 { policy.uiType = .normal }
    maximum = [4, 6, 8, 63, 64].randomElement(using: &generator) ?? 64
    minimum = [4, 5, 6, 8, 64].filter { [maximum] in $0 <= maximum }.randomElement(using: &generator) ?? 4
    policy.minimumLength = minimum
    policy.maximumLength = maximum
    policy.digitsOnly = Int.random(in: 0..<4, using: &generator) == 0
    for rule in PasscodeRule.allCases where Bool.random(using: &generator) {
      policy.rules[rule] = .some(message("no \(rule.rawValue)").map { AdministratorText($0) })
    }
    ignored = ["1", "ab", "é", "e\u{301}1", "한글", "\u{1100}\u{1161}", "aaaa"].filter { _ in
      Int.random(in: 0..<4, using: &generator) == 0
    }.map { ($0, message("no \($0)")) }
    policy.ignored = ignored.compactMap { IgnoredText($0.text, message: $0.message.map { AdministratorText($0) }) }
    ownForm = Int.random(in: 0..<4, using: &generator) == 0 ? Self.forms.randomElement(using: &generator) : nil
    policy.regularExpression = try ownForm.map { try PasscodeExpression($0.expression) }
    forms = Self.forms.filter { _ in Int.random(in: 0..<5, using: &generator) == 0 }.map {
      ($0, message($0.expression))
    }
    policy.expressions = try forms.map {
      (try PasscodeExpression($0.form.expression), $0.message.map { AdministratorText($0) })
    }
    self.policy = policy
  }

  /// Every rule that the passcode breaks, as the rule's key and the administrator's message.
  func problems(_ entry: String) -> [String] {
    let value = entry.precomposedStringWithCanonicalMapping
    let points = value.unicodeScalars
    guard !points.isEmpty, value.utf8.count <= 256 else { return ["format"] }
    var problems: [String] = []
    let isNumber = points.allSatisfy { SlowRules.digits.contains(String($0)) }
    if policy.uiType == .normal {
      if points.count < minimum { problems.append("min_length") }
      if points.count > maximum { problems.append("max_length") }
      if policy.digitsOnly, !isNumber { problems.append("digits_only") }
    } else if !isNumber || points.count != (policy.uiType == .pin4 ? 4 : 6) {
      problems.append("ui_type")
    }
    let order: [PasscodeRule] = [
      .equalCharacter, .ascendingDescending, .twoCharacterRepeat, .twoEqualCharacterRepeat, .notNumberEnglish,
    ]
    for rule in order {
      guard let message = policy.rules[rule], SlowRules.refuses(rule, value) else { continue }
      problems.append(rule.rawValue + (message.flatMap { $0.text(in: .english) }.map { ": \($0)" } ?? ""))
    }
    if policy.uiType == .normal, let ownForm, !ownForm.accepts(value) { problems.append("regular_expression") }
    for (text, message) in ignored {
      let wanted = Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)
      guard points.indices.contains(where: { Array(points[$0...].prefix(wanted.count)) == wanted }) else { continue }
      problems.append("ignore" + (message.map { ": \($0)" } ?? ""))
    }
    for (form, message) in forms where !form.accepts(value) {
      problems.append("regex" + (message.map { ": \($0)" } ?? ""))
    }
    return problems
  }
}
