import FidoResults
import SecretMemory

extension AuthenticatorType {
  /// The passcode: a text or a PIN.
  public static let passcode = AuthenticatorType(
    rawValue: "passcode", aaid: "5541#0001", aaguid: "b42d5cb8-3c89-4b7c-bb56-d6dfb1390734", userVerification: 0x04,
    // The weakest passcode that can be configured: a PIN of the shortest length.
    accuracy: .code(base: 10, minimumLength: UInt16(PasscodePolicy.lengthRange.lowerBound)),
    kind: .passcode,
    entry: TypedEntry(
      check: TypedEntry.plainCheck, legend: [], spokenLegend: nil, canonical: { PasscodeFormat.normalised($0) }),
    defaultRules: { PasscodeEntryRules() }, defaultLock: .localDefault, isEnabledByDefault: true)
}

extension ValueKind {
  /// A passcode.
  public static let passcode = ValueKind(english: "passcode", korean: "패스코드")
}

/// What root requires of the entries of passcodes.
public struct PasscodeEntryRules: EntryRules {
  /// The rules for a new passcode.
  public var policy: PasscodePolicy
  /// Whether digits are entered with a keypad that is shuffled for each attempt.
  public var usesShuffledKeypad: Bool
  /// Whether a full entry is accepted without Enter.
  public var autoSubmit: Bool

  /// Makes rules; without arguments those that apply if root has configured nothing.
  public init(policy: PasscodePolicy = PasscodePolicy(), usesShuffledKeypad: Bool = false, autoSubmit: Bool = false) {
    self.policy = policy
    self.usesShuffledKeypad = usesShuffledKeypad
    self.autoSubmit = autoSubmit
  }

  /// One line for each broken rule.
  public func objections(to value: borrowing Secret, in language: Language) -> [String] {
    value.withBytes { policy.check($0) }.map { $0.message(in: language) }
  }

  /// The rules that can be shown before anything is entered.
  ///
  /// The prompt says how many digits a PIN has.
  public func requirements(in language: Language) -> [String] {
    var told: [String] = []
    for line in policy.requirements.map({ $0.message(in: language) }) where !told.contains(line) { told.append(line) }
    return told
  }

  /// A PIN has exactly this many digits; the text for any other entry says so.
  public func formRefusal(of entry: borrowing Secret) -> PromptText? {
    guard let digitCount, !entry.withBytes({ policy.uiType.accepts($0) }) else { return nil }
    return .digitsExpected(digitCount)
  }

  /// The digits of a PIN.
  public var digitCount: Int? { policy.uiType.digitCount }

  /// The number of digits of a PIN, or the most characters of a new text if root has a full entry accepted without Enter.
  public var completeLength: Int? { digitCount ?? (autoSubmit ? policy.maximumLength : nil) }
}

/// The form of every passcode, whatever the policy.
public enum PasscodeFormat {
  /// The longest secret, in bytes of its normalised form: 64 characters of four bytes.
  public static let maximumByteCount = NormalisedText.maximumByteCount

  /// The longest entry that is checked, in bytes: an entry may have four times the bytes of its normalised form.
  public static let maximumEntryByteCount = NormalisedText.maximumEntryByteCount

  /// The entry in Unicode's Normalization Form C: the form that is sealed, compared and checked against the policy.
  ///
  /// Nil if the entry could never have been stored: it is empty or not UTF-8, contains a control, private-use or unassigned
  /// code point, or has more than ``maximumByteCount`` bytes after normalising (also if there is no memory). sshd sends PAM
  /// such bytes for users that it has already refused. Such an entry is refused like a wrong one, but not counted.
  public static func normalised(_ value: borrowing Secret) -> Secret? {
    value.withBytes { bytes in
      guard let text = NormalisedText(bytes) else { return nil }
      return text.utf8
    }
  }
}

/// How a passcode is entered: `ui_type`.
///
/// A secret works under every type: 1111 set under ``pin4`` works under ``normal``.
public enum PasscodeUIType: String, CaseIterable, Sendable {
  /// Text.
  case normal
  /// Exactly four digits.
  case pin4
  /// Exactly six digits.
  case pin6

  /// How many digits an entry has; nil for text.
  public var digitCount: Int? {
    switch self {
    case .normal: nil
    case .pin4: 4
    case .pin6: 6
    }
  }

  /// Whether an entry has this type's format.
  ///
  /// Any other entry is answered with a text about the format, and is neither checked nor counted.
  public func accepts(_ value: Span<UInt8>) -> Bool {
    guard let digitCount else { return true }
    guard value.count == digitCount else { return false }
    for index in value.indices where !(0x30...0x39).contains(value[index]) { return false }
    return true
  }
}
