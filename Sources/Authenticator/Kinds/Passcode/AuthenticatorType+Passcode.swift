import FidoResults

extension AuthenticatorType {
  /// The passcode: a text or a PIN.
  public static let passcode = AuthenticatorType(
    rawValue: "passcode", aaid: "5541#0001", userVerification: 0x04,
    // The weakest that can be configured: a PIN, so digits, of the shortest length.
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
