import SecretMemory
import Testing
import UAFCrypto

@testable import Authenticator

@Suite struct RecoveryKeyTests {
  private let key = Array(UInt8(1)...32)

  private func text(_ secret: borrowing Secret) -> String {
    secret.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
  }

  private func secret(_ text: String) throws -> Secret { try Secret(copying: Array(text.utf8).span) }

  private func opened(_ kept: [UInt8], _ words: String) throws -> [UInt8]? {
    guard let key = try RecoveryKey.open(kept, with: try secret(words)) else { return nil }
    return key.withBytes { span in span.indices.map { span[$0] } }
  }

  @Test func `makes ten different words for each recovery key`() throws {
    let made = try (0..<20).map { _ in text(try RecoveryKey.make()) }
    #expect(Set(made).count == made.count)
    for words in made { #expect(words.wholeMatch(of: /(?:[a-z]{5}-){9}[a-z]{5}/) != nil, "\(words)") }
  }

  @Test
  func `a recovery key opens with its words in upper or lower case, and with any characters between them`() throws {
    let words = text(try RecoveryKey.make())
    let sealed = try #require(try RecoveryKey.seal(try Secret(copying: key.span), under: try secret(words)))
    for written in [
      words, words.uppercased(), words.replacing("-", with: " "), words.replacing("-", with: ""), words + "\n",
    ] {
      #expect(try opened(sealed, written) == key, "\(written)")
    }
  }

  @Test func `a recovery key opens neither with different words nor with a single wrong letter`() throws {
    let words = text(try RecoveryKey.make())
    let sealed = try #require(try RecoveryKey.seal(try Secret(copying: key.span), under: try secret(words)))
    #expect(try opened(sealed, text(try RecoveryKey.make())) == nil)
    for index in words.indices where words[index] != "-" {
      var changed = words
      changed.replaceSubrange(index...index, with: words[index] == "a" ? "o" : words[index] == "b" ? "d" : "a")
      #expect(try opened(sealed, changed) == nil, "\(changed)")
    }
  }

  @Test(arguments: ["", "babab", "hello", "bábab-babab"]) func `refuses text that cannot be a recovery key`(
    _ words: String
  )
    throws
  {
    #expect(try RecoveryKey.seal(try Secret(copying: key.span), under: try secret(words)) == nil)
    #expect(try opened([1], words) == nil)
  }

  /// The file that version 1 stored: a nonce and the sealed key, without a public key.
  static func firstVersion(of key: borrowing Secret, under words: borrowing Secret) throws -> [UInt8]? {
    let text = words.withBytes { span in span.indices.map { span[$0] } }
    var bits: [UInt8] = []
    var (number, letters) = (0, 0)
    for letter in text where letter != UInt8(ascii: "-") {
      let alphabet = Array((letters % 2 == 0 ? "bdfghjklmnprstvz" : "aiou").utf8)
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      number = number << (letters % 2 == 0 ? 4 : 2) | value
      letters += 1
      guard letters == 5 else { continue }
      bits += [UInt8(number >> 8 & 255), UInt8(number & 255)]
      (number, letters) = (0, 0)
    }
    let purpose = Array("pam-uaf recovery key".utf8)
    let sealing = try HKDFSHA256.derive(
      secret: Secret(copying: Array(bits.prefix(18)).span), salt: Secret(capacity: 0), info: purpose, length: 32)
    let nonce = [UInt8](repeating: 3, count: 12)
    return [1] + nonce + (try AES256GCM.seal(key, key: sealing, nonce: nonce, additionalData: purpose))
  }

  @Test func `opens the recovery file that version 1 stored`() throws {
    let words = text(try RecoveryKey.make())
    let kept = try #require(try Self.firstVersion(of: try Secret(copying: key.span), under: try secret(words)))
    #expect(kept.count == 61)
    #expect(try opened(kept, words) == key)
    #expect(try opened(kept, text(try RecoveryKey.make())) == nil)
  }

  @Test func `refuses a recovery file with any bit changed, or cut anywhere`() throws {
    let words = text(try RecoveryKey.make())
    let kept = try #require(try RecoveryKey.seal(try Secret(copying: key.span), under: try secret(words)))
    #expect(kept.first == 2 && kept.count == 158)
    for bit in 0..<(8 * kept.count) {
      var changed = kept
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try opened(changed, words) == nil, "bit \(bit)")
    }
    for length in 0..<kept.count { #expect(try opened(Array(kept.prefix(length)), words) == nil, "\(length) bytes") }
    #expect(try opened(kept + [0], words) == nil)
  }

  @Test func `the same ten words give the same public key, and different words a different one`() throws {
    let words = text(try RecoveryKey.make())
    let first = try #require(try RecoveryKey.keyPair(of: try secret(words))?.publicKey)
    #expect(try RecoveryKey.keyPair(of: try secret(words.uppercased()))?.publicKey == first)
    #expect(try RecoveryKey.keyPair(of: try RecoveryKey.make())?.publicKey != first)
    let kept = try #require(try RecoveryKey.seal(try Secret(copying: key.span), under: try secret(words)))
    let recipient = try #require(RecoveryFile(kept)?.recipient)
    #expect(recipient.publicKey == first)
    #expect(try recipient.isMarked(under: try Secret(copying: key.span)))
    #expect(try !recipient.isMarked(under: try Secret(copying: Array(key.reversed()).span)))
  }
}
