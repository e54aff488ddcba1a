// Purpose: entering digits although somebody may log the keys or watch the hands. No input or output: the prompt shows
// the layout, the answer is an entry like any other, and is decoded here.

import FidoResults
import SecretMemory
import UAFCrypto

/// A keypad whose keys stand for other digits than their own; each attempt has a new one.
///
/// The keys are the digits themselves ("for 3 press 7"): the ten keys that every keyboard, number pad and keyboard on a screen
/// has, and that mean the same under each layout. Letters move from one layout to the next.
///
/// Each of the 3,628,800 orders of ten digits is equally likely. Somebody with the key presses and without the layout
/// learns how long the secret is and which of its digits are equal, and nothing else.
public struct ShuffledKeypad: Sendable {
  /// The key, 0 to 9, of each digit.
  let keys: [UInt8]

  /// Makes a layout.
  ///
  /// - Parameter random: gives that many bytes.
  /// - Throws: ``CryptoError``.
  public init(
    random: @escaping (Int) throws(CryptoError) -> Secret = { count throws(CryptoError) in
      try RandomBytes.makeSecret(count)
    }
  ) throws(CryptoError) {
    keys = try Self.shuffled(10, random)
  }

  /// The layout with these keys, for tests; nil if they are not each of 0 to 9 once.
  init?(keys: [UInt8]) {
    guard keys.sorted() == Array(0..<10) else { return nil }
    self.keys = keys
  }

  /// The digits that were meant by the keys that were pressed; nil if another key was pressed, or there is no memory.
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

  /// What the person is shown: two short rows, or one line of words for a screen reader.
  public func layout(in language: Language, accessible: Bool) -> String {
    KeypadText(keys: keys, isSpeltOut: accessible).text(in: language)
  }

  private static func digit(_ value: UInt8) -> UInt8 { UInt8(ascii: "0") + value }

  /// The numbers below `count`, which is 256 at most, in a random order (Fisher and Yates).
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
