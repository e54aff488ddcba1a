import FidoResults

extension AuthenticatorType {
  /// The fingerprint that the machine's fingerprint service compares.
  ///
  /// A match yields no secret, so the key is sealed with the device key alone. The type is off until root's configuration
  /// enables it.
  public static let fingerprint = AuthenticatorType(
    rawValue: "fingerprint", aaid: "5541#0003", aaguid: "124179a1-27cb-4a29-ad68-9e11b188b0fc", userVerification: 0x02,
    accuracy: .unstated, kind: .fingerprint, entry: .none, defaultRules: { UntypedEntryRules() },
    defaultLock: .localDefault, isEnabledByDefault: false, sensor: .finger)
}

extension ValueKind {
  /// A fingerprint.
  public static let fingerprint = ValueKind(english: "fingerprint", korean: "지문")
}
