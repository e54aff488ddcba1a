// Purpose: the rules that a passcode must follow when it is set. Nothing here checks a secret that is being verified.

import FidoResults
import SecretMemory

/// The rules for new passcodes.
public struct PasscodePolicy: Sendable {
  /// How a passcode is entered.
  public var uiType = PasscodeUIType.normal

  /// Fewest characters, under ``PasscodeUIType/normal``.
  public var minimumLength = 6

  /// Most characters, under ``PasscodeUIType/normal``.
  public var maximumLength = 64

  /// Digits only, under ``PasscodeUIType/normal``.
  public var digitsOnly = false

  /// The single expression with the built-in message, under ``PasscodeUIType/normal``.
  public var regularExpression: PasscodeExpression?

  /// The built-in rules that are on, with the administrator's message; nil for the built-in one.
  public var rules: [PasscodeRule: AdministratorText?] = [:]

  /// Texts that no secret may contain.
  public var ignored: [IgnoredText] = []

  /// Expressions that the whole secret must match, each with its message; nil for the built-in one.
  public var expressions: [(expression: PasscodeExpression, message: AdministratorText?)] = []

  /// Makes a policy with the default lengths and no rules.
  public init() {}

  /// The allowed values of `min_length` and `max_length`.
  public static let lengthRange = 4...64

  /// Everything that is wrong with a secret, in the order of the configuration's sections; empty if it may be set.
  ///
  /// Characters are code points of the normalised secret, whether or not the given one was normalised. A secret that
  /// ``PasscodeFormat/normalised(_:)`` refuses has the single problem `format`.
  public func check(_ value: Span<UInt8>) -> [PasscodeProblem] {
    guard let text = NormalisedText(value) else {
      return [.builtIn("format", Self.formProblem(of: value))]
    }
    let characterProblems = text.withPoints { formatProblems($0) + ruleProblems($0) }
    return characterProblems + text.utf8.withBytes { textProblems($0) }
  }

  /// What is wrong with a secret that has no normalised form.
  private static func formProblem(of value: Span<UInt8>) -> RuleText {
    if value.isEmpty { return .empty }
    // An entry above this limit is not searched.
    guard value.count <= PasscodeFormat.maximumEntryByteCount else { return .tooLong }
    return NormalisedText.hasUsableCharacters(value) ? .tooLong : .unusableCharacters
  }

  /// Every rule that is in force, in the order of ``check(_:)``, in the form that can be shown before anything is entered.
  ///
  /// A length limit that holds under every policy is left out. So are the contents of ignored texts and expressions: the
  /// administrator's own text says what people need to know.
  public var requirements: [PasscodeProblem] {
    var rules: [PasscodeProblem] = []
    if uiType == .normal {
      rules.append(.builtIn("min_length", .minimumLength(minimumLength)))
      if maximumLength < Self.lengthRange.upperBound {
        rules.append(.builtIn("max_length", .maximumLength(maximumLength)))
      }
      if digitsOnly { rules.append(.builtIn("digits_only", .digitsOnly)) }
    }
    for rule in PasscodeRule.allCases {
      guard let message = self.rules[rule] else { continue }
      rules.append(PasscodeProblem(key: rule.rawValue, message: message, otherwise: rule.text))
    }
    if uiType == .normal, regularExpression != nil {
      rules.append(.builtIn("regular_expression", .ownForm))
    }
    rules += ignored.map { PasscodeProblem(key: "ignore", message: $0.message, otherwise: .ownExclusions) }
    rules += expressions.map { PasscodeProblem(key: "regex", message: $0.message, otherwise: .ownForm) }
    return rules
  }

  private func formatProblems(_ points: Span<UInt32>) -> [PasscodeProblem] {
    var problems: [PasscodeProblem] = []
    let allDigits = points.indices.allSatisfy { CodePoints.isASCIIDigit(points[$0]) }
    if let count = uiType.digitCount {
      if !allDigits || points.count != count { problems.append(.builtIn("ui_type", .exactDigits(count))) }
      return problems
    }
    if points.count < minimumLength { problems.append(.builtIn("min_length", .minimumLength(minimumLength))) }
    if points.count > maximumLength { problems.append(.builtIn("max_length", .maximumLength(maximumLength))) }
    if digitsOnly, !allDigits { problems.append(.builtIn("digits_only", .digitsOnly)) }
    return problems
  }

  private func ruleProblems(_ points: Span<UInt32>) -> [PasscodeProblem] {
    PasscodeRule.allCases.compactMap { rule in
      guard let message = rules[rule], rule.refuses(points) else { return nil }
      return PasscodeProblem(key: rule.rawValue, message: message, otherwise: rule.text)
    }
  }

