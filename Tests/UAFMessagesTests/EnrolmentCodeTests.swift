import Foundation
import Testing

@testable import UAFMessages

@Suite struct EnrolmentCodeTests {
  private static func code(_ seed: UInt8) throws -> EnrolmentCode {
    try #require(EnrolmentCode(random: (0..<10).map { seed &+ 37 &* UInt8($0) }))
  }

  private static func bare(_ code: EnrolmentCode) -> [Character] { Array(code.text.filter { $0 != "-" }) }

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// Codes of the earlier form, which a program that shares nothing with this one has made.
  private static let earlier = [
    "B9D5M-PJTB9-D5MPJ-TBH2P", "64RK2-C9H64-RK2C9-H6XE3", "MYKTF-9X7MY-KTF9X-7M3EA", "00000-00000-00000-00000",
  ]

  @Test func `an enrolment code has four groups of four characters, and is read back as it was written`() throws {
    for seed in UInt8.min...UInt8.max {
      let code = try Self.code(seed)
      let groups = code.text.split(separator: "-")
      #expect(groups.count == 4 && groups.allSatisfy { $0.count == 4 } && code.isStretched)
      #expect(EnrolmentCode(typed: code.text) == code)
    }
  }

  @Test(arguments: [
    (0x5A, "B9D5-MPJT-B9D5-MPJQ"), (0x31, "64RK-2C9H-64RK-2C9V"), (0xA7, "MYKT-F9X7-MYKT-F9X8"),
    (0x07, "0W3G-E1R7-0W3G-E1RH"),
  ])
  func `an enrolment code has the characters that the protocol describes`(byte: UInt8, text: String) {
    #expect(EnrolmentCode(random: [UInt8](repeating: byte, count: 10))?.text == text)
  }

  @Test(arguments: earlier) func `an enrolment code of 20 characters is still read, and its key is derived as before`(
    _ text: String
  ) throws {
    let code = try #require(EnrolmentCode(typed: text.lowercased().replacing("-", with: " ")))
    #expect(code.text == text && !code.isStretched)
    #expect(code.keyMaterial == Array(text.utf8.filter { $0 != UInt8(ascii: "-") }))
  }

  @Test func `an enrolment code with up to two typing errors is recognised as a mistyped one`() throws {
    for text in try (UInt8.min...UInt8.max).map({ try Self.code($0).text }) + Self.earlier {
      let code = Array(text)
      for index in code.indices {
        var texts = [code, code, code, code]
        texts[0][index] = "U"
        texts[1].remove(at: index)
        texts[2].insert("z", at: index)
        texts[3].removeSubrange(index..<min(index + 2, code.count))
        for text in texts.map({ String($0) }) where EnrolmentCode(typed: text) == nil {
          #expect(EnrolmentPayload.mayBeMistyped(text.lowercased()), "\(text)")
        }
      }
    }
  }

  @Test(arguments: [
    "a-code", "123456", "A1-b2 c3", "correct horse battery staple", "eyJhbGciOiJIUzI1NiJ9.eyJvcCI6IlJlZyJ9.c2ln", "",
    "c0ffee00-0000-4000-8000-000000000001",
  ]) func `does not take a code of a different maker's server for a mistyped enrolment code`(_ text: String) {
    #expect(!EnrolmentPayload.mayBeMistyped(text))
  }

  @Test func `different random bits give different enrolment codes`() throws {
    let texts = try (UInt8.min...UInt8.max).map { try Self.code($0).text }
    #expect(Set(texts).count == texts.count)
    // A code has 75 bits. Of 10 random bytes it uses all but the last five bits.
    let zero = try #require(EnrolmentCode(random: [UInt8](repeating: 0, count: 10)))
    for bit in 0..<80 {
      var bytes = [UInt8](repeating: 0, count: 10)
      bytes[bit / 8] = 0x80 >> UInt8(bit % 8)
      #expect((EnrolmentCode(random: bytes) == zero) == (bit >= 75))
    }
  }

