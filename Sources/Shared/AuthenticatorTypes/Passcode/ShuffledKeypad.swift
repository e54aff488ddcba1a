// Purpose: entering digits although somebody may log the keys or watch the hands. No input or output: the prompt shows
// the layout, the answer is an entry like any other, and is decoded here.

import FidoResults
import SecretMemory
import UAFCrypto

/// A keypad whose keys mean digits other than their own; each attempt has a new one.
///
/// The keys are the digits themselves ("for 3 press 7"): the ten keys that every keyboard, number pad and keyboard on a screen
/// has, and that mean the same under each layout. Letters are in different places on different keyboard layouts.
///
/// Each of the 3,628,800 orders of ten digits is equally likely. Somebody who has the key presses but not the layout
/// learns how long the secret is and which of its digits are equal, but nothing else.
public struct ShuffledKeypad: Sendable {
  /// The key, 0 to 9, of each digit.
  let keys: [UInt8]

  /// Makes a layout.
  ///
  /// - Parameter random: returns that many bytes.
  /// - Throws: ``CryptoError``.
  public init(
    random: @escaping (Int) throws(CryptoError) -> Secret = { count throws(CryptoError) in
      try RandomBytes.makeSecret(count)
    }
  ) throws(CryptoError) {
    keys = try Self.shuffled(10, random)
  }

  /// The layout with these keys, for tests; nil unless they are the numbers 0 to 9, once each.
  init?(keys: [UInt8]) {
    guard keys.sorted() == Array(0..<10) else { return nil }
    self.keys = keys
  }

  /// The digits that the pressed keys mean; nil if any other key was pressed, or there is no memory.
  public func decode(_ pressed: borrowing Secret) -> Secret? {
    pressed.withBytes { presses in
      guard var digits = try? Secret(capacity: presses.count) else { return nil }
      // SAFETY: the capacity is the number of presses.
      unsafe digits.refill { buffer in
        for index in presses.indices {
          guard let digit = keys.firstIndex(where: { Self.digit($0) == presses[index] }) else { return 0 }
          unsafe buffer[index] = Self.digit(UInt8(truncatingIfNeeded: digit))
        }
        return presses.count
      }
      if digits.count != presses.count { return nil }
      return digits
    }
  }

  /// The layout as the person sees it: two short rows, or one line of words for a screen reader.
  public func layout(in language: Language, accessible: Bool) -> String {
    KeypadText(keys: keys, isSpeltOut: accessible).text(in: language)
  }

  private static func digit(_ value: UInt8) -> UInt8 { UInt8(ascii: "0") + value }

  /// The numbers below `count`, which is at most 256, in a random order (Fisher and Yates).
  static func shuffled(
    _ count: Int, _ random: @escaping (Int) throws(CryptoError) -> Secret
  ) throws(CryptoError) -> [UInt8] {
    var source = UniformSource(random: random)
    var order = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    for last in stride(from: count - 1, through: 1, by: -1) {
      order.swapAt(last, try source.number(below: last + 1))
    }
    return order
  }
}

/// Small random numbers, all equally likely.
struct UniformSource: ~Copyable {
  private let random: (Int) throws(CryptoError) -> Secret
  private var pool: Secret?
  private var used = 0

  private static let poolSize = 64
  /// At most half of the bytes are rejected: this many in a row come from a broken source, never from chance.
  private static let maximumRejections = 256

  init(random: @escaping (Int) throws(CryptoError) -> Secret) {
    self.random = random
    pool = nil
  }

  /// A number from 0 to `bound` - 1; `bound` is 1 to 256.
  ///
  /// Bytes beyond the last whole multiple of the bound are dropped, because their remainders would favour small
  /// numbers.
  ///
  /// - Throws: ``CryptoError``: what the source threw, or `unavailable` if its bytes cannot be used.
  mutating func number(below bound: Int) throws(CryptoError) -> Int {
    let limit = 256 - 256 % bound
    for _ in 0..<Self.maximumRejections {
      let byte = Int(try nextByte())
      if byte < limit { return byte % bound }
    }
    throw .unavailable(.random)
  }

  private mutating func nextByte() throws(CryptoError) -> UInt8 {
    if let byte = byte(used) {
      used += 1
      return byte
    }
    pool = try random(Self.poolSize)
    used = 1
    guard let byte = byte(0) else { throw .unavailable(.random) }
    return byte
  }

  private borrowing func byte(_ index: Int) -> UInt8? {
    switch pool {
    case .some(let pool): pool.withBytes { index < $0.count ? $0[index] : nil }
    case nil: nil
    }
  }
}
