import Foundation
import Testing

@testable import UAFMessages

/// How transaction texts are shown if the server accepts letters beyond ASCII.
struct TransactionLetterTests {
  private func shown(_ text: String) -> String? { TransactionText(bytes: Array(text.utf8), in: .utf8)?.shown }

  private func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { "\\x" + String(format: "%02X", $0) }.joined()
  }

  private static let letters = (0x80...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    .filter(TransactionLetter.contains)

  @Test(arguments: [
    "mina@desk: sudo: cat '보고서.txt'", "Überweisung 5 €", "отчёт_2024.txt", "ファイル", "文件", "Ελληνικά", "Ünïcödé",
    "ĐẶNG", "հայերեն", "ქართული", "አማርኛ", "₩50,000", "ㄱㄴㄷ",
  ])
  func `a transaction text shows letters as letters, and its shown bytes are signed`(_ text: String) throws {
    let made = try #require(TransactionText(bytes: Array(text.utf8), in: .utf8))
    #expect(Array(made.shown.utf8) == Array(text.utf8))
    #expect(Array(made.signed { _ in [] }.utf8) == Array(text.utf8))
    #expect(TransactionText(sent: made.shown) == made)
    #expect(Array(try Transaction(text: text).content) == Array(text.utf8))
  }

  @Test(
    arguments: [
      [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xEA, 0xB0], [0xEA], [0xB0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xFE], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
  func `a transaction text shows invalid UTF-8 as escaped bytes: overlong, surrogates, cut`(_ bytes: [UInt8]) {
    #expect(TransactionText(bytes: bytes, in: .utf8)?.shown == escaped(bytes))
    // Letters next to the invalid bytes stay letters.
    let beside = Array("가".utf8) + bytes + Array("가".utf8)
    #expect(TransactionText(bytes: beside, in: .utf8)?.shown == "가" + escaped(bytes) + "가")
  }

  @Test(arguments: [
    "\u{301}", "\u{327}", "\u{20DD}", "\u{338}", "\u{1161}", "\u{11A8}", "\u{1100}", "\u{A960}", "\u{D7B0}", "\u{3099}",
    "\u{5D0}", "\u{627}", "\u{661}", "\u{700}", "\u{7C1}", "\u{10800}", "\u{1E900}", "\u{202E}", "\u{2066}", "\u{200F}",
    "\u{61C}", "\u{200B}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{34F}", "\u{115F}", "\u{3164}", "\u{FFA0}",
    "\u{FE0F}", "\u{E0041}", "\u{A0}", "\u{3000}", "\u{2003}", "\u{1680}", "\u{2028}", "\u{2029}", "\u{85}", "\u{9B}",
    "\u{FF41}", "\u{FF0F}", "\u{2044}", "\u{2215}", "\u{2013}", "\u{2019}", "\u{2024}", "\u{1D41A}", "\u{212A}",
    "\u{F900}", "\u{2F800}", "\u{FB01}", "\u{1C3}", "\u{2BC}", "\u{3161}", "\u{3163}", "\u{9EA}", "\u{1F600}",
    "\u{E000}",
    "\u{FFFD}", "\u{10FFFF}", "\u{378}", "\u{E38}", "\u{93F}", "\u{915}", "\u{1B}", "\u{7F}",
  ])
  func `a transaction text shows characters that hide, join, reverse or imitate others as escaped bytes`(_ mark: String)
  {
    #expect(shown("가\(mark)나") == "가\(escaped(Array(mark.utf8)))나")
  }

  @Test func `a transaction text shows decomposed letters as escaped bytes, because they are a different name`() {
    let apart = "보고".decomposedStringWithCanonicalMapping
    #expect(shown(apart) == escaped(Array(apart.utf8)))
    #expect(shown("e\u{301}") == "e\\xCC\\x81")
    #expect(shown(String(repeating: "\u{301}", count: 100)) == String(repeating: "\\xCC\\x81", count: 100))
    #expect(shown("보고") != shown(apart))
  }

  @Test func `a transaction text shows a letter that looks Latin only among letters of its own script`() {
    #expect(shown("/usr/bin/\u{430}pt") == "/usr/bin/\\xD0\\xB0pt")
    #expect(shown("\u{430}-get") == "\\xD0\\xB0-get")
    #expect(shown("pass\u{3C1}ort") == "pass\\xCF\\x81ort")
    #expect(shown("сору.txt") == "сору.txt")
    #expect(shown("한글abc") == "한글abc")
  }

  @Test
  func `each character of the table is a letter or one of £¥₩€々ー, and normalising never combines it with another`() {
    #expect(Self.letters.count > 35_000)
    for scalar in Self.letters {
      let letter = String(scalar)
      let properties = scalar.properties
      let isLetter = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter].contains(
        properties.generalCategory)
      #expect(isLetter || "£¥₩€々ー".contains(letter), "U+\(String(scalar.value, radix: 16))")
      #expect(!properties.isDefaultIgnorableCodePoint && properties.canonicalCombiningClass == .notReordered)
      for text in [letter, "a" + letter, "가" + letter, letter + "가", "\u{1100}" + letter] {
        let form = text.precomposedStringWithCanonicalMapping
        #expect(Array(form.utf8) == Array(text.utf8), "U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test func `a shown transaction text is accepted unchanged by the other end, and normalising does not change it`() {
    var state: UInt64 = 12
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let parts = ["가", "é", "e\u{301}", "а", "a", "\u{1100}\u{1161}", "\\", "\\x41", "\u{202E}", "-", " ", "א", "한"]
    for _ in 0..<2000 {
      var bytes = (0..<8).flatMap { _ in Array(parts[next(parts.count)].utf8) }
      if next(2) == 0 { bytes.remove(at: next(bytes.count)) }
      guard let text = TransactionText(bytes: bytes, in: .utf8) else { continue }
      #expect(Array(text.shown.precomposedStringWithCanonicalMapping.utf8) == Array(text.shown.utf8))
      #expect(TransactionText.isShowable(text.shown))
      #expect(TransactionText(sent: text.shown).map { Array($0.shown.utf8) } == Array(text.shown.utf8))
    }
  }

  @Test func `no two transaction texts are shown the same, in one charset or the other`() {
    let parts: [[UInt8]] = [
      [], Array("가".utf8), [0xEA], [0xB0, 0x80], Array("\\xEA".utf8), Array("\\".utf8), Array("а".utf8),
      Array("a".utf8),
      Array("\u{1100}\u{1161}".utf8), Array("\\..".utf8),
    ]
    var seen: [[UInt8]: [UInt8]] = [:]
    for first in parts {
      for second in parts {
        for third in parts {
          let bytes = first + second + third
          for charset in [TransactionCharset.ascii, .utf8] {
            guard let text = TransactionText(bytes: bytes, in: charset) else { continue }
            #expect(
              seen.updateValue(bytes, forKey: Array(text.shown.utf8)).map { $0 == bytes } ?? true, "\(text.shown)")
          }
        }
      }
    }
    #expect(seen.count > 500)
  }

  @Test func `a transaction text that was escaped for the other charset is kept unchanged`() {
    #expect(TransactionText(sent: "\\xEA\\xB0\\x80")?.shown == "\\xEA\\xB0\\x80")
    #expect(TransactionText(sent: "가")?.shown == "가")
    // A text with one letter shown and one escaped is in the form of neither charset.
    #expect(TransactionText(sent: "가\\xEA\\xB0\\x80")?.shown == "가\\\\xEA\\\\xB0\\\\x80")
  }

  @Test(arguments: 60...70) func `signs at most 200 bytes of a transaction text, and never a part of a letter`(
    _ count: Int
  ) throws {
    let text = try #require(
      TransactionText(bytes: Array(String(repeating: "가", count: count).utf8) + [0x61], in: .utf8))
    let signed = text.signed { _ in Array(repeating: 0xFF, count: 32) }
    #expect(signed.utf8.count <= TransactionText.maximumSigned)
    #expect((signed == text.shown) == (count <= 66))
    if count > 66 {
      #expect(signed.hasPrefix(String(repeating: "가", count: 26) + "\\..") && signed.contains("가a\\#"))
    }
    #expect(throws: Never.self) { try Transaction(text: signed) }
  }

  @Test func `on the screen each letter beyond ASCII in a transaction text counts as two columns`() throws {
    let short = try #require(TransactionText(bytes: Array(String(repeating: "가", count: 260).utf8), in: .utf8))
    #expect(short.columns == 520 && short.onScreen { _ in [] } == (short.shown, 0))
    let long = try #require(TransactionText(bytes: Array(String(repeating: "가", count: 600).utf8), in: .utf8))
    let shown = long.onScreen { _ in Array(repeating: 0xFF, count: 32) }
    #expect(shown.left == 600 - 150 - 80)
    #expect(shown.text.hasPrefix(String(repeating: "가", count: 150) + "\\.."))
    #expect(shown.text.contains("가\\#1800:"))
  }

  @Test func `refuses a transaction with any other characters, or with more than 200 bytes`() {
    for text in ["\u{202E}", "e\u{301}", "–", "א", String(repeating: "가", count: 67)] {
      #expect(throws: MessageError.self) { try Transaction(text: text) }
    }
    #expect(throws: Never.self) { try Transaction(text: String(repeating: "가", count: 66)) }
  }
}
