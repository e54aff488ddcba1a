import ProgramTesting
import Testing

@testable import AuthenticatorTypes

@Suite struct CodePointsTests {
  private func points(_ bytes: [UInt8]) -> [UInt32]? {
    var points: [UInt32] = []
    var index = 0
    while index < bytes.count {
      guard let (value, length) = CodePoints.decode(bytes.span, at: index) else { return nil }
      points.append(value)
      index += length
    }
    return points
  }

  @Test func `decodes and refuses the same UTF-8 bytes as the standard library`() {
    var generator = SplitMix(state: 7)
    let interesting: [UInt8] = [
      0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0x9f, 0xa0, 0x8f,
      0x90,
    ]
    var accepted = 0
    for _ in 0..<200_000 {
      let count = Int.random(in: 0...4, using: &generator)
      let bytes = (0..<count).map { _ in interesting.randomElement(using: &generator) ?? 0 }
      let expected = String(validating: bytes, as: UTF8.self).map { $0.unicodeScalars.map(\.value) }
      if points(bytes) != expected { Issue.record("\(bytes)") }
      if expected != nil { accepted += 1 }
    }
    #expect(accepted > 1000)
  }

  @Test func `each Unicode scalar is decoded from and encoded to its UTF-8 bytes`() {
    for value in stride(from: UInt32(0), through: 0x10ffff, by: 97) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let bytes = Array(String(Character(scalar)).utf8)
      let length = CodePoints.encodedLength(value)
      let encoded = (0..<length).map { CodePoints.encodedByte($0, of: value, length) }
      if points(bytes) != [value] || encoded != bytes { Issue.record("U+\(String(value, radix: 16))") }
    }
  }

  @Test func `case folding changes nothing but letters`() {
    for value: UInt32 in 0..<0x80 {
      let letter = (0x41...0x5a).contains(value)
      #expect(CodePoints.folded(value) == (letter ? value + 32 : value))
    }
    #expect(CodePoints.folded(0xc9) == 0xe9 && CodePoints.folded(0x410) == 0x430 && CodePoints.folded(0xd55c) == 0xd55c)
    #expect(CodePoints.folded(0x130) == 0x130, "two scalars in lower case")
  }
}
