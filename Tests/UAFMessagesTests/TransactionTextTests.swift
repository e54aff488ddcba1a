import Foundation
import Testing

@testable import UAFMessages

struct TransactionTextTests {
  private struct Vector: Decodable {
    let bytes: String
    let shown: String
    let signed: String
  }

  private struct Vectors: Decodable {
    let texts: [Vector]
    let letters: [Vector]
  }

  private static func vectors(in charset: TransactionCharset) throws -> [Vector] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let data = try Data(contentsOf: tests.appending(path: "Vectors/transactions.json"))
    let vectors = try JSONDecoder().decode(Vectors.self, from: data)
    return charset == .ascii ? vectors.texts : vectors.letters
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }

  /// The hash in the vector, because this target has no cryptography.
  ///
  /// The server's tests compute it.
  private static func stated(_ vector: Vector) throws -> [UInt8] {
    guard let mark = vector.signed.range(of: "\\#", options: .backwards),
      let colon = vector.signed[mark.upperBound...].firstIndex(of: ":")
    else { return [] }
    return try Base64URL.decode(String(vector.signed[vector.signed.index(after: colon)...]), maximumCount: 32)
  }

  @Test(arguments: [(TransactionCharset.ascii, 12), (.utf8, 11)])
  func `a transaction text is escaped and shortened as an independent program does it`(
    _ charset: TransactionCharset, _ count: Int
  )
    throws
  {
    let vectors = try Self.vectors(in: charset)
    try #require(vectors.count >= count)
    for vector in vectors {
      let text = try #require(TransactionText(bytes: Self.bytes(vector.bytes), in: charset))
      let hash = try Self.stated(vector)
      #expect(Array(text.shown.utf8) == Array(vector.shown.utf8))
      #expect(Array(text.signed { _ in hash }.utf8) == Array(vector.signed.utf8))
      // The text that one end sends is accepted by the other end.
      #expect(TransactionText(sent: text.shown) == text)
      #expect(throws: Never.self) { try Transaction(text: text.signed { _ in hash }) }
    }
  }

  @Test func `the hash in a shortened transaction text covers the whole text`() throws {
    let text = try #require(TransactionText(bytes: Array(repeating: 0x61, count: 1000)))
    var hashed: [UInt8] = []
    _ = text.signed { bytes in
      hashed = bytes
      return []
    }
    #expect(hashed == Array(text.shown.utf8))
  }

  @Test func `the screen shows a short transaction text whole, and of a long one head, tail, length and hash`() throws {
    let short = try #require(TransactionText(bytes: Array(repeating: 0x61, count: TransactionText.maximumOnScreen)))
    #expect(short.onScreen { _ in [] } == (short.shown, 0))
    let parts: [(UInt8, Int)] = [(0x61, 300), (0x62, 900), (0x63, 160)]
    let long = try #require(TransactionText(bytes: parts.flatMap { Array(repeating: $0.0, count: $0.1) }))
    let shown = long.onScreen { _ in Array(repeating: 0xFF, count: 32) }
    let (head, tail) = (String(repeating: "a", count: 300), String(repeating: "c", count: 160))
    #expect(shown.text == head + "\\.." + tail + "\\#1360:" + Base64URL.encode(Array(repeating: 0xFF, count: 32)))
    #expect(shown.left == 900)
    #expect(shown.text.utf8.count <= TransactionText.maximumOnScreen)
  }

  @Test func `refuses a transaction text that is empty or too long to read`() {
    #expect(TransactionText(bytes: []) == nil)
    #expect(TransactionText(sent: "") == nil)
    #expect(TransactionText(bytes: Array(repeating: 0x61, count: 2048)) != nil)
    #expect(TransactionText(bytes: Array(repeating: 0x61, count: 2049)) == nil)
    #expect(TransactionText(bytes: Array(repeating: 0, count: 512)) != nil)
    #expect(TransactionText(bytes: Array(repeating: 0, count: 513)) == nil)
    #expect(TransactionText(sent: String(repeating: "–", count: 171)) == nil)
  }

  @Test func `no two transaction texts are signed as the same text`() throws {
    // Parts that are almost escapes, almost markers, or almost one another.
    let parts: [[UInt8]] = [
      [], [0x5C], [0x5C, 0x5C], Array("\\x41".utf8), Array("A".utf8), [0xC3], Array("\\xC3".utf8), Array("\\..".utf8),
      Array("\\#201:".utf8), [0x0A], Array("\\x0A".utf8), [0x00], Array(repeating: 0x20, count: 200),
    ]
    var seen: [String: [UInt8]] = [:]
    for first in parts {
      for second in parts {
        for third in parts {
          let bytes = first + second + third
          guard let text = TransactionText(bytes: bytes) else { continue }
          // `hashValue` can stand in for SHA-256 here: telling long texts apart is the hash's task, not that of the tested code.
          let signed = text.signed { Array("\($0.hashValue)".utf8) }
          #expect(seen.updateValue(bytes, forKey: signed).map { $0 == bytes } ?? true, "\(signed)")
        }
      }
    }
    #expect(seen.count > 1000)
  }

  @Test(arguments: [TransactionCharset.ascii, .utf8])
  func `shows each space of a run but the first as an escape, so that spaces cannot push text to the next line`(
    charset: TransactionCharset
  ) throws {
    let text = try #require(TransactionText(bytes: Array("pay   5, 가 6 ".utf8), in: charset))
    #expect(text.shown.hasPrefix("pay \\x20\\x205, ") && text.shown.hasSuffix(" 6 "))
    #expect(TransactionText(sent: text.shown) == text)
    #expect(TransactionText(sent: "pay  5")?.shown == "pay \\x205")
    #expect(TransactionText(sent: #"pay\x205"#)?.shown == #"pay\\x205"#)
  }

  @Test func `escapes everything but letters in a transaction text that nobody has escaped yet`() {
    #expect(TransactionText(sent: "5 €\n")?.shown == "5 €\\x0A")
    #expect(TransactionText(sent: "5 –\n")?.shown == "5 \\xE2\\x80\\x93\\x0A")
  }

  @Test(arguments: [
    #"a\b"#, #"\"#, #"\\\"#, #"\x41"#, #"\x5C"#, #"\xc3"#, #"\xC"#, #"\x+1"#, #"\.."#, "head\\..tail\\#300:AAAA",
    "\\xC3\n",
  ])
  func `escapes a transaction text that only looks as if it were escaped`(_ text: String) {
    #expect(TransactionText(sent: text) == TransactionText(bytes: Array(text.utf8), in: .utf8))
    #expect(TransactionText(sent: text)?.shown != text)
  }

  @Test(arguments: ["plain", #"two \\ in one"#, #"\xC3\xA9"#, #"\\x41"#])
  func `keeps a transaction text that the other end has escaped`(_ text: String) {
    #expect(TransactionText(sent: text)?.shown == text)
  }
}
