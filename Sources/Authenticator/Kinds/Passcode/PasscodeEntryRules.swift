import FidoResults
import SecretMemory

/// What root asks of the entries of passcodes.
public struct PasscodeEntryRules: EntryRules {
  /// What a new passcode must be like.
  public var policy: PasscodePolicy
  /// Whether digits are entered with a keypad that is shuffled for each attempt.
  public var usesShuffledKeypad: Bool
  /// Whether a full entry is taken without Enter.
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

  /// What can be said of the rules before anything is entered.
  ///
  /// The prompt says how many digits a PIN has.
  public func requirements(in language: Language) -> [String] {
    var told: [String] = []
    for line in policy.requirements.map({ $0.message(in: language) }) where !told.contains(line) { told.append(line) }
    return told
  }

  /// A PIN has exactly so many digits; the text for any other entry says so.
  public func formRefusal(of entry: borrowing Secret) -> PromptText? {
    guard let digitCount, !entry.withBytes({ policy.uiType.accepts($0) }) else { return nil }
    return .digitsExpected(digitCount)
  }

  /// The digits of a PIN.
  public var digitCount: Int? { policy.uiType.digitCount }

  /// The digits of a PIN; or, where root has such an entry taken without Enter, the most characters that a new text may have.
  public var completeLength: Int? { digitCount ?? (autoSubmit ? policy.maximumLength : nil) }
}
