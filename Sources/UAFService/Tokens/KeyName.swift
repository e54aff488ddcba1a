/// Names by which administrators tell keys apart.
enum KeyName {
  /// The bytes of a key's hash as hexadecimal digits.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
