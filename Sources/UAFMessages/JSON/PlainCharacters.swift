/// Finds what cannot stand as it is in a JSON string (RFC 8259, section 7), eight bytes at a time.
///
/// Most bytes of a UAF message are text in strings, and many of them are strings within strings.
enum PlainCharacters {
  /// Where the first quotation mark, backslash or control character stands; the count of `text` if there is none.
  ///
  /// - Parameter orDelete: whether DEL counts as a control character. The grammar lets it stand, but a raw one would reach
  ///   terminals and logs.
  @inline(__always) static func end(in text: Span<UInt8>, from start: Int, orDelete: Bool = false) -> Int {
    var end = start
    while text.count - end >= 8 {
      // SAFETY: any eight bytes are a number. That there are eight is checked by the call, too.
      let word = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
      let found = special(UInt64(littleEndian: word), orDelete: orDelete)
      guard found == 0 else { return end + found.trailingZeroBitCount / 8 }
      end += 8
    }
    // One byte, and seven spaces behind it.
    while end < text.count, special(spaces << 8 | UInt64(text[end]), orDelete: orDelete) == 0 { end += 1 }
    return end
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let spaces: UInt64 = 0x2020_2020_2020_2020
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// A number whose lowest bit that is set is the highest one of the first special byte; 0 if there is none.
  ///
  /// A difference borrows only from what is behind the first byte that is too small.
  @inline(__always) private static func special(_ word: UInt64, orDelete: Bool) -> UInt64 {
    var found = (word &- spaces) & ~word | equal(word, to: UInt8(ascii: "\"")) | equal(word, to: UInt8(ascii: "\\"))
    if orDelete { found |= equal(word, to: 0x7F) }
    return found & highBits
  }

  @inline(__always) private static func equal(_ word: UInt64, to byte: UInt8) -> UInt64 {
    let difference = word ^ (UInt64(byte) &* ones)
    return (difference &- ones) & ~difference
  }
}
