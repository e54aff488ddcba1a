import ProgramTesting
import CUnistring
import Glibc
import SecretMemory
import Testing

@testable import AuthenticatorTypes

@Suite struct NormalisedTextTests {
  private func form(_ text: String) throws -> [UInt32]? {
    let bytes = try PasscodeFormat.normalised(bytes: Array(text.utf8))
    return bytes.map { String(decoding: $0, as: UTF8.self).unicodeScalars.map(\.value) }
  }

  @Test(
    arguments: [
      ("e\u{301}", [0xe9]), ("\u{e9}", [0xe9]),
      ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", [0xd55c, 0xae00]), ("한글", [0xd55c, 0xae00]),
      ("하\u{11ab}", [0xd55c]),
      // Combining characters are sorted by class, so each order gives the same normalised text.
      ("q\u{307}\u{323}", [0x71, 0x323, 0x307]), ("q\u{323}\u{307}", [0x71, 0x323, 0x307]),
      ("s\u{307}\u{323}", [0x1e69]), ("a\u{308}\u{304}", [0x1df]), ("a\u{304}\u{308}", [0x101, 0x308]),
      // A combining character of the same class blocks the composition.
      ("e\u{302}\u{301}", [0x1ebf]), ("e\u{301}\u{302}", [0xe9, 0x302]),
      // Singletons (characters that always become another one), and letters that Unicode decomposes and never composes again.
      ("\u{212b}", [0xc5]), ("\u{2126}", [0x3a9]), ("\u{958}", [0x915, 0x93c]), ("\u{344}", [0x308, 0x301]),
      ("\u{1f82}", [0x1f82]), ("\u{3b1}\u{313}\u{300}\u{345}", [0x1f82]),
      // No base character, two base characters, and texts that only look alike.
      ("\u{301}a", [0x301, 0x61]), ("\u{1112}\u{1112}\u{1161}", [0x1112, 0xd558]), ("\u{fb01}", [0xfb01]),
      ("\u{ff11}", [0xff11]), ("ㄱㅏ", [0x3131, 0x314f]),
    ] as [(String, [UInt32])])
  func `texts that look the same have the same normalised form`(_ text: String, _ expected: [UInt32]) throws {
    #expect(try form(text) == expected)
  }

