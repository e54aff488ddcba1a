import Testing

@testable import UAFMessages

@Suite struct PastedCodeTests {
  private static let code = EnrolmentCode(random: [UInt8](repeating: 0x5A, count: 10))?.text ?? ""
  private static let other = EnrolmentCode(random: [UInt8](repeating: 0x31, count: 10))?.text ?? ""
  private static let payload = "eyJ2IjoxLCJvcCI6IlJlZyIsInVzZXJuYW1lIjoibWluYSIsInNlcnZlciI6Imh0dHBzOi8vbG9jYWxob3N0In0"
  private static let unlock =
    UnlockCode(minute: 29_000_000, lifetimeUnits: 12, salt: 3, mac: [UInt8](repeating: 0x77, count: 10))?.text ?? ""

  @Test(arguments: [
    "%", "%\n", "  %\r\n", "\u{FEFF}%\r\n", "> %\n", ">> %", "> > %\n>\n", "\u{FEFF}> %", "mina %", "mina: %", "% mina",
    "mina\n%\n", "> mina\n> %\n", "Account: mina\n%\n", "\t%\t",
  ]) func `finds the only code or payload in a pasted text, quoted or next to the account's name`(_ form: String) {
    for code in [Self.code, Self.payload] {
      #expect(PastedCode.enrolment(in: form.replacing("%", with: code)).code == code)
    }
  }

  @Test func `finds a pasted code in lower case, and one whose groups are separated`() {
    let words = Self.code.replacing("-", with: " ")
    for text in [words, "mina " + words, words + " mina", "> " + words, words.lowercased()] {
      #expect(PastedCode.enrolment(in: text).code == Self.code, "\(text)")
    }
  }

  @Test func `leaves 16 characters in a row as they were pasted if they may be a different server's code`() {
    let bare = Self.code.replacing("-", with: "").lowercased()
    for form in ["%", "mina %", "> %\n", "Code:%", "“%”."] {
      let text = form.replacing("%", with: bare)
      #expect(PastedCode.enrolment(in: text, keepsOthers: true).code == bare, "\(text)")
      #expect(PastedCode.enrolment(in: text).code == Self.code, "\(text)")
    }
    for form in ["%", "mina %"] {
      for code in [Self.code, Self.code.replacing("-", with: " "), Self.code.lowercased()] {
        let text = form.replacing("%", with: code)
        #expect(PastedCode.enrolment(in: text, keepsOthers: true).code == Self.code, "\(text)")
      }
    }
  }

  @Test(arguments: 0..<64) func `the account's name beside the groups of a pasted code is never taken for a group`(
    _ seed: Int
  )
    throws
  {
    let code = try #require(EnrolmentCode(random: (0..<10).map { UInt8(truncatingIfNeeded: seed &* 83 &+ $0 &* 37) }))
    let words = code.text.replacing("-", with: " ")
    for text in [
      "mina \(words)", "\(words) kim", "Mina: \(words)", "Dear Mina, your code for the machine is \(words) today.",
    ] {
      #expect(PastedCode.enrolment(in: text).code == code.text, "\(text)")
    }
    // Three groups and a word are no code, whatever the check says.
    let groups = words.split(separator: " ")
    for text in [
      "mina \(groups[0...2].joined(separator: " ")) 7QK", "AAAA \(groups[1...3].joined(separator: " ")) 9999",
    ] {
      #expect(PastedCode.enrolment(in: text).code == nil, "\(text)")
    }
  }

  @Test func `joins a pasted payload that a mail program has broken into rows`() {
    let rows = [Self.payload.prefix(44), Self.payload.dropFirst(44)].map(String.init)
    #expect(PastedCode.enrolment(in: rows.joined(separator: "\n")).code == Self.payload)
    #expect(PastedCode.enrolment(in: rows.joined(separator: "\n") + "\nmina\n").code == Self.payload)
    #expect(PastedCode.enrolment(in: "> mina\n> " + rows.joined(separator: "\n> ") + "\n").code == Self.payload)
  }

