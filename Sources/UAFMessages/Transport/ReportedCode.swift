/// The bytes that the codes in a machine's report are over (PROTOCOL.md, "Check-in").
enum ReportedCode {
  /// A text that says what for, a zero byte, the number of the joined machine, numbers (8 each), and texts, each after its
  /// length (4); all big-endian.
  static func bytes(_ use: String, _ machineID: [UInt8], numbers: [Int64], texts: [String]) -> [UInt8] {
    let numbers = numbers.flatMap { Self.bytes(of: UInt64(bitPattern: $0)) }
    let texts = texts.flatMap { text in bytes(of: UInt64(text.utf8.count)).suffix(4) + Array(text.utf8) }
    return Array("\(use)\0".utf8) + machineID + numbers + texts
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
