import Testing

@testable import UAFMessages

@Suite struct PastedCodeTests {
  private static let code = EnrolmentCode(random: [UInt8](repeating: 0x5A, count: 11))?.text ?? ""
  private static let other = EnrolmentCode(random: [UInt8](repeating: 0x31, count: 11))?.text ?? ""
  private static let payload = "eyJ2IjoxLCJvcCI6IlJlZyIsInVzZXJuYW1lIjoibWluYSIsInNlcnZlciI6Imh0dHBzOi8vbG9jYWxob3N0In0"
  private static let unlock =
    UnlockCode(minute: 29_000_000, lifetimeUnits: 12, salt: 3, mac: [UInt8](repeating: 0x77, count: 10))?.text ?? ""

  @Test(arguments: [
    "%", "%\n", "  %\r\n", "\u{FEFF}%\r\n", "> %\n", ">> %", "> > %\n>\n", "\u{FEFF}> %", "mina %", "mina: %", "% mina",
    "mina\n%\n", "> mina\n> %\n", "Account: mina\n%\n", "\t%\t",
  ]) func `finds the one code or payload, quoted or with the account beside it`(_ form: String) {
    for code in [Self.code, Self.payload] {
      #expect(PastedCode.enrolment(in: form.replacing("%", with: code)) == code)
    }
  }

  @Test func `finds a code whose groups are words, and one in small letters`() {
    let words = Self.code.replacing("-", with: " ")
    for text in [words, "mina " + words, words + " mina", "> " + words, words.lowercased()] {
      #expect(PastedCode.enrolment(in: text) == Self.code, "\(text)")
    }
  }

  @Test func `joins a payload that a mail program has broken into rows`() {
    let rows = [Self.payload.prefix(44), Self.payload.dropFirst(44)].map(String.init)
    #expect(PastedCode.enrolment(in: rows.joined(separator: "\n")) == Self.payload)
    #expect(PastedCode.enrolment(in: rows.joined(separator: "\n") + "\nmina\n") == Self.payload)
    #expect(PastedCode.enrolment(in: "> mina\n> " + rows.joined(separator: "\n> ") + "\n") == Self.payload)
  }

  @Test(arguments: [
    "", "a b", "two\nlines\n", "\(code) \(other)", "mina \(code)\nnora \(other)\n", "\(payload)\n\(payload)x\n",
    "one two three four \(code)", "one two three four \(payload)",
  ]) func `finds nothing where there is no code, or more than one, or a whole letter around it`(_ text: String) {
    #expect(PastedCode.enrolment(in: text) == nil)
  }

  @Test func `leaves a single word as it is, whatever it is`() {
    #expect(PastedCode.enrolment(in: "\u{FEFF}a.b.c\n") == "a.b.c")
    #expect(PastedCode.unlock(in: "> a.b.c", beside: []) == "a.b.c")
  }

  @Test(arguments: ["%", "mina %", "% mina", "Mina: %", "> %", "\u{FEFF}mina\t%", "% 7QK3", "mina % 7QK3", "nora %"])
  func `finds an unlock code with the account, or the machine's name, beside it`(_ form: String) {
    let text = form.replacing("%", with: Self.unlock)
    #expect(PastedCode.unlock(in: text, beside: ["mina"]) == Self.unlock, "\(text)")
  }

  @Test func `drops the account from an unlock code whose groups are words`() {
    let words = Self.unlock.replacing("-", with: " ")
    let whole = Self.unlock.replacing("-", with: "")
    #expect(PastedCode.unlock(in: words, beside: ["mina"]) == whole)
    #expect(PastedCode.unlock(in: "mina " + words, beside: ["mina"]) == whole)
  }
}
