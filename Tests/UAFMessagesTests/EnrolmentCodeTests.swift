import Testing
import UAFMessages

@Suite struct EnrolmentCodeTests {
  private static func code(_ seed: UInt8) throws -> EnrolmentCode {
    try #require(EnrolmentCode(random: (0..<11).map { seed &+ 37 &* UInt8($0) }))
  }

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  @Test func `an enrolment code has four groups of five characters, and is read back as it was written`() throws {
    for seed in UInt8.min...UInt8.max {
      let code = try Self.code(seed)
      let groups = code.text.split(separator: "-")
      #expect(groups.count == 4 && groups.allSatisfy { $0.count == 5 })
      #expect(EnrolmentCode(typed: code.text) == code)
    }
  }

  @Test func `an enrolment code with up to two typing errors is recognised as a mistyped one`() throws {
    for seed in UInt8.min...UInt8.max {
      let code = Array(try Self.code(seed).text)
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
    // A code has 85 bits. Of 11 random bytes it uses all but the last three bits.
    let zero = try #require(EnrolmentCode(random: [UInt8](repeating: 0, count: 11)))
    for bit in 0..<88 {
      var bytes = [UInt8](repeating: 0, count: 11)
      bytes[bit / 8] = 0x80 >> UInt8(bit % 8)
      #expect((EnrolmentCode(random: bytes) == zero) == (bit >= 85))
    }
  }

  @Test
  func `reads an enrolment code as people type it: in lower case, with spaces, or with letters for digits`() throws {
    let code = try Self.code(3)
    let bare = code.text.filter { $0 != "-" }
    for typed in [bare, bare.lowercased(), bare.map { "\($0)" }.joined(separator: " ")] {
      #expect(EnrolmentCode(typed: typed) == code)
    }
    let zeros = try #require(EnrolmentCode(random: [UInt8](repeating: 0, count: 11)))
    #expect(EnrolmentCode(typed: zeros.text.replacing("0", with: "O")) == zeros)
  }

  @Test func `refuses an enrolment code with any wrong character or any two neighbours swapped`() throws {
    let characters = Array(try Self.code(7).text.filter { $0 != "-" })
    for place in characters.indices {
      for other in Self.alphabet where other != characters[place] {
        var wrong = characters
        wrong[place] = other
        #expect(EnrolmentCode(typed: String(wrong)) == nil)
      }
      for second in characters.indices where characters[second] != characters[place] {
        var wrong = characters
        wrong.swapAt(place, second)
        #expect(EnrolmentCode(typed: String(wrong)) == nil)
      }
    }
  }

  @Test func `refuses an enrolment code with any three adjacent characters wrong`() throws {
    let characters = Array(try Self.code(11).text.filter { $0 != "-" })
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

  @Test(arguments: [
    "", "-", "K7Q2M", "not a code", String(repeating: "0", count: 19), String(repeating: "0", count: 21),
  ])
  func `refuses text that is not an enrolment code`(typed: String) {
    #expect(EnrolmentCode(typed: typed) == nil)
  }

  @Test func `refuses to make an enrolment code from too few random bytes`() {
    #expect(EnrolmentCode(random: [UInt8](repeating: 1, count: 10)) == nil)
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
