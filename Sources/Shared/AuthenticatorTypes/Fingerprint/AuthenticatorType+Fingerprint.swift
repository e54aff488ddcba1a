import FidoResults
import SecretMemory

extension AuthenticatorType {
  /// The fingerprint that the machine's fingerprint service compares.
  ///
  /// A match brings no secret: its key is sealed by the device key alone, so nobody but root's configuration enables it.
  public static let fingerprint = AuthenticatorType(
    rawValue: "fingerprint", aaid: "5541#0003", userVerification: 0x02, accuracy: .unstated, kind: .fingerprint,
    // Nothing that is typed is ever right.
    entry: TypedEntry(check: TypedEntry.plainCheck, legend: [], spokenLegend: nil, canonical: { _ in nil }),
    defaultRules: { FingerprintEntryRules() }, defaultLock: .localDefault, isEnabledByDefault: false, isTyped: false)
}

extension ValueKind {
  /// A fingerprint.
  public static let fingerprint = ValueKind(english: "fingerprint", korean: "지문")
}

/// Rules for a type of which nothing is typed.
struct FingerprintEntryRules: EntryRules {
  /// A match stands for a value that no rule looks at.
  func objections(to value: borrowing Secret, in language: Language) -> [String] { [] }

  func requirements(in language: Language) -> [String] { [] }

  func formRefusal(of entry: borrowing Secret) -> PromptText? { nil }

  var digitCount: Int? { nil }

  var completeLength: Int? { nil }

  var usesShuffledKeypad: Bool { false }
}
