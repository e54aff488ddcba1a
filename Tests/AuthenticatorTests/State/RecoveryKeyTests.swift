import SecretMemory
import Testing

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

  @Test func `makes ten other words each time`() throws {
    let made = try (0..<20).map { _ in text(try RecoveryKey.make()) }
    #expect(Set(made).count == made.count)
    for words in made { #expect(words.wholeMatch(of: /(?:[a-z]{5}-){9}[a-z]{5}/) != nil, "\(words)") }
  }

  @Test func `opens with the words in either case, and whatever stands between them`() throws {
    let words = text(try RecoveryKey.make())
    let sealed = try #require(try RecoveryKey.seal(try Secret(copying: key.span), under: try secret(words)))
    for written in [
      words, words.uppercased(), words.replacing("-", with: " "), words.replacing("-", with: ""), words + "\n",
    ] {
      #expect(try opened(sealed, written) == key, "\(written)")
    }
  }

  @Test func `refuses other words, and any single wrong letter`() throws {
    let words = text(try RecoveryKey.make())
    let sealed = try #require(try RecoveryKey.seal(try Secret(copying: key.span), under: try secret(words)))
    #expect(try opened(sealed, text(try RecoveryKey.make())) == nil)
    for index in words.indices where words[index] != "-" {
      var changed = words
      changed.replaceSubrange(index...index, with: words[index] == "a" ? "o" : words[index] == "b" ? "d" : "a")
      #expect(try opened(sealed, changed) == nil, "\(changed)")
    }
  }

  @Test(arguments: ["", "babab", "hello", "bábab-babab"]) func `refuses what is no recovery key`(_ words: String) throws
  {
    #expect(try RecoveryKey.seal(try Secret(copying: key.span), under: try secret(words)) == nil)
    #expect(try opened([1], words) == nil)
  }
}
