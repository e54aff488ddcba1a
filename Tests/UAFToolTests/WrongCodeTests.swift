import Testing
import ToolTestSupport
import UAFMessages
import UAFWire

@testable import UAFTool

/// Codes and payloads that are given to the wrong command.
@Suite struct WrongCodeTests {
  private static let enrolmentCode = EnrolmentCode(random: [UInt8](repeating: 0x5A, count: 10))?.text ?? ""

  /// One code for each purpose.
  private static func code(_ kind: CodeKind) -> String {
    let server = "https://fido.example.com"
    return switch kind {
    case .enrolmentCode: enrolmentCode
    case .enrolmentPayload:
      EnrolmentPayload(op: .registration, server: server, username: "alice", authCode: "c0de", expires: 1).encoded
    case .approval:
      EnrolmentPayload(op: .authentication, server: server, username: "alice", authCode: "c0de", expires: 1).encoded
    case .machinePayload:
      MachinePayload(server: server, code: "c0de", expires: 1, group: .standard, verdictKeys: "keys").encoded
    case .unlockCode: "S760-0303-000G-40R4-0M30-E209"
    case .unlockPayload:
      [#"{"alg":"ES256","kid":"0123456789abcdef","typ":"unlock+jwt"}"#, #"{"sub":"alice"}"#]
        .map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".") + "."
        + Base64URL.encode([UInt8](repeating: 7, count: 64))
    case .recoveryKey: [String](repeating: "bafod", count: 10).joined(separator: "-")
    }
  }

  /// A command whose last argument is a code, and the purposes whose codes it accepts.
  private struct Command {
    let words: [String]
    let takes: Set<CodeKind>
    var user: UInt32 = 1000
  }

  private static let commands = [
    Command(words: ["register", "--code"], takes: [.enrolmentCode, .enrolmentPayload]),
    Command(words: ["deregister", "--code"], takes: [.enrolmentCode, .enrolmentPayload]),
    Command(words: ["reset", "--code"], takes: [.enrolmentCode, .enrolmentPayload]),
    Command(words: ["repair", "--code"], takes: [.enrolmentCode, .enrolmentPayload]),
    Command(words: ["trust", "--code"], takes: [.enrolmentPayload], user: 0),
    Command(words: ["oob"], takes: [.enrolmentPayload, .approval]),
    Command(words: ["unlock", "--payload"], takes: [.unlockCode, .unlockPayload]),
    Command(words: ["join", "--payload"], takes: [.machinePayload], user: 0),
  ]

  private static let letters = ["%", "%\n", "Dear alice,\n\nhere it is: %\n\nKind regards\n", "> alice\n> %\n"]

  private func check(_ bench: Bench, _ kind: CodeKind, isTaken: Bool, _ about: String) {
    let code = Self.code(kind)
    if isTaken {
      #expect(bench.sent.count == 1, "\(about): \(bench.notes)")
    } else {
      #expect(bench.exit == .usage && bench.sent.isEmpty, "\(about): \(bench.notes)")
      let isNamed = bench.notes.contains("'\(kind.command)' takes it") || bench.notes.contains("the whole line")
      #expect(isNamed, "\(about): \(bench.notes)")
      #expect(!bench.notes.contains(code), "\(about)")
    }
  }

  @Test(arguments: CodeKind.allCases, letters)
  func `each command accepts its own codes, and names the right command for every other code`(
    kind: CodeKind, letter: String
  ) {
    let folder = Folder()
    let path = folder.file("code", Array(letter.replacing("%", with: Self.code(kind)).utf8), mode: 0o600)
    for command in Self.commands where command.words[0] != "join" || !command.takes.contains(kind) {
      let end = command.words[0] == "reset" ? Bench.failure(0, 7100) : Bench.success
      let bench = Bench(command.words + [path], as: command.user, core: [end])
      check(bench, kind, isTaken: command.takes.contains(kind), "\(command.words) \(kind)")
    }
  }

