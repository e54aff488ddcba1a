import AuthenticatorTypes
import FidoResults

/// `[passcode]` and its tables.
public struct PasscodeSettings: Sendable {
  /// How digits are assigned to keys.
  public enum Keypad: String, CaseIterable, Sendable {
    /// Each digit is entered with its own key.
    case plain
    /// Each digit is entered with a different key each time.
    case shuffled
  }

  /// The rules for a new passcode.
  public internal(set) var policy = PasscodePolicy()
  /// How digits are assigned to keys.
  public internal(set) var keypad = Keypad.plain
  /// Whether a full entry is accepted without Enter, on terminals of `uafctl`.
  public internal(set) var autoSubmit = false

  /// The rules for entries that follow from these settings.
  var rules: PasscodeEntryRules {
    PasscodeEntryRules(policy: policy, usesShuffledKeypad: keypad == .shuffled, autoSubmit: autoSubmit)
  }

  static var settings: [Setting<PasscodeSettings>] {
    [
      .choice("ui_type", \.policy.uiType),
      .integer("min_length", \.policy.minimumLength, PasscodePolicy.lengthRange),
      .integer("max_length", \.policy.maximumLength, PasscodePolicy.lengthRange),
      .boolean("digits_only", \.policy.digitsOnly),
      Setting(name: "regular_expression") { value, section throws(SettingProblem) in
        section.policy.regularExpression = try expression(try Setting<PasscodeSettings>.text(value))
      },
      .choice("keypad", \.keypad),
      .boolean("auto_submit", \.autoSubmit),
    ]
  }

  /// `[passcode.rules]`: `false` turns a rule off, `true` on with the built-in message; a text, or one for each language, is
  /// the message.
  static var ruleSettings: [Setting<PasscodeSettings>] {
    PasscodeRule.allCases.map { rule in
      Setting(name: rule.rawValue) { value, section throws(SettingProblem) in
        switch value {
        case .boolean(true): section.policy.rules[rule] = .some(nil)
        case .boolean(false): section.policy.rules[rule] = nil
        default: section.policy.rules[rule] = .some(try message(value, otherwise: .rule))
        }
      }
    }
  }

  mutating func ignore(_ text: String, _ value: TOMLNode.Value) throws(SettingProblem) {
    guard let entry = IgnoredText(text, message: try Self.optionalMessage(value)) else { throw .ignoredText }
    policy.ignored.append(entry)
  }

  mutating func require(_ pattern: String, _ value: TOMLNode.Value) throws(SettingProblem) {
    let message = try Self.optionalMessage(value)
    policy.expressions.append((try Self.expression(pattern), message))
  }

  private static func expression(_ pattern: String) throws(SettingProblem) -> PasscodeExpression {
    do {
      return try PasscodeExpression(pattern)
    } catch {
      throw .expression(error)
    }
  }

  private static func optionalMessage(_ value: TOMLNode.Value) throws(SettingProblem) -> AdministratorText? {
    if case .boolean(true) = value { return nil }
    return try message(value, otherwise: .refusal)
  }

  private static func message(
    _ value: TOMLNode.Value, otherwise form: SettingForm
  ) throws(SettingProblem) -> AdministratorText {
    guard let message = AllowedText.messages(value) else { throw .form(form) }
    return message
  }
}

/// `[pattern]` and `[pattern.appearance]`.
public struct PatternSettings: Equatable, Sendable {
  /// Fewest nodes of a new pattern.
  public internal(set) var minimumNodes = PatternEntryRules.defaultMinimumNodes
  /// How the grid is drawn.
  public internal(set) var appearance = PatternAppearance()

  /// The rules for entries that follow from these settings.
  var rules: PatternEntryRules { PatternEntryRules(minimumNodes: minimumNodes) }

  static var settings: [Setting<PatternSettings>] { [.integer("min_nodes", \.minimumNodes, Pattern.minimumNodesRange)] }
}

/// `[pattern.appearance]`: how the grid is drawn.
public struct PatternAppearance: Equatable, Sendable {
  /// How thick a line is.
  public enum LineWidth: String, CaseIterable, Sendable {
    /// Thin box-drawing characters.
    case light
    /// Thick ones.
    case heavy
  }

  /// A node; nil for the built-in character.
  public internal(set) var nodeDefault: Character?
  /// A node that is part of the stroke.
  public internal(set) var nodeSelected: Character?
  /// A node of a wrong stroke.
  public internal(set) var nodeMismatch: Character?
  /// A node's width in cells, odd.
  public internal(set) var nodeSize = 1
  /// How thick a line is.
  public internal(set) var lineWidth = LineWidth.light
  /// A line's color, a name or #rrggbb; nil for the terminal's.
  public internal(set) var lineColor: String?
  /// The color of a wrong line.
  public internal(set) var mismatchLineColor: String?