  @Test func `normalises whole strings as the library's own function does`() throws {
    var generator = SplitMix(state: 0x0f0c)
    let pool: [UInt32] =
      [0x61, 0x65, 0x73, 0x71, 0x20, 0x3b1, 0x1f82, 0xe9, 0x1df, 0x212b, 0x958, 0x344, 0x1d15e, 0x1d160, 0x0f77]
      + [0x300, 0x301, 0x304, 0x307, 0x308, 0x313, 0x323, 0x327, 0x345, 0x338, 0x5b0, 0x93c, 0xfb2c, 0x2adc]
      + [0x1100, 0x1112, 0x1161, 0x1175, 0x11a7, 0x11a8, 0x11c2, 0xac00, 0xd558, 0xd7a3, 0x9bf, 0x9c7, 0x110ba]
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...12, using: &generator)
      var scalars = (0..<count).map { _ in pool.randomElement(using: &generator) ?? 0x61 }
      if scalars[0].isMultiple(of: 5) { scalars.append(UInt32.random(in: 0xa0...0x33ff, using: &generator)) }
      var text = String.UnicodeScalarView()
      for scalar in scalars.compactMap(Unicode.Scalar.init) { text.append(scalar) }
      let bytes = Array(String(text).utf8)
      guard let form = try PasscodeFormat.normalised(bytes: bytes) else { continue }
      if form != Self.library(bytes) || String(decoding: form, as: UTF8.self) != String(text) {
        Issue.record("\(scalars.map { String($0, radix: 16) })")
      }
    }
  }

  @Test
  func `normalises code points of each Unicode block, with and without a combining character, as the library does`()
    throws
  {
    var taken = 0
    for value in stride(from: UInt32(0xa0), through: 0x10ffff, by: 59) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let bytes = Array((String(Character(scalar)) + "\u{301}").utf8)
      guard let form = try PasscodeFormat.normalised(bytes: bytes) else { continue }
      taken += 1
      if form != Self.library(bytes) { Issue.record("U+\(String(value, radix: 16))") }
    }
    #expect((2000...8000).contains(taken), "most of what there could be is unassigned or private")
  }

  @Test func `random bytes are either refused or normalised as the library does`() throws {
    var generator = SplitMix(state: 0xb17e5)
    let hostile: [UInt8] = [
      0x00, 0x41, 0x65, 0x7f, 0x80, 0xbf, 0xc2, 0xcc, 0x81, 0xe1, 0x84, 0x92, 0x85, 0xa1, 0xed, 0xf0, 0xf4,
    ]
    var taken = 0
    for round in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...(round % 9), using: &generator)).map { _ in
        Bool.random(using: &generator)
          ? hostile.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
      }
      guard let form = try PasscodeFormat.normalised(bytes: bytes) else { continue }
      taken += 1
      if try PasscodeFormat.normalised(bytes: form) != form { Issue.record("\(bytes)") }
    }
    #expect(taken > 500)
  }

  private static func library(_ bytes: [UInt8]) -> [UInt8] {
    var length = 1024
    var output = [UInt8](repeating: 0, count: length)
    // SAFETY: libunistring reads `bytes.count` bytes and writes to `output` if the form fits, which it does here. The form is
    // found by name, because Swift imports no variable whose type is hidden.
    unsafe output.withUnsafeMutableBufferPointer { buffer in
      let form = unsafe OpaquePointer(dlsym(nil, "uninorm_nfc"))
      let result = unsafe u8_normalize(form, bytes, bytes.count, buffer.baseAddress, &length)
      if unsafe result != buffer.baseAddress { length = 0 }
    }
    return Array(output.prefix(length))
  }

  @Test func `a normalised text does not change when it is normalised again`() throws {
    for text in ["한글 é", "q\u{323}\u{307}", "\u{915}\u{93c}", "a"] {
      let once = try #require(try PasscodeFormat.normalised(bytes: Array(text.utf8)))
      #expect(try PasscodeFormat.normalised(bytes: once) == once)
    }
  }

  @Test func `the normalised text may have at most 256 bytes, and the typed text more`() throws {
    func count(_ text: String, _ times: Int) throws -> Int? {
      try PasscodeFormat.normalised(bytes: Array(String(repeating: text, count: times).utf8))?.count
    }
    #expect(try count("x", 256) == 256 && count("x", 257) == nil)
    #expect(try count("e\u{301}", 128) == 256 && count("e\u{301}", 129) == nil, "384 bytes are entered")
    #expect(try count("\u{1112}\u{1161}\u{11ab}", 85) == 255 && count("\u{1112}\u{1161}\u{11ab}", 86) == nil)
    #expect(try count("\u{958}", 42) == 252 && count("\u{958}", 43) == nil, "a letter of 3 bytes becomes one of 6")
    #expect(try count("\u{1d160}", 21) == 252 && count("\u{1d160}", 22) == nil, "one of 4 becomes one of 12")
    #expect(try count("\u{1d160}", 256) == nil && count("\u{301}", 512) == nil && count("x", 1025) == nil)
  }

  @Test(
    arguments: [
      0x00, 0x07, 0x0a, 0x1f, 0x7f, 0x85, 0x9f,  // controls
      0x378, 0xffff, 0xfdd0, 0x1fffe, 0x10ffff, 0xe0080, 0x2fe0,  // unassigned, never to be assigned
      0xe000, 0xf8ff, 0xf0000, 0x10fffd,  // private use
    ] as [UInt32])
  func `refuses a secret with code points that no secret may have`(_ point: UInt32) throws {
    let scalar = String(Character(try #require(Unicode.Scalar(point))))
    #expect(try form(scalar) == nil && form("abcdef" + scalar) == nil && form(scalar + "abcdef") == nil)
  }

  @Test(
    arguments: [
      [], [0xff], [0x61, 0xc3], [0xc3, 0x61], [0xc0, 0x80], [0xe0, 0x80, 0xaf], [0xed, 0xa0, 0x80], [0x80],
      [0xf5, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe1, 0x84],
    ] as [[UInt8]])
  func `refuses a secret that is empty, or whose bytes are not UTF-8`(_ bytes: [UInt8]) throws {
    #expect(try PasscodeFormat.normalised(bytes: bytes) == nil)
  }

  @Test func `a secret set in one Unicode form is correct when it is typed in another`() throws {
    let composed = try Secret(copying: Array("한글 é1".utf8).span)
    let decomposed = try Secret(
      copying: Array("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af} e\u{301}1".utf8).span)
    let left = PasscodeFormat.normalised(composed)
    let right = PasscodeFormat.normalised(decomposed)
    let areEqual = if let left, let right { left.isEqual(to: right) } else { false }
    #expect(areEqual)
  }

  @Test func `normalising a secret leaves no copy of it in the memory of the process`() async {
    // In a separate process: other tests search the memory too, and for a moment their buffers contain all of it.
    await #expect(processExitsWith: .success) {
      // Computes the syllables, so that the text does not occur in this program as a literal.
      func syllable(_ index: UInt32) -> UInt32 { 0xac00 + ((index * 1103 + 977) % 399) * 28 + 1 + index % 7 }
      func jamo(_ index: UInt32) -> [UInt32] {
        let offset = syllable(index) - 0xac00
        return [0x1100 + offset / 588, 0x1161 + offset % 588 / 28, 0x11a7 + offset % 28]
      }
      // Searches for the longest secret, and for a part near its end, because the heap overwrites the beginning of a freed
      // block.
      let scan = try MemoryScan()
      let composed = try scan.needle(70..<80, width: .utf8) { syllable($0) }
      let wide = try scan.needle(70..<80, width: .utf32) { syllable($0) }
      let typed = try scan.needle(210..<240, width: .utf8) { jamo($0 / 3)[Int($0 % 3)] }
      let wideTyped = try scan.needle(210..<240, width: .utf32) { jamo($0 / 3)[Int($0 % 3)] }

      func enter() throws {
        let entry = try scan.needle(0..<255, width: .utf8) { jamo($0 / 3)[Int($0 % 3)] }
        guard let form = PasscodeFormat.normalised(entry.bytes) else { return #expect(Bool(false)) }
        let alive = [try scan.hits(typed), try scan.hits(composed)]
        #expect(alive == [1, 1], "the scan sees what is alive")
        let counts = [form.count, entry.bytes.count]
        #expect(counts == [255, 765])
      }
      try enter()
      for needle in [composed, wide, typed, wideTyped] { #expect(try scan.hits(needle) == 0) }
    }
  }
}