  @Test(arguments: [
    "", "a b", "two\nlines\n", "\(code) \(other)", "mina \(code)\nnora \(other)\n", "\(payload)\n\(payload)x\n",
    "\(code)\n\(payload)", "Dear Mina,\nyour code is \(code), or \(other) for the other machine.\nKind regards\n",
    "one two three four five six seven eight nine ten eleven",
  ]) func `finds nothing in a pasted text with no code or several`(_ text: String) {
    #expect(PastedCode.enrolment(in: text).code == nil)
    let hasTwo = [Self.code, Self.other, Self.payload].count { text.contains($0) } > 1 || text.contains(Self.payload)
    #expect(PastedCode.enrolment(in: text) == (hasTwo ? .several : .nothing))
  }

  @Test(arguments: [
    "\"%\"", "'%'", "“%”", "‘%’", "„%“", "«%»", "‹%›", "「%」", "『%』", "《%》", "`%`", "```\n%\n```", "＂%＂", "<%>", "(%)",
    "[%]", "{%}", "*%*", "_%_", "**%**", "__%__", "%.", "%,", "%;", "%:", "\"%\".", "(%).", "Code:%", "code=%",
    "code: %.",
    "https://fido.example.com/?code=%", "<b>%</b>", "- %", "\u{3000}%\u{3000}", "\u{2003}%", "%\u{85}", "%\u{2028}",
    "\u{200E}%\u{200F}",
    "\u{202A}%\u{202C}", "\u{2066}%\u{2069}", "\u{200B}%\u{2060}", "\u{FEFF}\u{FEFF}%", "% %", "%\n%\n",
    "on a machine whose configuration has this server, just the code is enough: %",
    "uaf-server: on a machine whose configuration has this server, just the code is enough: %\n",
    "Dear Mina,\n\nthis is the code for the new machine:\n\n    %\n\nIt is good until tomorrow.\nKind regards\n-- \nThe helpdesk\n",
    "> Dear Mina,\n>\n> this is the code for the new machine:\n> %\n> Kind regards\n",
    "안녕하세요. 새 컴퓨터를 등록할 코드를 보냅니다. 내일까지 쓸 수 있습니다. 코드는 「%」입니다. 감사합니다.\n",
  ]) func `finds the only code or payload in a pasted text, whatever a program or a letter has put around it`(
    _ form: String
  ) {
    for code in [Self.code, Self.payload] {
      let text = form.replacing("%", with: code)
      #expect(PastedCode.enrolment(in: text).code == code, "\(text)")
    }
    let text = form.replacing("%", with: Self.unlock)
    #expect(PastedCode.unlock(in: text, beside: ["mina"]).code == Self.unlock, "\(text)")
  }

