import FidoResults
import SecretMemory

extension AuthenticatorType {
  /// The fingerprint that the machine's fingerprint service compares.
  ///
  /// A match yields no secret, so the key is sealed with the device key alone. The type is off until root's configuration
  /// enables it.
  public static let fingerprint = AuthenticatorType(
    rawValue: "fingerprint", aaid: "5541#0003", aaguid: "124179a1-27cb-4a29-ad68-9e11b188b0fc", userVerification: 0x02,
    accuracy: .unstated, kind: .fingerprint,
    // No typed entry is ever right.
    entry: TypedEntry(check: TypedEntry.plainCheck, legend: [], spokenLegend: nil, canonical: { _ in nil }),
    defaultRules: { FingerprintEntryRules() }, defaultLock: .localDefault, isEnabledByDefault: false, isTyped: false)
}

extension ValueKind {
  /// A fingerprint.
  public static let fingerprint = ValueKind(english: "fingerprint", korean: "지문")
}

/// The rules of a type without a typed secret: there are none.
struct FingerprintEntryRules: EntryRules {
  /// There is no typed secret that a rule could check.
  func objections(to value: borrowing Secret, in language: Language) -> [String] { [] }

  func requirements(in language: Language) -> [String] { [] }

  func formRefusal(of entry: borrowing Secret) -> PromptText? { nil }

  var digitCount: Int? { nil }

  var completeLength: Int? { nil }

  var usesShuffledKeypad: Bool { false }
}
