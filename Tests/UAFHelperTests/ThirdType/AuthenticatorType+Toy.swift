import FidoResults
import SecretMemory

@testable import AuthenticatorTypes

extension AuthenticatorType {
  /// An authenticator type that exists only in tests: a rhythm of short (.) and long (-) knocks.
  static let toy = AuthenticatorType(
    rawValue: "knock", aaid: "5541#00FF", aaguid: "9ce69772-2152-46b6-90dd-4c54c5d02e09", userVerification: 0x100,
    accuracy: .code(base: 2, minimumLength: 5), kind: ValueKind(english: "knock", korean: "노크"),
    entry: TypedEntry(
      check: TypedEntry.plainCheck, legend: ["short: .  long: -"], spokenLegend: nil,
      canonical: { Knocks.canonical($0) }),
    defaultRules: { KnockRules() },
    defaultLock: LockPolicy(retryCountToLock: 2, lockTime: .seconds(90), maxLockCount: nil), isEnabledByDefault: false)
}

/// Which entries are rhythms, and the one form in which each is stored.
private enum Knocks {
  /// The knocks without the pauses; nil if the entry has other characters or too few knocks.
  static func canonical(_ entry: borrowing Secret) -> Secret? {
    entry.withBytes { bytes in
      let knocks = bytes.indices.map { bytes[$0] }.filter { $0 != UInt8(ascii: " ") }
      guard knocks.count >= 5, knocks.allSatisfy({ [UInt8(ascii: "."), UInt8(ascii: "-")].contains($0) }) else {
        return nil
      }
      return try? Secret(copying: knocks.span)
    }
  }
}

/// At least five knocks.
private struct KnockRules: EntryRules {
  func objections(to value: borrowing Secret, in language: Language) -> [String] {
    Knocks.canonical(value) == nil ? ["Knock five times or more."] : []
  }

  func requirements(in language: Language) -> [String] { ["Knock five times or more."] }

  func formRefusal(of entry: borrowing Secret) -> PromptText? { nil }

  var digitCount: Int? { nil }

  var completeLength: Int? { nil }

  var usesShuffledKeypad: Bool { false }
}
