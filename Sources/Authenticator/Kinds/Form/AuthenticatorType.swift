import FidoResults

/// A type of authenticator: everything that distinguishes it from the others, in one value.
///
/// Code that has to decide by type asks one of these properties. The types that exist are in ``allCases``. All but the
/// fingerprint are opened by a secret that a person types, which ``entry`` describes.
public struct AuthenticatorType: Sendable {
  /// The name that configuration, records and people use for it; ASCII small letters.
  ///
  /// It is part of the seal of every key of this type, so it never changes.
  public let rawValue: String
  /// The model's number, of which each type has its own (UAF protocol, AAID: `HHHH#HHHH`).
  ///
  /// It is part of the seal of every key of this type, so it never changes.
  public let aaid: String
  /// Its one `USER_VERIFY` bit (FIDO registry, user verification methods).
  public let userVerification: UInt32
  /// How hard an entry is to guess, for the metadata statement.
  public let accuracy: VerificationAccuracy
  /// How texts name its secret.
  ///
  /// The English word is also the name that `uafctl` takes, so it equals ``rawValue``.
  public let kind: ValueKind
  /// How a person enters its secret, and what of an entry counts.
  public let entry: TypedEntry
  /// What entries must be like if root has configured nothing.
  public let defaultRules: @Sendable () -> any EntryRules
  /// When local wrong entries lock it if root has configured nothing.
  public let defaultLock: LockPolicy
  /// Whether it can be used if root does not list the types.
  public let isEnabledByDefault: Bool
  /// Whether a person types its secret; false if the machine's sensor says who it is.
  public var isTyped = true
}

extension AuthenticatorType: Hashable {
  /// Whether both are the same type; no two types share a name.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
