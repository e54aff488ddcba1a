import CBOR
import Testing

@Suite struct CBORValueTests {
  @Test func `reads back integers at both ends of the range of Int64, and none beyond it`() {
    for number in [0, 1, 23, 24, -1, -24, -25, Int64.max, Int64.min] {
      #expect(CBORValue.integer(number).integer == number)
    }
    #expect(CBORValue.unsigned(.max).integer == nil && CBORValue.negative(.max).integer == nil)
    #expect(CBORValue.negative(UInt64(Int64.max)).integer == .min)
  }

  @Test func `a value can be read only as the type that it has`() {
    let values: [CBORValue] = [1, "a", .bytes([1]), .array([1]), .map([1: 1]), true, .null]
    #expect(values.compactMap(\.integer) == [1] && values.compactMap(\.text) == ["a"])
    #expect(values.compactMap(\.bytes) == [[1]] && values.compactMap(\.array) == [[1]])
    #expect(values.compactMap(\.map) == [[1: 1]])
  }

  @Test func `texts that Unicode considers equal but whose bytes differ are different values and different map keys`() {
    let (composed, decomposed): (CBORValue, CBORValue) = ("\u{E9}", "e\u{301}")
    #expect(composed != decomposed)
    let map: CBORMap = [composed: 1, decomposed: 2]
    #expect(map.entries.count == 2 && map[composed] == 1 && map[decomposed] == 2)
  }

  @Test func `a map is written in the same order, whatever the order in which its entries were added`() {
    let map: CBORMap = ["attStmt": 1, -2: 2, "fmt": 3, 1: 4, -1: 5, "authData": 6, 3: 7, "x5c": 8]
    let other: CBORMap = [3: 7, "x5c": 8, "fmt": 3, "authData": 6, 1: 4, -1: 5, -2: 2, "attStmt": 1]
    #expect(map == other)
    #expect(map.entries.map(\.key) == [1, 3, -1, -2, "fmt", "x5c", "attStmt", "authData"])
  }

  @Test func `setting a map key again replaces its value, and setting it to nil changes nothing`() {
    var map: CBORMap = [1: 1, 2: 2, 1: 3]
    #expect(map.entries.count == 2 && map[1] == 3)
    map.set(2, nil)
    #expect(map[2] == 2 && map[3] == nil)
  }

  @Test func `random values are read back as they were written`() throws {
    var chance = Chance(state: 8949)
    for _ in 0..<3000 {
      let value = chance.value(depth: 4)
      #expect(try CBORValue(parsing: value.encoded) == value)
    }
  }

  @Test func `random bytes are refused, or they are exactly the bytes that are written for the value`() {
    var chance = Chance(state: 7)
    var read = 0
    for _ in 0..<50_000 {
      let bytes = (0..<(1 + chance.below(8))).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
      guard let value = try? CBORValue(parsing: bytes) else { continue }
      #expect(value.encoded == bytes)
      read += 1
    }
    #expect(read > 100)
  }

  @Test
  func `a CBOR value with a changed bit is refused or read as another value, and one that was cut is refused`() throws {
    var chance = Chance(state: 3)
    for _ in 0..<100 {
      let value = chance.value(depth: 4)
      let bytes = value.encoded
      for count in 0..<bytes.count {
        #expect(throws: CBORError.self) { try CBORValue(parsing: Array(bytes.prefix(count))) }
      }
      for bit in 0..<(min(bytes.count, 64) * 8) {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        guard let other = try? CBORValue(parsing: changed) else { continue }
        #expect(other != value && other.encoded == changed)
      }
    }
  }
}

/// Random numbers (SplitMix64) and values, the same in every run.
private struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// A random number with a random number of bits.
  mutating func number() -> UInt64 { next() >> UInt64(below(64)) }

  mutating func text() -> String {
    String(String.UnicodeScalarView((0..<below(30)).compactMap { _ in Unicode.Scalar(UInt32(below(0x11_0000))) }))
  }

  mutating func key() -> CBORValue {
    switch below(3) {
    case 0: .unsigned(number())
    case 1: .negative(number())
    default: .text(text())
    }
  }

  mutating func value(depth: Int) -> CBORValue {
    switch below(depth == 0 ? 6 : 8) {
    case 0, 1: return key()
    case 2: return .bytes((0..<below(300)).map { _ in UInt8(truncatingIfNeeded: next()) })
    case 3: return .text(text())
    case 4: return .bool(below(2) == 0)
    case 5: return .null
    case 6: return .array((0..<below(5)).map { _ in value(depth: depth - 1) })
    default:
      var map = CBORMap()
      for _ in 0..<below(5) { map.set(key(), value(depth: depth - 1)) }
      return .map(map)
    }
  }
}
