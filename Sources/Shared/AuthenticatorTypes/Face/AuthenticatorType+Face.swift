import FidoResults

extension AuthenticatorType {
  /// The face that a face service of the machine compares.
  ///
  /// A match yields no secret, so the key is sealed with the device key alone. The type is off until root's configuration
  /// enables it, and is used together with a typed secret unless root says otherwise.
  public static let face = AuthenticatorType(
    rawValue: "face", aaid: "5541#0004", aaguid: "754ba162-e6f5-4cf3-8f0a-35800c8c0304", userVerification: 0x10,
    accuracy: .unstated, kind: .face, entry: .none, defaultRules: { UntypedEntryRules() },
    defaultLock: .localDefault, isEnabledByDefault: false, sensor: .camera)
}

extension ValueKind {
  /// A face.
  public static let face = ValueKind(english: "face", korean: "얼굴")
}
