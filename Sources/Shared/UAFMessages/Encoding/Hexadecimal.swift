/// Bytes as hexadecimal digits: hashes, and what is named by them.
public enum Hexadecimal {
  /// Two lower-case digits for each byte.
  public static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