  static var settings: [Setting<PatternAppearance>] {
    [
      .text("node_default", \.nodeDefault, allowed: .character, AllowedText.character),
      .text("node_selected", \.nodeSelected, allowed: .character, AllowedText.character),
      .text("node_mismatch", \.nodeMismatch, allowed: .character, AllowedText.character),
      Setting(name: "node_size") { value, section throws(SettingProblem) in
        guard case .integer(let size) = value, [1, 3, 5, 7].contains(size) else { throw .form(.nodeSize) }
        section.nodeSize = Int(size)
      },
      .choice("line_width", \.lineWidth),
      .text("line_color", \.lineColor, allowed: .color, AllowedText.color),
      .text("mismatch_line_color", \.mismatchLineColor, allowed: .color, AllowedText.color),
    ]
  }
}

/// `[biometric]`: how the machine's sensors are used.
public struct BiometricSettings: Equatable, Sendable {
  /// When the sensor is used.
  public enum Mode: String, CaseIterable, Sendable {
    /// During the prompt for the secret: the touch or the entry is used, whichever comes first.
    case together
    /// Before the prompt for the secret.
    case first
  }

  /// Whether a sensor is offered only if the device key is bound to a chip.
  public internal(set) var requiresChip = true
  /// Whether a change of what a person has enrolled makes the authenticator unusable: a fingerprint until the passcode or
  /// pattern has been entered, a face until it is registered again.
  public internal(set) var isBoundToPrints = true
  /// How many touches or looks that do not match are allowed in one call.
  public internal(set) var maximumTries = 3
  /// How long the sensor waits.
  public internal(set) var timeout = Duration.seconds(30)
  /// When the sensor is used.
  public internal(set) var mode = Mode.together
  /// Whether a login that names a sensor goes on with the passcode or pattern if the sensor gives no match.
  public internal(set) var allowsValueAsFallback = false

  static var settings: [Setting<BiometricSettings>] {
    [
      .boolean("require_tpm", \.requiresChip), .boolean("invalidate_on_new_biometrics", \.isBoundToPrints),
      .integer("max_tries", \.maximumTries, 1...10), .seconds("timeout", \.timeout, 5...120), .choice("mode", \.mode),
      .boolean("allow_value_as_fallback", \.allowsValueAsFallback),
    ]
  }
}

/// `[face]`: the service that compares faces.
public struct FaceSettings: Equatable, Sendable {
  /// Its name on the system bus; nil if there is none.
  public internal(set) var busName: String?
  /// The folder in which it stores what it knows of each person, under the account's name; nil if that is not known.
  public internal(set) var templates: String?
  /// Whether a face can let somebody in without a typed secret.
  public internal(set) var countsAlone = false

  static var settings: [Setting<FaceSettings>] {
    [
      .text("bus_name", \.busName, allowed: .sensorService, AllowedText.sensorService),
      .text("templates", \.templates, allowed: .absolutePath, AllowedText.absolutePath),
      .boolean("alone", \.countsAlone),
    ]
  }
}

/// `[lock]`, `[TYPE.lock]` or `[lock.remote]`: the keys written there; each replaces a default.
struct LockSettings: Equatable, Sendable {
  var retryCountToLock: Int?
  var lockTime: Duration?
  var maxLockCount: Int?
  var rootPermanentLock: Bool?

  func laid(over policy: LockPolicy) -> LockPolicy {
    LockPolicy(
      retryCountToLock: retryCountToLock ?? policy.retryCountToLock, lockTime: lockTime ?? policy.lockTime,
      maxLockCount: maxLockCount ?? policy.maxLockCount, doublesUpTo: policy.doublesUpTo)
  }

  static var settings: [Setting<LockSettings>] {
    [
      .integer("retry_count_to_lock", \.retryCountToLock, LockPolicy.retryCountRange),
      Setting(name: "lock_time") { value, section throws(SettingProblem) in section.lockTime = try duration(value) },
      .integer("max_lock_count", \.maxLockCount, LockPolicy.maxLockCountRange),
    ]
  }

  /// The rows of `[lock]`, the only section that may have the key for root.
  static var settingsWithRoot: [Setting<LockSettings>] {
    settings + [.boolean("root_permanent_lock", \.rootPermanentLock)]
  }

  static let names = settingsWithRoot.map(\.name)

  /// Seconds above zero, whole or decimal; whether they may be below thirty is decided once the server is known.
  private static func duration(_ value: TOMLNode.Value) throws(SettingProblem) -> Duration {
    let seconds: Double? =
      switch value {
      case .integer(let number): Double(number)
      case .float(let number): number
      default: nil
      }
    // Nanoseconds, because a Duration made from a Double has digits that nobody wrote.
    guard let seconds, seconds.isFinite, seconds >= 1e-9, seconds <= 86_400 else { throw .form(.lockTime) }
    return .nanoseconds(Int64((seconds * 1e9).rounded()))
  }
}