  private func textProblems(_ value: Span<UInt8>) -> [PasscodeProblem] {
    var problems: [PasscodeProblem] = []
    if uiType == .normal, let regularExpression, !regularExpression.matches(value) {
      problems.append(.builtIn("regular_expression", .regularExpression))
    }
    for entry in ignored where entry.isContained(in: value) {
      problems.append(PasscodeProblem(key: "ignore", message: entry.message, otherwise: .ignored))
    }
    for (expression, message) in expressions where !expression.matches(value) {
      problems.append(PasscodeProblem(key: "regex", message: message, otherwise: .regularExpression))
    }
    return problems
  }
}

extension PasscodeRule {
  fileprivate var text: RuleText {
    switch self {
    case .equalCharacter: .equalCharacter
    case .ascendingDescending: .ascendingDescending
    case .twoCharacterRepeat: .twoCharacterRepeat
    case .twoEqualCharacterRepeat: .twoEqualCharacterRepeat
    case .notNumberEnglish: .notNumberEnglish
    }
  }
}

extension PasscodeProblem {
  fileprivate static func builtIn(_ key: String, _ text: RuleText) -> PasscodeProblem {
    PasscodeProblem(key: key, wording: .builtIn(text))
  }

  fileprivate init(key: String, message: AdministratorText?, otherwise text: RuleText) {
    self.init(key: key, wording: message.map { .administrator($0, otherwise: text) } ?? .builtIn(text))
  }
}

/// A built-in rule for new passcodes, by its key in `[passcode.rules]`.
///
/// Letters are compared without regard to case.
public enum PasscodeRule: String, CaseIterable, Sendable {
  /// Two or more characters, all equal.
  case equalCharacter = "equal_character"
  /// Three or more, every step +1 or every step -1, all ASCII digits or all ASCII letters, without wrapping.
  case ascendingDescending = "ascending_descending"
  /// Four or more, each equal to the one two positions before it; the first two differ.
  case twoCharacterRepeat = "two_character_repeat"
  /// An even number of characters, four or more, in pairs of equal characters.
  case twoEqualCharacterRepeat = "two_equal_character_repeat"
  /// Any character but ASCII digits and letters.
  case notNumberEnglish = "not_number_english"

  /// Whether the secret breaks the rule.
  func refuses(_ points: Span<UInt32>) -> Bool {
    let count = points.count
    func same(_ left: Int, _ right: Int) -> Bool {
      CodePoints.folded(points[left]) == CodePoints.folded(points[right])
    }
    switch self {
    case .equalCharacter:
      return count >= 2 && (1..<count).allSatisfy { same($0, 0) }
    case .ascendingDescending:
      return Self.isRun(points)
    case .twoCharacterRepeat:
      return count >= 4 && !same(0, 1) && (2..<count).allSatisfy { same($0, $0 - 2) }
    case .twoEqualCharacterRepeat:
      return count >= 4 && count % 2 == 0 && stride(from: 0, to: count, by: 2).allSatisfy { same($0, $0 + 1) }
    case .notNumberEnglish:
      return !points.indices.allSatisfy { CodePoints.isASCIIDigit(points[$0]) || CodePoints.isASCIILetter(points[$0]) }
    }
  }

  private static func isRun(_ points: Span<UInt32>) -> Bool {
    guard points.count >= 3 else { return false }
    let allDigits = points.indices.allSatisfy { CodePoints.isASCIIDigit(points[$0]) }
    guard allDigits || points.indices.allSatisfy({ CodePoints.isASCIILetter(points[$0]) }) else { return false }
    func steps(_ first: Int, _ second: Int) -> Bool {
      (1..<points.count).allSatisfy {
        CodePoints.folded(points[$0 - first]) + 1 == CodePoints.folded(points[$0 - second])
      }
    }
    return steps(1, 0) || steps(0, 1)
  }
}

/// One reason why a secret must not be set.
///
/// It contains no part of the secret.
public struct PasscodeProblem: Equatable, Sendable {
  /// The message about a problem.
  public enum Wording: Equatable, Sendable {
    /// The built-in message, in the person's language.
    case builtIn(RuleText)
    /// The administrator's message, or the built-in one in a language without an administrator's message.
    case administrator(AdministratorText, otherwise: RuleText)
  }

  /// The configuration key of the rule: `min_length`, `equal_character`, `ignore`, `regex` and so on.
  public let key: String

  /// The message about it.
  public let wording: Wording

  /// Makes a problem.
  public init(key: String, wording: Wording) {
    self.key = key
    self.wording = wording
  }

  /// The text for the person.
  public func message(in language: Language) -> String {
    switch wording {
    case .builtIn(let rule): rule.text(in: language)
    case .administrator(let text, let rule): text.text(in: language) ?? rule.text(in: language)
    }
  }
}
