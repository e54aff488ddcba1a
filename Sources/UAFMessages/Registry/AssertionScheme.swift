/// Names of assertion encodings.
public enum AssertionScheme {
  /// The TLV encoding of UAF 1.x, the only one here.
  public static let uafV1TLV = "UAFV1TLV"

  /// Bytes an assertion may have (UAF protocol 1.1, section 3.4.2).
  static let counts = 1...4096
}
