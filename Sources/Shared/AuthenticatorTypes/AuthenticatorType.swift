// Purpose: what the types of authenticators are, with the rules of what people enter. No files. It must not import
// Authenticator: the server uses this target too, for the types' metadata and to compile the expressions of a policy for
// workstations.

import FidoResults
import SecretMemory

/// A type of authenticator: everything that distinguishes it from the others, in one value.
///
/// Code that has to decide by type reads one of these properties. All types are in ``allCases``. Those
/// without a ``sensor`` are opened by a secret that a person types, which ``entry`` describes.
public struct AuthenticatorType: Sendable {
  /// The name that configuration, records and people use for it; ASCII small letters.
  ///
  /// It is part of the seal of every key of this type, so it never changes.
  public let rawValue: String
  /// The AAID, which is different for each type (UAF protocol: `HHHH#HHHH`).
  ///
  /// It is part of the seal of every key of this type, so it never changes.
  public let aaid: String
  /// The AAGUID of WebAuthn: 16 bytes as hex digits in five groups, different for each type.
  ///
  /// Servers show it and may require it, so it never changes.
  public let aaguid: String
  /// Its single `USER_VERIFY` bit (FIDO registry, user verification methods).
  public let userVerification: UInt32
  /// How hard an entry is to guess, for the metadata statement.
  public let accuracy: VerificationAccuracy
  /// What texts for people call its secret.
  ///
  /// The English word is also the name that `uafctl` takes, so it equals ``rawValue``.
  public let kind: ValueKind
  /// How a person enters its secret, and which part of an entry counts.
  public let entry: TypedEntry
  /// The rules for entries if root has configured nothing.
  public let defaultRules: @Sendable () -> any EntryRules
  /// When local wrong entries lock it if root has configured nothing.
  public let defaultLock: LockPolicy
  /// Whether it can be used if root does not list the types.
  public let isEnabledByDefault: Bool
  /// The machine's sensor that identifies the person; nil if the person types a secret.
  public var sensor: SensorKind?

  /// Whether a person types its secret.
  public var isTyped: Bool { sensor == nil }
}

extension AuthenticatorType: Hashable {
  /// Whether both are the same type; no two types share a name.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// What root requires of the entries of one type.
public protocol EntryRules: Sendable {
  /// What is wrong with a new secret, one line for each reason; empty if it may be set.
  func objections(to value: borrowing Secret, in language: Language) -> [String]

  /// The requirements for a new secret, one line for each rule; shown before one is entered.
  func requirements(in language: Language) -> [String]

  /// The text for an entry without the required form; nil if it has that form.
  ///
  /// Such an entry is neither checked nor counted, so the answer depends only on the configuration.
  func formRefusal(of entry: borrowing Secret) -> PromptText?

  /// How many digits every entry has, which the prompt says; nil if that is not fixed.
  var digitCount: Int? { get }

  /// After how many characters an entry is complete; nil if that is not fixed.
  var completeLength: Int? { get }

  /// Whether digits are entered with a keypad that is shuffled for each attempt.
  var usesShuffledKeypad: Bool { get }
}

/// The rules of a type without a typed secret: there are none.
struct UntypedEntryRules: EntryRules {
  /// There is no typed secret that a rule could check.
  func objections(to value: borrowing Secret, in language: Language) -> [String] { [] }

  func requirements(in language: Language) -> [String] { [] }

  func formRefusal(of entry: borrowing Secret) -> PromptText? { nil }

  var digitCount: Int? { nil }

  var completeLength: Int? { nil }

  var usesShuffledKeypad: Bool { false }
}

/// How a person types the secret of a type, and which part of an entry counts.
public struct TypedEntry: Sendable {
  /// The check that a prompt for the secret names (docs/protocol.md, *prompt*); at most 32 bytes of ASCII.
  ///
  /// Front ends use it to choose how to ask. A new name needs front ends that know it.
  public let check: String
  /// The lines above the prompt that explain an entry; empty if there is nothing to explain.
  public let legend: [String]
  /// The legend in words, for screen readers; nil if there is nothing to explain.
  public let spokenLegend: PromptText?
  /// The one form of an entry that is sealed and compared; nil for an entry that could never have been set.
  public let canonical: @Sendable (borrowing Secret) -> Secret?

  /// The check for a plain line of text, which every front end can ask for.
  ///
  /// It is also used if a prompt must not show the type.
  public static let plainCheck = "passcode"

  /// The entry of a type whose secret nobody types: no entry is ever right.
  static let none = TypedEntry(check: plainCheck, legend: [], spokenLegend: nil, canonical: { _ in nil })
}

/// How hard an entry is to guess, as in the FIDO metadata statement.
///
/// The figures are for the weakest entry that the configuration allows. The statement adds the limits of the lock, which all
/// types share.
public enum VerificationAccuracy: Equatable, Sendable {
  /// A text (metadata statement, CodeAccuracyDescriptor).
  ///
  /// - Parameters:
  ///   - base: the number of characters to choose from.
  ///   - minimumLength: the fewest characters of a secret.
  case code(base: UInt16, minimumLength: UInt16)
  /// A pattern (metadata statement, PatternAccuracyDescriptor).
  ///
  /// - Parameter minimumComplexity: the number of patterns with the fewest nodes.
  case pattern(minimumComplexity: UInt32)
  /// Nothing is typed: only the sensor's maker can state its accuracy.
  case unstated
}