  /// The code written with other characters that mean the same.
  private static func forms(of code: String) -> [String] {
    let wide = String(
      String.UnicodeScalarView(code.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xFEE0) }))
    let hyphens: [String] =
      ["\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2015}", "\u{2212}", "\u{AD}", "\u{FF0D}"]
    let spaces = ["\u{3000}", "\u{A0}", "\u{2003}", "\u{202F}", "\t", " - "]
    let marks = ["\u{200B}", "\u{200D}", "\u{200E}", "\u{2060}", "\u{FEFF}", "\u{202D}", "\u{2068}"]
    return [wide, wide.lowercased()] + (hyphens + spaces).map { code.replacing("-", with: $0) }
      + marks.map { code.replacing("-", with: $0 + "-" + $0) }
  }

  @Test func `reads characters and hyphens of other keyboards in a pasted code, and ignores invisible ones`() {
    for text in Self.forms(of: Self.code) {
      for form in ["%", "mina %", "“%”."] {
        let text = form.replacing("%", with: text)
        #expect(PastedCode.enrolment(in: text).code == Self.code, "\(text.debugDescription)")
      }
    }
    for text in Self.forms(of: Self.unlock) {
      let found = PastedCode.unlock(in: text, beside: []).code ?? ""
      #expect(UnlockCode(typed: found, near: 0) == UnlockCode(typed: Self.unlock, near: 0), "\(text.debugDescription)")
    }
  }

  @Test func `no cleaning of a pasted text turns a wrong code into a right one`() {
    let other: (Character) -> Character = { $0 == "7" ? "8" : "7" }
    for position in Self.code.indices where Self.code[position] != "-" {
      var wrong = Self.code
      wrong.replaceSubrange(position...position, with: [other(Self.code[position])])
      var shorter = Self.code
      shorter.remove(at: position)
      var longer = Self.code
      longer.insert("7", at: position)
      var marked = Self.code
      marked.insert("$", at: position)
      for text in [wrong, shorter, longer, marked].flatMap({ [$0] + Self.forms(of: $0) }) {
        for form in ["%", "“%”", "mina %", "Dear Mina, this is the code for your new machine, it is %. Kind regards"] {
          let found = PastedCode.enrolment(in: form.replacing("%", with: text)).code ?? ""
          #expect(EnrolmentCode(typed: found) == nil, "\(text)")
        }
      }
    }
  }

  @Test func `uses a pasted payload if the code below it is the one that it contains`() throws {
    let code = try #require(EnrolmentCode(typed: Self.code))
    let payload = EnrolmentPayload(code: code, server: "https://fido.example.com", username: "mina", expires: 1).encoded
    let line = "uaf-server: on a machine whose configuration has this server, just the code is enough: \(Self.code)\n"
    #expect(PastedCode.enrolment(in: payload + "\n" + line).code == payload)
    #expect(PastedCode.enrolment(in: payload + "\n" + line.replacing(Self.code, with: Self.other)) == .several)
  }

  @Test(arguments: [40, 60, 64, 72, 76, 78, 100], ["", "> ", ">> ", "  "])
  func `joins the rows of a pasted payload or signed line, however wide they are`(width: Int, quote: String) {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"unlock+jwt"}"#.utf8))
    let claims = Base64URL.encode(Array(#"{"sub":"mina","iat":1}"#.utf8))
    for last in [UInt8(0), 0xFF] {
      let token = "\(header).\(claims).\(Base64URL.encode([UInt8](repeating: last, count: 64)))"
      let long = Base64URL.encode(Array(#"{"v":1,"ca":"\#(String(repeating: "~?", count: 150))"}"#.utf8))
      for payload in [token, long] {
        var rows: [String] = []
        var rest = payload[...]
        while !rest.isEmpty {
          rows.append(quote + rest.prefix(width))
          rest = rest.dropFirst(width)
        }
        let text = rows.joined(separator: "\r\n")
        for form in ["%\r\n", "%\r\nmina\r\n", "Dear Mina,\r\n\r\n%\r\n\r\nRegards\r\n", "mina\n%.\nRegards\n"] {
          let text = form.replacing("%", with: text)
          #expect(PastedCode.enrolment(in: text).code == payload, "\(text)")
          #expect(PastedCode.unlock(in: text, beside: ["mina"]).code == payload, "\(text)")
        }
      }
    }
  }

  @Test func `a pasted text of a single word is used unchanged, whatever the word is`() {
    #expect(PastedCode.enrolment(in: "\u{FEFF}a.b.c\n").code == "a.b.c")
    #expect(PastedCode.unlock(in: "> a.b.c", beside: []).code == "a.b.c")
  }

  @Test(arguments: ["%", "mina %", "% mina", "Mina: %", "> %", "\u{FEFF}mina\t%", "% 7QK3", "mina % 7QK3", "nora %"])
  func `finds a pasted unlock code next to the account's or the machine's name`(_ form: String) {
    let text = form.replacing("%", with: Self.unlock)
    #expect(PastedCode.unlock(in: text, beside: ["mina"]).code == Self.unlock, "\(text)")
  }

  @Test func `removes the account's name before a pasted unlock code whose groups are separated`() {
    let words = Self.unlock.replacing("-", with: " ")
    let whole = Self.unlock.replacing("-", with: "")
    #expect(PastedCode.unlock(in: words, beside: ["mina"]).code == whole)
    #expect(PastedCode.unlock(in: "mina " + words, beside: ["mina"]).code == whole)
  }
}
