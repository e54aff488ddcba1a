/// Byte strings, one after the other: each behind its length (2 bytes, big-endian).
enum Parts {
  /// Puts them together.
  static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    parts.flatMap { part in
      [UInt8(truncatingIfNeeded: part.count >> 8), UInt8(truncatingIfNeeded: part.count)] + part
    }
  }

  /// Takes them apart; nil unless there are exactly `count`.
  static func read(_ bytes: some Collection<UInt8>, count: Int) -> [[UInt8]]? {
    var rest = Array(bytes)[...]
    var parts: [[UInt8]] = []
    while let high = rest.popFirst() {
      guard let low = rest.popFirst() else { return nil }
      let length = Int(high) << 8 | Int(low)
      guard length <= rest.count, parts.count < count else { return nil }
      parts.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return parts.count == count ? parts : nil
  }
}
