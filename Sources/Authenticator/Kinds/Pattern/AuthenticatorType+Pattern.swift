import FidoResults

extension AuthenticatorType {
  /// The pattern: a stroke over the 3x3 grid.
  public static let pattern = AuthenticatorType(
    rawValue: "pattern", aaid: "5541#0002", userVerification: 0x80,
    // The weakest that can be configured: the fewest nodes.
    accuracy: .pattern(minimumComplexity: Pattern.shortestCount),
    kind: .pattern,
    entry: TypedEntry(
      check: "pattern", legend: ["1 2 3", "4 5 6", "7 8 9"], spokenLegend: .patternKeys,
      canonical: { Pattern.canonical($0) }),
    defaultRules: { PatternEntryRules() }, defaultLock: .localDefault, isEnabledByDefault: true)
}

extension ValueKind {
  /// A pattern.
  public static let pattern = ValueKind(english: "pattern", korean: "패턴")
}