  @Test(arguments: CodeKind.allCases, letters)
  func `a code from a pipe is accepted or refused as one from a file`(kind: CodeKind, letter: String) {
    let input = letter.replacing("%", with: Self.code(kind))
    for command in Self.commands where command.words[0] != "join" || !command.takes.contains(kind) {
      let end = command.words[0] == "reset" ? Bench.failure(0, 7100) : Bench.success
      let bench = Bench(command.words + ["-"], as: command.user, core: [end], input: input)
      check(bench, kind, isTaken: command.takes.contains(kind), "\(command.words) \(kind)")
    }
    let typed = Bench(["unlock", "--code"], core: [Bench.success], input: input)
    check(typed, kind, isTaken: [.unlockCode, .unlockPayload].contains(kind), "unlock --code \(kind)")
  }

  @Test(arguments: CodeKind.allCases) func `a code in place of an account is not repeated in the message`(
    kind: CodeKind
  ) {
    for words in [
      ["register"], ["deregister"], ["reset"], ["repair"], ["unlock"], ["status"], ["authenticate"], ["change"],
    ] {
      for user in [UInt32(0), 1000] {
        let bench = Bench(words + [Self.code(kind)], as: user, core: [Bench.success])
        if words == ["reset"], user == 1000 { continue }
        #expect(bench.exit == .usage && bench.sent.isEmpty && !bench.notes.contains(Self.code(kind)), "\(words)")
        #expect(bench.notes.contains("no place on the command line, which other people see"), "\(bench.notes)")
      }
    }
  }

  @Test(arguments: ["ㅠ9ㅇ5-ㅡㅔㅓㅅ-ㅠ9ㅇ5-ㅡㅔㅓㅂ", "64가2ㅊ9ㅗ64가2ㅊ9ㅍ", "가가-가가-가가-가2ㅍ"])
  func `a code that was typed in Hangul in place of an account or a file is not repeated in the message`(_ code: String)
  {
    for words in [["register", code], ["register", "--code", code], ["reset", "--code", code]] {
      let bench = Bench(words, core: [Bench.success])
      #expect(bench.exit == .usage && bench.sent.isEmpty && !bench.notes.contains(code), "\(words) \(bench.notes)")
      #expect(bench.notes.contains("no place on the command line, which other people see"), "\(bench.notes)")
    }
  }

  @Test(arguments: ["ㅠ9ㅇ5-ㅡㅔㅓㅅ-ㅠ9ㅇ5-ㅡㅔㅓㅂ", "64가 2ㅊ9ㅗ 64가 2ㅊ9ㅍ", "64가2ㅊ9ㅗ64가2ㅊ9ㅍ"])
  func `a code that was typed in Hangul is not passed on, and the message names the keyboard`(_ code: String) {
    let bench = Bench(["register", "--code", "-"], core: [Bench.success], input: code + "\n")
    #expect(bench.exit == .usage && bench.sent.isEmpty && !bench.notes.contains(code))
    #expect(bench.notes.hasPrefix("uafctl: the enrolment code was typed with the Korean keyboard layout\n"))
    let letter = Bench(
      ["register", "--code", "-"], core: [Bench.success], input: "민아 씨의 코드: \(Self.enrolmentCode)\n")
    #expect(letter.exit == .success && letter.sent.count == 1, "\(letter.notes)")
  }

  @Test func `an account name of four letters next to an enrolment code is not read as part of an unlock code`() {
    let bench = Bench(["unlock", "--code"], core: [Bench.success], input: "mina \(Self.enrolmentCode)\n")
    #expect(bench.exit == .usage && bench.sent.isEmpty)
    #expect(bench.notes.contains("'uafctl register --code FILE' takes it"))
  }

  @Test(arguments: CodeKind.allCases) func `each purpose of a code has its name and its command in both languages`(
    kind: CodeKind
  ) {
    #expect(EnglishWords.found(in: kind.korean) == [] && kind.korean != kind.english)
    #expect(kind.command.hasPrefix("uafctl "))
  }
}

