import Authenticator
import FidoResults

/// `[passcode]` and its tables.
public struct PasscodeSettings: Sendable {
  /// Which digit is entered with which key.
  public enum Keypad: String, CaseIterable, Sendable {
    /// With its own key.
    case plain
    /// With another key each time.
    case shuffled
  }

  /// What a new passcode must be like.
  public internal(set) var policy = PasscodePolicy()
  /// Which digit is entered with which key.
  public internal(set) var keypad = Keypad.plain
  /// Whether a full entry is taken without Enter, on terminals of `uafctl`.
  public internal(set) var autoSubmit = false

  /// What these settings mean for entries.
  var rules: PasscodeEntryRules {
    PasscodeEntryRules(policy: policy, usesShuffledKeypad: keypad == .shuffled, autoSubmit: autoSubmit)
  }

  static var settings: [Setting<PasscodeSettings>] {
    [
      .choice("ui_type", \.policy.uiType),
      .integer("min_length", \.policy.minimumLength, PasscodePolicy.lengthRange),
      .integer("max_length", \.policy.maximumLength, PasscodePolicy.lengthRange),
      .boolean("digits_only", \.policy.digitsOnly),
      Setting(name: "regular_expression") { value, section throws(SettingRefusal) in
        section.policy.regularExpression = try expression(try Setting<PasscodeSettings>.text(value))
      },
      .choice("keypad", \.keypad),
      .boolean("auto_submit", \.autoSubmit),
    ]
  }

  /// `[passcode.rules]`: `true` for the built-in message, a text or one for each language for the
  /// administrator's, `false` for off.
  static var ruleSettings: [Setting<PasscodeSettings>] {
    PasscodeRule.allCases.map { rule in
      Setting(name: rule.rawValue) { value, section throws(SettingRefusal) in
        switch value {
        case .boolean(true): section.policy.rules[rule] = .some(nil)
        case .boolean(false): section.policy.rules[rule] = nil
        default: section.policy.rules[rule] = .some(try message(value, otherwise: ruleWords))
        }
      }
    }
  }

  mutating func ignore(_ text: String, _ value: TOMLNode.Value) throws(SettingRefusal) {
    guard let entry = IgnoredText(text, message: try Self.optionalMessage(value)) else {
      throw SettingRefusal(
        problem: "the key must be a text of 1 to \(PasscodeFormat.maximumByteCount) bytes that a value can contain: no "
          + "control, private-use or unassigned characters (an empty one would refuse every value)")
    }
    policy.ignored.append(entry)
  }

  mutating func require(_ pattern: String, _ value: TOMLNode.Value) throws(SettingRefusal) {
    let message = try Self.optionalMessage(value)
    policy.expressions.append((try Self.expression(pattern), message))
  }

  private static func expression(_ pattern: String) throws(SettingRefusal) -> PasscodeExpression {
    do {
      return try PasscodeExpression(pattern)
    } catch {
      throw SettingRefusal(problem: error.description, isOutOfMemory: error == .outOfMemory)
    }
  }

  private static let ruleWords =
    "must be true, false, or a message: a text of 1 to 200 characters on one line, or one for each language: "
    + "{ en = \"...\", ko = \"...\" }"

  private static let messageWords =
    "must be true for the built-in message, or a message: a text of 1 to 200 characters on one line, or one for each "
    + "language: { en = \"...\", ko = \"...\" }"

  private static func optionalMessage(_ value: TOMLNode.Value) throws(SettingRefusal) -> AdministratorText? {
    if case .boolean(true) = value { return nil }
    return try message(value, otherwise: messageWords)
  }

  private static func message(
    _ value: TOMLNode.Value, otherwise problem: String
  ) throws(SettingRefusal) -> AdministratorText {
    guard let message = AllowedText.messages(value) else { throw SettingRefusal(problem: problem) }
    return message
  }
}