  @Test
  func `reads an enrolment code as people type it: in lower case, with spaces, or with letters for digits`() throws {
    let code = try Self.code(3)
    let bare = code.text.filter { $0 != "-" }
    for typed in [bare, bare.lowercased(), bare.map { "\($0)" }.joined(separator: " "), " - \(bare)-"] {
      #expect(EnrolmentCode(typed: typed) == code)
    }
    let zeros = try #require(EnrolmentCode(random: [UInt8](repeating: 0, count: 10)))
    for letter in ["O", "o"] { #expect(EnrolmentCode(typed: zeros.text.replacing("0", with: letter)) == zeros) }
    let ones = try #require(
      UInt8.allValues.lazy.compactMap { try? Self.code($0) }.first { $0.text.contains("1") })
    for letter in ["I", "i", "L", "l"] { #expect(EnrolmentCode(typed: ones.text.replacing("1", with: letter)) == ones) }
  }

  @Test func `refuses every enrolment code with one wrong character, whichever it is`() throws {
    for seed in stride(from: UInt8(0), through: 250, by: 10) {
      let characters = Self.bare(try Self.code(seed))
      for place in characters.indices {
        for other in Self.alphabet where other != characters[place] {
          var wrong = characters
          wrong[place] = other
          #expect(EnrolmentCode(typed: String(wrong)) == nil)
        }
      }
    }
  }

  @Test func `refuses every enrolment code with two different characters swapped, neighbours or not`() throws {
    for seed in UInt8.min...UInt8.max {
      let characters = Self.bare(try Self.code(seed))
      for place in characters.indices {
        for second in characters.indices where characters[second] != characters[place] {
          var wrong = characters
          wrong.swapAt(place, second)
          #expect(EnrolmentCode(typed: String(wrong)) == nil)
        }
      }
    }
  }

  /// The check is linear: a change is noticed in every code if it is noticed in the code of zeros.
  ///
  /// A swap adds the same difference to two places, and these are all swaps of any two characters.
  @Test func `the check of an enrolment code notices each change of one character and each swap, in any code at all`() {
    for first in 0..<16 {
      for second in first..<16 {
        for difference in 1..<32 {
          var characters = [Character](repeating: "0", count: 16)
          characters[first] = Self.alphabet[difference]
          characters[second] = Self.alphabet[difference]
          #expect(EnrolmentCode(typed: String(characters)) == nil, "\(first) \(second) \(difference)")
        }
      }
    }
  }

  @Test func `the check of an earlier enrolment code notices three wrong characters beside each other`() throws {
    let characters = Array(Self.earlier[0].filter { $0 != "-" })
    for place in 0..<(characters.count - 2) {
      for step in 1..<32 {
        var wrong = characters
        for offset in 0..<3 {
          let value = try #require(Self.alphabet.firstIndex(of: wrong[place + offset]))
          wrong[place + offset] =
            Self.alphabet[(value + step + offset) % 32 == value ? 31 - value : (value + step) % 32]
        }
        guard wrong != characters else { continue }
        #expect(EnrolmentCode(typed: String(wrong)) == nil)
      }
    }
  }

  @Test func `with any bit flipped, an enrolment code is refused or read as the same code, never as a different one`()
    throws
  {
    for text in try [Self.code(9).text] + Self.earlier {
      let code = try #require(EnrolmentCode(typed: text))
      for index in 0..<text.utf8.count {
        for bit in 0..<8 {
          var bytes = Array(text.utf8)
          bytes[index] ^= 1 << UInt8(bit)
          let read = EnrolmentCode(typed: String(decoding: bytes, as: UTF8.self))
          #expect(read == nil || read == code, "\(bytes)")
        }
      }
    }
  }

  @Test(arguments: [
    "", "-", "K7Q2M", "not a code", String(repeating: "0", count: 15), String(repeating: "0", count: 17),
    String(repeating: "0", count: 18), String(repeating: "0", count: 19), String(repeating: "0", count: 21),
    "B9D5-MPJT-B9D5-MPJQ.", "B9D5_MPJT_B9D5_MPJQ", "UUUU-UUUU-UUUU-UUUU", "B9D5-MPJT-B9D5-MPJ\u{D1}",
  ]) func `refuses text that is not an enrolment code`(typed: String) {
    #expect(EnrolmentCode(typed: typed) == nil)
  }

  @Test func `refuses each part of an enrolment code, and each code with a character added`() throws {
    for seed in UInt8.min...UInt8.max {
      let characters = Self.bare(try Self.code(seed))
      for count in 0..<characters.count {
        #expect(EnrolmentCode(typed: String(characters.prefix(count))) == nil)
        #expect(EnrolmentCode(typed: String(characters.dropFirst(characters.count - count))) == nil)
        #expect(EnrolmentCode(typed: String(characters[..<count] + ["7"] + characters[count...])) == nil)
      }
    }
  }

  @Test func `refuses to make an enrolment code from too few random bytes`() {
    #expect(EnrolmentCode(random: [UInt8](repeating: 1, count: 9)) == nil)
  }

  @Test(arguments: [
    ("B9D-MPJT-B9D5-MPJQ", 1), ("B9D5 MPJTT B9D5 MPJQ", 2), ("b9d5-mpjt-b9u5-mpjq", 3), ("B9D5-MPJT-B9D5-MP", 4),
    ("B9D5MP*TB9D5MPJQ", 2), ("B9D5–MPJT–B9D5–MPJ", 4), ("B9D5M-PJTB9-D5MP-TBH2P", 3),
  ]) func `says which group of a mistyped enrolment code cannot be right`(_ text: String, _ group: Int) {
    #expect(EnrolmentCode(typed: text) == nil && EnrolmentCode.wrongGroup(typed: text) == group)
  }

  @Test(arguments: [
    "B9D5-MPJT-B9D5-MPJR", "B9D5MPJTB9D5MPJ", "B9D-MPJTT-B9D5-MPJQ", "U9D5-MPJT-U9D5-MPJQ", "B9D5-MPJT-B9D5",
    "B9D5-MPJT-B9D5MPJ", "correct horse battery staple", "",
  ]) func `names no group of a mistyped enrolment code if none or several show that they are wrong`(_ text: String) {
    #expect(EnrolmentCode(typed: text) == nil && EnrolmentCode.wrongGroup(typed: text) == nil)
  }

  /// The code of a text as it appears when the keyboard is switched to Korean: the input method combines letters where it can.
  private static let inHangul = [
    ("ㅠ9ㅇ5-ㅡㅔㅓㅅ-ㅠ9ㅇ5-ㅡㅔㅓㅂ", "b9d5-mpjt-b9d5-mpjq"), ("ㅠ9ㅇ5ㅡㅔㅓㅅㅠ9ㅇ5ㅡㅔㅓㅂ", "b9d5mpjtb9d5mpjq"),
    ("64가-2ㅊ9ㅗ-64가-2ㅊ9ㅍ", "64rk-2c9h-64rk-2c9v"), ("64가 2ㅊ9ㅗ 64가 2ㅊ9ㅍ", "64rk 2c9h 64rk 2c9v"),
    ("ㅢㅏㅆㄹ-9ㅌ7ㅡ-쨔ㅅㄲ-7ㅡ3ㅃ", "mlkTf-9x7m-WitR-7m3Q"),
  ]

  @Test(arguments: inHangul) func `an enrolment code that was typed in Hangul is recognised, and is not read as a code`(
    _ text: String, _ latin: String
  ) {
    for text in [text, text.decomposedStringWithCanonicalMapping] {
      #expect(KoreanKeyboard.latin(for: text) == latin)
      #expect(EnrolmentCode(typed: text) == nil && EnrolmentCode.isTypedInHangul(text))
      #expect(EnrolmentPayload.mayBeMistyped(text) && EnrolmentCode.wrongGroup(typed: text) == nil)
    }
  }

  @Test func `an enrolment code with one or two Hangul letters in it is recognised as a mistyped one`() {
    for text in ["B9D5-MPJT-B9D5-MPJㅂ", "B9D5-MPJT-B9D5-MP값", "B9D5MPJTB9D5MPㅓㅂ", "B9D5-MPJT-B9D5-MPJÑ"] {
      #expect(EnrolmentPayload.mayBeMistyped(text), "\(text)")
    }
    #expect(EnrolmentCode.wrongGroup(typed: "B9D5-MPJT-B9D5-MPJÑ") == 4)
  }

  @Test(arguments: [
    "B9D5-MPJT-B9D5-MPJR", "안녕하세요. 새 컴퓨터를 등록할 코드를 보냅니다.", "코드", "B9D5-MPJT-B9D5-MPJÑ", "日本語日本語日本語日本語",
    "",
  ]) func `does not say of any other text that it was typed in Hangul`(_ text: String) {
    #expect(!EnrolmentCode.isTypedInHangul(text))
  }

  @Test func `each letter of Hangul has the keys with which it is typed`() {
    #expect(KoreanKeyboard.latin(for: "한글 값 뷁 쌨 의 ㄳㅄㅢ") == "gksrmf rkqt qnpfr ToT dml rtqtml")
    let keys = (0xAC00...0xD7A3).compactMap { Unicode.Scalar($0).flatMap { KoreanKeyboard.latin(for: String($0)) } }
    #expect(keys.count == 11_172 && Set(keys).count == 11_172)
    let alone = (0x3131...0x3163).compactMap { Unicode.Scalar($0).flatMap { KoreanKeyboard.latin(for: String($0)) } }
    #expect(alone.count == 51 && Set(alone).count == 51)
    for other in ["B9D5-MPJT", "\u{3130}\u{3164}\u{A960}"] { #expect(KoreanKeyboard.latin(for: other) == nil) }
  }

  @Test func `an enrolment code is beyond doubt in its four groups, and not as 16 characters in a row`() {
    for text in ["B9D5-MPJT-B9D5-MPJQ", "b9d5 mpjt b9d5 mpjq"] + Self.earlier {
      #expect(EnrolmentCode.isEvident(text), "\(text)")
    }
    for text in ["B9D5MPJTB9D5MPJQ", "B9D5MPJT-B9D5MPJQ", "B9D5-MPJT-B9D5-MPJR", "B9D-5MPJT-B9D5-MPJQ", ""] {
      #expect(!EnrolmentCode.isEvident(text), "\(text)")
    }
  }

  @Test
  func `the key of an enrolment code depends on the user name, and what it authenticates depends on the purpose`()
    throws
  {
    #expect(EnrolmentCode.keyInfo(username: "alice") != EnrolmentCode.keyInfo(username: "bob"))
    var context = RequestContext(username: "alice")
    let removal = EnrolmentCode.removalStatement(context)
    #expect(removal != EnrolmentCode.registrationStatement(username: "alice"))
    context.deregisterKeyIDs = [try KeyID(bytes: [UInt8](repeating: 1, count: 32))]
    #expect(EnrolmentCode.removalStatement(context) != removal)
  }
}

extension UInt8 {
  fileprivate static let allValues = min...max
}
