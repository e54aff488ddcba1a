import ProgramTesting
import FidoResults
import SecretMemory
import Testing
import UAFCrypto

@testable import AuthenticatorTypes

@Suite final class ShuffledKeypadTests {
  /// Bytes of a seeded generator: the same layouts in every run.
  private static func seeded(_ seed: UInt64) -> (Int) throws(CryptoError) -> Secret {
    var generator = SplitMix(state: seed)
    return { count throws(CryptoError) in
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      return try secret(bytes)
    }
  }

  private static func secret(_ bytes: [UInt8]) throws(CryptoError) -> Secret {
    do { return try Secret(copying: bytes.span) } catch { throw .outOfMemory }
  }

  private func decoded(_ pressed: String, _ keypad: ShuffledKeypad) throws -> String? {
    guard let digits = keypad.decode(try Secret(copying: Array(pressed.utf8).span)) else { return nil }
    return digits.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
  }

  /// The keys that a person presses to enter these digits with this layout.
  private func presses(_ value: String, _ keypad: ShuffledKeypad) -> String {
    value.compactMap(\.wholeNumberValue).map { "\(keypad.keys[$0])" }.joined()
  }

  /// The chi-square statistic of the counts, if all cells are equally likely.
  private func chiSquare(_ counts: [Int], cells: Int) -> Double {
    let expected = Double(counts.reduce(0, +)) / Double(cells)
    let missing = Double(cells - counts.count) * expected
    return counts.reduce(missing) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
  }

  @Test func `each order of four keys appears about as often as chance predicts`() throws {
    let random = Self.seeded(1)
    var counts: [[UInt8]: Int] = [:]
    for _ in 0..<24_000 { counts[try ShuffledKeypad.shuffled(4, random), default: 0] += 1 }
    #expect(counts.count == 24)
    // 23 degrees of freedom: a fair shuffle stays below 49.7 in 999 of 1000 runs.
    #expect(chiSquare(Array(counts.values), cells: 24) < 49.7)
  }

  @Test func `each key shows each digit about as often as chance predicts`() throws {
    let random = Self.seeded(2)
    var counts = [Int](repeating: 0, count: 100)
    for _ in 0..<20_000 {
      for (digit, key) in try ShuffledKeypad(random: random).keys.enumerated() { counts[digit * 10 + Int(key)] += 1 }
    }
    // 81 degrees of freedom: below 125.0 in 999 of 1000 runs.
    #expect(chiSquare(counts, cells: 100) < 125.0)
  }

  @Test func `the chi-square test detects a shuffle that is not uniform`() {
    // Two usual mistakes: to take the remainder of a random number without rejecting any, and to swap with any position instead
    // of one of those that are left.
    var generator = SplitMix(state: 3)
    var counts: [[Int]: Int] = [:]
    for _ in 0..<24_000 {
      var order = [0, 1, 2, 3]
      for place in 0..<4 { order.swapAt(place, Int.random(in: 0..<4, using: &generator)) }
      counts[order, default: 0] += 1
    }
    #expect(chiSquare(Array(counts.values), cells: 24) > 49.7)
  }

  @Test func `the shuffle drops random bytes that would make small numbers more likely`() throws {
    var source = UniformSource { _ throws(CryptoError) in try Self.secret([255, 250, 249, 10, 9]) }
    let numbers = [try source.number(below: 10), try source.number(below: 10), try source.number(below: 10)]
    #expect(numbers == [9, 0, 9], "250 and 255 are beyond the last whole ten")
  }