/// Codes that come through a pipe, alone or within a letter.
@Suite struct PipedCodeTests {
  private static let code = EnrolmentCode(random: [UInt8](repeating: 0x5A, count: 10))?.text ?? ""
  private let terminal = Terminal()

  private func begin(_ payload: String) -> [UInt8] {
    var begin = Begin(.register)
    begin.service = Array("uafctl".utf8)
    begin.payload = Array(payload.utf8)
    return Bench.packet(begin)
  }

  @Test(arguments: [
    "Dear alice,\n\nyour code is \(code).\nUse it today.\nUse it today.\n", "\n\nDear alice,\n\(code)\n\nRegards\n",
    "> \(code)\n>\n> Regards\n", "alice\n\(code)\nRegards\n", "\u{FEFF}alice: \(code)\r\nRegards\r\n",
  ])
  func `a code is found in a piped letter, and the answers are asked for at the terminal, not read from the letter`(
    letter: String
  ) {
    let terminal = terminal
    let typist = Typist {
      _ = terminal.expect("Passcode: ")
      terminal.type(Array("secret\r".utf8))
    }
    let bench = Bench(
      ["register", "--code", "-"], core: [Bench.question, Bench.success], input: letter,
      sessionTerminal: terminal.program)
    typist.join()
    #expect(bench.exit == .success, "\(bench.notes)")
    #expect(bench.sent == [begin(Self.code), Bench.answer("secret")])
  }

  @Test func `with a piped letter but no terminal nothing is set, and a text says how to give the answers`() {
    let bench = Bench(
      ["register", "--code", "-"], core: [Bench.question, Bench.success],
      input: "Your code: \(Self.code)\nsecret\nsecret\n")
    #expect(bench.exit == .usage && !bench.sent.contains(Bench.answer("secret")))
    #expect(bench.notes.hasPrefix("uafctl: standard input has no answer behind the code, and there is no terminal"))
  }

  @Test func `a blank line after a piped code is not an answer`() {
    for rest in ["\nsecret\nsecret\n", "\r\n\r\nRegards\n"] {
      let bench = Bench(
        ["register", "--code", "-"], core: [Bench.question, Bench.success], input: Self.code + "\n" + rest)
      #expect(bench.exit == .usage && bench.sent.count < 2, "\(bench.notes)")
      #expect(bench.notes.contains("uafctl: a blank line follows the code on standard input"))
    }
  }

  @Test func `the rows of a piped code that a mail program has broken are joined`() {
    let payload = EnrolmentPayload(
      op: .registration, server: "https://fido.example.com", username: "alice", authCode: "c0de", expires: 1
    ).encoded
    let rows = payload.prefix(76) + "\n" + payload.dropFirst(76) + "\n"
    let bench = Bench(["register", "--code", "-"], core: [Bench.success], input: String(rows))
    #expect(bench.exit == .success && bench.sent == [begin(payload)], "\(bench.notes)")
  }

  @Test(arguments: [true, false]) func `a piped code in UTF-16 with a byte order mark is accepted`(
    isBigEndian: Bool
  ) {
    let bytes: [UInt8] = ([0xFEFF] + Array("alice \(Self.code)\r\n".utf16)).flatMap { unit in
      isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
    let bench = Bench(["register", "--code", "-"], core: FakeCore([Bench.success]), input: bytes)
    #expect(bench.exit == .success && bench.sent == [begin(Self.code)], "\(bench.notes)")
  }

  @Test(arguments: [
    ("Dear alice,\nno code yet.\n", "there is no code in it, or only a part of one"),
    ("B9D5 MPJT B9D5 MPJR\n", "the enrolment code has a typing error"),
    ("b9d5 mpjt b9d mpjq\n", "the enrolment code has a typing error in group 3 of 4"),
    ("64가 2ㅊ9ㅗ 64가 2ㅊ9ㅍ\n", "the enrolment code was typed with the Korean keyboard layout"),
    (
      "Dear alice,\n\(code)\nor this one, which is for the other machine\nand \(other)\n",
      "more than one code could be meant"
    ),
    ("a\u{0}b\n", "that is not a code: it has NUL bytes"),
  ])
  func `a pipe with no code or several is refused like such a file`(letter: String, told: String) {
    let folder = Folder()
    let path = folder.file("letter", Array(letter.utf8), mode: 0o600)
    for (arguments, input) in [(["register", "--code", path], ""), (["register", "--code", "-"], letter)] {
      let bench = Bench(arguments, core: FakeCore([Bench.success]), input: Array(input.utf8))
      #expect(
        bench.exit == .usage && bench.sent.isEmpty && bench.notes.hasPrefix("uafctl: \(told)\n"), "\(bench.notes)")
    }
  }