  @Test func `refuses a random source that gives no usable bytes, and does not wait for more`() {
    #expect(throws: CryptoError.self) {
      try ShuffledKeypad { _ throws(CryptoError) in try Self.secret([UInt8](repeating: 255, count: 64)) }
    }
    #expect(throws: CryptoError.self) { try ShuffledKeypad { _ throws(CryptoError) in try Self.secret([]) } }
    #expect(throws: CryptoError.outOfMemory) { try ShuffledKeypad { _ throws(CryptoError) in throw .outOfMemory } }
  }

  @Test func `the system's random source gives a new layout each time`() throws {
    let layouts = try Set((0..<50).map { _ in try ShuffledKeypad().keys })
    #expect(layouts.count == 50)
    for keys in layouts { #expect(keys.sorted() == Array(0..<10)) }
  }

  @Test func `under two layouts one PIN is typed with different keys`() throws {
    let random = Self.seeded(4)
    let first = try ShuffledKeypad(random: random)
    let second = try ShuffledKeypad(random: random)
    for value in ["135790", "0000", "2468", ""] {
      #expect(value.isEmpty || presses(value, first) != presses(value, second))
      #expect(try decoded(presses(value, first), first) == value && decoded(presses(value, second), second) == value)
    }
    #expect(try decoded(presses("135790", first), second) != "135790")
  }

  @Test func `a log of key presses shows only which digits of the PIN are equal`() throws {
    // "7 3 7 9" was logged. For each PIN of four digits: could it have been typed so under some layout?
    let log: [UInt8] = [7, 3, 7, 9]
    var fitting = 0
    for number in 0..<10_000 {
      let value = [number / 1000, number / 100 % 10, number / 10 % 10, number % 10]
      let isAlike = value[0] == value[2] && Set(value).count == 3
      var keys = [UInt8?](repeating: nil, count: 10)
      var contradicts = false
      for (digit, key) in zip(value, log) {
        contradicts = contradicts || keys[digit] ?? key != key
        keys[digit] = key
      }
      contradicts = contradicts || Set(keys.compactMap(\.self)).count != keys.compactMap(\.self).count
      if contradicts == isAlike { Issue.record("\(value)") }
      guard !contradicts else { continue }
      fitting += 1
      var free = (0..<10).map { UInt8($0) }.filter { !keys.contains($0) }
      let layout = try #require(ShuffledKeypad(keys: keys.map { $0 ?? free.removeLast() }))
      if try decoded("7379", layout) != value.map({ "\($0)" }).joined() { Issue.record("\(value)") }
    }
    #expect(fitting == 10 * 9 * 8, "the seven keys that were not pressed may lie in any order: 7! layouts each")
  }

  @Test(arguments: ["a", "12a4", "1 2", "１２", "12\u{0}", "/", ":", "-1"])
  func `refuses pressed keys that are not on the pad`(_ pressed: String) throws {
    #expect(try decoded(pressed, ShuffledKeypad(random: Self.seeded(5))) == nil)
  }

  @Test func `refuses a layout that does not have each digit once`() {
    for keys: [UInt8] in [[], [0, 1, 2], [0, 0, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]] {
      #expect(ShuffledKeypad(keys: keys) == nil)
    }
  }

  @Test
  func `shows the layout as two rows, and describes it in one line for a screen reader`()
    throws
  {
    let keypad = try #require(ShuffledKeypad(keys: [7, 3, 9, 0, 1, 2, 8, 5, 4, 6]))
    #expect(
      keypad.layout(in: .english, accessible: false) == """
        The keys are shuffled: for each digit, press the key below it.
        Digit  0 1 2 3 4 5 6 7 8 9
        Press  7 3 9 0 1 2 8 5 4 6
        """)
    #expect(
      keypad.layout(in: .korean, accessible: false) == """
        키가 섞여 있습니다. 숫자마다 바로 아래에 있는 키를 누르십시오.
        숫자  0 1 2 3 4 5 6 7 8 9
        누름  7 3 9 0 1 2 8 5 4 6
        """)
    #expect(
      keypad.layout(in: .english, accessible: true)
        == "Keys: for zero press seven, for one press three, for two press nine, for three press zero, for four press "
        + "one, for five press two, for six press eight, for seven press five, for eight press four, for nine press six."
    )
    #expect(
      keypad.layout(in: .korean, accessible: true)
        == "누를 키: 영은 칠, 일은 삼, 이는 구, 삼은 영, 사는 일, 오는 이, 육은 팔, 칠은 오, 팔은 사, 구는 육.")
  }

  @Test(arguments: Language.allCases)
  func `the line for a screen reader contains no numerals, and the rows contain no number words`(_ language: Language)
    throws
  {
    let keypad = try ShuffledKeypad(random: Self.seeded(6))
    let words = keypad.layout(in: language, accessible: true)
    #expect(!words.contains(where: \.isNumber) && !words.contains("\n"))
    #expect(keypad.layout(in: language, accessible: false).count(where: \.isNumber) == 20)
  }
}