  private static let other = EnrolmentCode(random: [UInt8](repeating: 0x31, count: 10))?.text ?? ""

  @Test(arguments: ["b9d5mpjtb9d5mpjq", "B9D5MPJTB9D5MPJQ"])
  func `a code of 16 characters in a row is passed on as it was written, because it may be another server's`(
    code: String
  ) {
    let bench = Bench(["register", "--code", "-"], core: [Bench.success], input: code + "\n")
    #expect(bench.exit == .success && bench.sent == [begin(code)], "\(bench.notes)")
  }

  @Test func `in a JSON conversation the code is the first line, and no further line is waited for`() {
    let bench = Bench(
      ["register", "--json-conversation", "--code", "-"], core: [Bench.question, Bench.success],
      input: "alice \(Self.code)\n{\"answer\":\"secret\"}\n")
    #expect(bench.exit == .success && bench.sent == [begin(Self.code), Bench.answer("secret")], "\(bench.output)")
  }

  @Test(arguments: [
    "\(code)\n", "\n\n\(code)\n", "alice\n\(code)\n", "Dear alice,\n\nyour code is \(code).\nUse it today.\n",
    "> \(code)\n>\n> Regards\n",
  ])
  func `a JSON conversation finds the code in a letter, which ends where an answer begins`(letter: String) {
    for more in [[], ["--together"]] {
      let answer = more.isEmpty ? "{\"answer\":\"secret\"}\n" : "{ \"answers\" : [\"secret\"]}\n"
      let bench = Bench(
        ["register", "--json-conversation", "--code", "-"] + more, core: [Bench.question, Bench.success],
        input: letter + answer)
      #expect(bench.exit == .success && bench.sent == [begin(Self.code), Bench.answer("secret")], "\(bench.output)")
    }
  }

  @Test func `a JSON conversation joins the rows of a code that a mail program has broken`() {
    let payload = EnrolmentPayload(
      op: .registration, server: "https://fido.example.com", username: "alice", authCode: "c0de", expires: 1
    ).encoded
    let bench = Bench(
      ["register", "--json-conversation", "--code", "-"], core: [Bench.question, Bench.success],
      input: payload.prefix(76) + "\n" + payload.dropFirst(76) + "\n{\"answer\":\"secret\"}\n")
    #expect(bench.exit == .success && bench.sent == [begin(payload), Bench.answer("secret")], "\(bench.output)")
  }

  @Test func `a JSON conversation refuses a letter with two codes, and one without a code`() {
    for (letter, told) in [
      (
        "Dear alice,\n\(Self.code)\nor this one, which is for the other machine\nand \(Self.other)\n",
        "more than one code"
      ),
      ("Dear alice,\nno code yet.\n", "there is no code in it"),
    ] {
      let bench = Bench(
        ["register", "--json-conversation", "--code", "-"], core: [Bench.question, Bench.success],
        input: letter + "{\"answer\":\"secret\"}\n")
      #expect(bench.exit == .usage && bench.sent.isEmpty && bench.output.contains(told), "\(bench.output)")
    }
  }
}
