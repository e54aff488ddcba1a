import FidoResults
import Glibc
import SecretMemory
import Testing
import ToolTestSupport
import UAFMessages
import UAFWire

@testable import HostSystem
@testable import TerminalPrompts
@testable import UAFTool

/// `--json-conversation --together`, for a front end that shows one form for a new secret and its repetition.
@Suite struct JSONTogetherTests {
  /// The end of a challenge's line if there was no error.
  private static let nothingWrong = #""remainingAttempts":null,"errorMessage":null"#

  private static func challenge(
    _ step: String, _ text: String, check: String = "passcode", error: String = "null", more: String = ""
  ) -> String {
    #"{"check":"\#(check)","step":"\#(step)","echo":false,"text":"\#(text)","remainingAttempts":null,"#
      + #""errorMessage":\#(error)\#(more)}"#
  }

  private static func line(_ challenges: String...) -> String {
    #"{"type":"challenges","challenges":[\#(challenges.joined(separator: ","))]}"#
  }

  /// The line with both challenges for a new passcode, as the core asks for it in English.
  private static let both = line(
    challenge("new", "New passcode for alice: "), challenge("newAgain", "New passcode again: "))

  private static func prompt(
    _ step: PromptStep, _ text: String, check: Check = .passcode, error: String? = nil, length: UInt32? = nil
  ) -> CoreMessage {
    var prompt = Prompt(echo: false, check: check, step: step, text: text)
    (prompt.errorMessage, prompt.entryLength) = (error, length)
    return .prompt(prompt)
  }

  private static let new = prompt(.new, "New passcode for alice: ")
  private static let again = prompt(.newAgain, "New passcode again: ")
  private static let changed = Bench.failure(0, 7110)
  private static let cancelled = Bench.failure(20, 7112, "Cancelled.")

  private func change(_ core: [CoreMessage], _ input: String, locale: String? = nil) -> Bench {
    Bench(
      ["change", "--json-conversation", "--together"], core: FakeCore(core), input: Array(input.utf8), locale: locale)
  }

  private func lines(_ bench: Bench) -> [String] { bench.output.split(separator: "\n").map(String.init) }

  // MARK: Two entries together

  @Test(arguments: [
    ("marmalade7", "marmalade7"), ("marmalade7", "marmalade8"), ("", ""), ("a", ""), ("", "b"), ("한글 ß 😀", "x"),
  ])
  func `with --together a new secret and its repetition are one line, and both answers are sent in order`(
    first: String, second: String
  ) {
    let bench = change(
      [Bench.question, Self.new, Self.again, Self.changed],
      "{\"answers\":[\"old\"]}\n{\"answers\":[\"\(first)\",\"\(second)\"]}\n")
    #expect(bench.exit == .success && bench.notes == "")
    #expect(bench.sent.dropFirst() == [Bench.answer("old"), Bench.answer(first), Bench.answer(second)])
    #expect(lines(bench).prefix(2) == [Self.line(Self.challenge("current", "Passcode: ")), Self.both])
    #expect(lines(bench).count == 3 && lines(bench).last?.hasPrefix(#"{"type":"success","result":7110,"#) == true)
  }

  @Test func `with --together the longest answers are sent in full, and a longer one cancels`() {
    let (first, second) = (String(repeating: "a", count: 1024), String(repeating: "ß", count: 512))
    let escaped = String(repeating: #"\u00df"#, count: 512)
    let bench = change(
      [Self.new, Self.again, Self.changed], "{\"answers\":[\"\(first)\",\"\(escaped)\"]}\n")
    #expect(bench.sent.dropFirst() == [Bench.answer(first), Bench.answer(second)])
    for answers in ["\"\(first)a\",\"b\"", "\"a\",\"\(first)b\"", "\"\(first)\",\"\(escaped)b\""] {
      let refused = change([Self.new, Self.cancelled], "{\"answers\":[\(answers)]}\n")
      #expect(refused.sent.dropFirst() == [FrontEndSignal.cancelled.packet])
    }
  }

  @Test
  func `with --together both entries are asked for again if the core refuses the first, and the second is not sent`() {
    let refused = Self.prompt(.new, "New passcode for alice: ", error: "Use 8 characters or more.")
    let bench = change(
      [Self.new, refused, Self.again, Self.changed],
      "{\"answers\":[\"short\",\"unused\"]}\n{\"answers\":[\"marmalade7\",\"marmalade7\"]}\n")
    #expect(bench.exit == .success)
    #expect(
      bench.sent.dropFirst() == [Bench.answer("short"), Bench.answer("marmalade7"), Bench.answer("marmalade7")])
    let told = Self.line(
      Self.challenge(
        "new", #"Use 8 characters or more.\u000aNew passcode for alice: "#, error: #""Use 8 characters or more.""#),
      Self.challenge("newAgain", "New passcode again: "))
    #expect(lines(bench).prefix(2) == [Self.both, told])
  }

  @Test func `with --together the core refuses two different entries, and both are asked for again`() {
    let differ = Self.prompt(.new, "New passcode for alice: ", error: "The two entries do not match.")
    let bench = change(
      [Self.new, Self.again, differ, Self.again, Self.changed],
      "{\"answers\":[\"one\",\"two\"]}\n{\"answers\":[\"three\",\"three\"]}\n")
    #expect(bench.exit == .success)
    #expect(Array(bench.sent.dropFirst()) == ["one", "two", "three", "three"].map(Bench.answer))
    #expect(lines(bench).count == 3 && lines(bench)[1].contains(#""errorMessage":"The two entries do not match.""#))
  }

  // MARK: The challenge for the repetition is the core's own

  private static let kinds: [(check: Check, kind: ValueKind, digits: Int?, length: UInt32?)] = [
    (.passcode, .passcode, nil, nil), (.passcode, .passcode, 4, 4), (.passcode, .passcode, 6, 6),
    (.passcode, .passcode, nil, 16), (.pattern, .pattern, nil, nil),
  ]

  @Test(arguments: [Language.english, .korean], ["alice", "O'Neil-2", "new", "4 digits", "a: b (4)"])
  func `with --together the second challenge is the prompt that the core sends next, in every language`(
    _ language: Language, _ user: String
  ) throws {
    for value in Self.kinds {
      let text = PromptText.newValue(value.kind, user: user, digits: value.digits).text(in: language)
      let told = PromptText.newValueAgain(value.kind, digits: value.digits).text(in: language)
      for above in ["", "Use 8 characters or more.\n", "두 줄\nNew passcode for bob: \n"] {
        // If the locale names no language, the core uses that of its configuration.
        for locale in [nil, "ko_KR.UTF-8"] {
          let bench = change(
            [
              Self.prompt(.new, above + text, check: value.check, length: value.length),
              Self.prompt(.newAgain, told, check: value.check, length: value.length), Self.changed,
            ], "{\"answers\":[\"1\",\"2\"]}\n", locale: locale)
          let more = value.length.map { #","entryLength":\#($0)"# } ?? ""
          let second = Self.challenge("newAgain", told, check: value.check.rawValue, more: more)
          #expect(lines(bench).first?.hasSuffix(",\(second)]}") == true, "\(bench.output)")
          #expect(bench.sent.dropFirst() == [Bench.answer("1"), Bench.answer("2")])
        }
      }
    }
  }

  @Test(arguments: [
    (Check.passcode, nil as String?, "New passcode again: "), (.passcode, "ko_KR.UTF-8", "새 패스코드 다시 입력: "),
    (.pattern, nil, "New pattern again: "), (.pattern, "ko_KR.UTF-8", "새 패턴 다시 입력: "),
  ])
  func `with --together the second challenge is in the caller's language if the core's is unknown`(
    check: Check, locale: String?, text: String
  ) {
    let bench = change(
      [Self.prompt(.new, "?", check: check), Self.prompt(.newAgain, "!", check: check), Self.changed],
      "{\"answers\":[\"1\",\"2\"]}\n", locale: locale)
    #expect(
      lines(bench).first
        == Self.line(
          Self.challenge("new", "?", check: check.rawValue), Self.challenge("newAgain", text, check: check.rawValue)))
    #expect(bench.sent.dropFirst() == [Bench.answer("1"), Bench.answer("2")])
  }

  @Test func `with --together the second challenge has the reason and length of the first, but not its error`() {
    var prompt = Prompt(echo: false, check: .passcode, step: .new, text: "New passcode for alice (4 digits): ")
    (prompt.reason, prompt.entryLength, prompt.errorMessage) = ("ward 3", 4, "No.")
    let bench = change([.prompt(prompt), Self.changed], "{\"answers\":[\"1\",\"2\"]}\n")
    #expect(
      lines(bench).first?.hasSuffix(
        #","text":"Reason: ward 3\u000aNew passcode again (4 digits): ",\#(Self.nothingWrong),"reason":"ward 3","entryLength":4}]}"#
      )
        == true, "\(bench.output)")
  }

  // MARK: One entry

  @Test func `with --together every other prompt is a list of one challenge`() {
    for check in Check.allCases {
      var prompt = Prompt(echo: check == .code, check: check, step: .current, text: "?")
      if check == .choice { prompt.options = ["a", "b"] }
      for step in [PromptStep.current, .newAgain] {
        prompt.step = step
        let bench = change([.prompt(prompt), Self.changed], "{\"answers\":[\"1\"]}\n")
        #expect(lines(bench).first?.components(of: #""step":"#) == 1, "\(bench.output)")
        #expect(bench.sent.last == Bench.answer("1"))
      }
    }
    for check in [Check.choice, .code] {
      let bench = change([Self.prompt(.new, "?", check: check), Self.changed], "{\"answers\":[\"1\"]}\n")
      #expect(lines(bench).first?.components(of: #""step":"#) == 1 && bench.sent.last == Bench.answer("1"))
    }
  }

  @Test(arguments: [Language.english, .korean], [false, true])
  func `with --together a shuffled keypad has one challenge for each entry, because each has its own layout`(
    _ language: Language, _ isSpeltOut: Bool
  ) {
    func text(_ keys: [UInt8], _ text: PromptText) -> String {
      KeypadText(keys: keys, isSpeltOut: isSpeltOut).text(in: language) + "\n" + text.text(in: language)
    }
    let bench = change(
      [
        Self.prompt(
          .new, text([1, 2, 3, 4, 5, 6, 7, 8, 9, 0], .newValue(.passcode, user: "alice", digits: 4)), length: 4),
        Self.prompt(.newAgain, text([9, 8, 7, 6, 5, 4, 3, 2, 1, 0], .newValueAgain(.passcode, digits: 4)), length: 4),
        Self.changed,
      ], "{\"answers\":[\"1234\"]}\n{\"answers\":[\"9876\"]}\n")
    #expect(bench.exit == .success, "\(bench.output)")
    #expect(bench.sent.dropFirst() == [Bench.answer("1234"), Bench.answer("9876")])
    #expect(lines(bench).prefix(2).allSatisfy { $0.components(of: #""step":"#) == 1 })
  }

  // MARK: The second answer is sent only for its own prompt

  @Test(arguments: [
    [prompt(.current, "Passcode: ")], [prompt(.newAgain, "Again: ", check: .pattern)],
    [prompt(.new, "Code: ", check: .code)],
    [prompt(.newAgain, "New passcode again: ", error: "No.")], [.error("No."), again],
    [
      prompt(.newAgain, KeypadText(keys: Array(0...9), isSpeltOut: false).text(in: .english) + "\nNew passcode again: ")
    ],
  ])
  func `with --together, if the core sends another message next, the second answer is dropped and asked for again`(
    next: [CoreMessage]
  ) {
    let bench = change(
      [Self.new] + next + [Self.cancelled], "{\"answers\":[\"first\",\"secret2\"]}\n{\"answers\":[\"other\"]}\n")
    #expect(bench.sent.dropFirst() == [Bench.answer("first"), Bench.answer("other")], "\(bench.output)")
    #expect(lines(bench).filter { $0.contains(#""type":"challenges""#) }.count == 2)
    #expect(!(bench.output + bench.notes).contains("secret2"))
  }

  @Test func `with --together a second answer is sent only once`() {
    let bench = change(
      [Self.new, Self.again, Self.again, Self.cancelled], "{\"answers\":[\"a\",\"b\"]}\n{\"cancel\":true}\n")
    #expect(
      bench.sent.dropFirst() == [Bench.answer("a"), Bench.answer("b"), FrontEndSignal.cancelled.packet])
  }

  @Test func `with --together a notice between the two prompts changes nothing`() {
    let bench = change([Self.new, .info("Wait."), Self.again, Self.changed], "{\"answers\":[\"a\",\"b\"]}\n")
    #expect(bench.exit == .success && bench.sent.dropFirst() == [Bench.answer("a"), Bench.answer("b")])
  }

  /// A front end whose answer to the first challenge is already in the pipe `given`.
  private func person(_ given: ToolTestSupport.Pipe, _ results: ToolTestSupport.Pipe) -> JSONPerson {
    _ = DescriptorWriter.write(Array("{\"answers\":[\"first\",\"second\"]}\n".utf8), to: given.writing)
    given.closeWriting()
    let context = ToolContext(
      caller: ToolUser(userID: 1000, locale: nil, tty: nil, accounts: FakeAccounts()),
      output: Output(results: results.writing, notes: results.writing), input: given.reading, terminal: nil,
      display: TerminalDisplay(), core: FakeCore([]), workingDirectory: "/srv/work", installation: .nowhere,
      usesColours: false)
    return JSONPerson(
      input: LineInput(descriptor: given.reading), lines: JSONLines(in: context), answersTogether: true)
  }

  @Test func `with --together the second answer stays in locked memory only until the next prompt or an error`()
    throws
  {
    let new = Prompt(echo: false, check: .passcode, step: .new, text: "New: ")
    let next: [(what: String, next: (inout JSONPerson) throws -> Void)] = [
      ("its question", { _ = try $0.answer(Prompt(echo: false, check: .passcode, step: .newAgain, text: "Again: ")) }),
      ("the same question again", { _ = try $0.answer(new) }),
      ("another question", { _ = try $0.answer(Prompt(echo: false, check: .code, step: .current, text: "Code: ")) }),
      ("an error", { $0.hear("No.", isError: true) }), ("ready", { _ = try $0.isReady() }),
    ]
    for (what, next) in next {
      let (given, results) = (ToolTestSupport.Pipe(), ToolTestSupport.Pipe())
      var person = person(given, results)
      guard case .value(let first) = try person.answer(new) else {
        Issue.record("no answer before \(what)")
        return
      }
      // The first answer left nothing of the second behind.
      let count = first.count
      person.hear("Wait.", isError: false)
      let isHeld = person.hasAnswerAhead
      try next(&person)
      let isHeldAfterwards = person.hasAnswerAhead
      #expect(count == 5 && isHeld && !isHeldAfterwards, "\(what)")
    }
  }

  // MARK: Lines that are no answer

  @Test(arguments: [
    #"{"answers":["secret"]}"#, #"{"answers":["secret","b","c"]}"#, #"{"answers":[]}"#, #"{"answer":"secret"}"#,
    #"{"answers":"secret"}"#, #"{"answers":["secret",null]}"#, #"{"answers":["secret",1]}"#,
    #"{"answers":["secret","b",]}"#,
    #"{"answers":["secret","b"],"x":1}"#, #"{"x":1,"answers":["secret","b"]}"#, #"{"answers":["secret","b"]"#,
    #"{"answers":["secret" "b"]}"#, #"{"answers":[["secret","b"]]}"#, #"{"answers":["secret","b"],"cancel":true}"#,
    #"{"answers":["secret","b"],"answers":["secret","b"]}"#, #"{"answers":["secret","b\u0000"]}"#, #"["secret","b"]"#,
    #"{"Answers":["secret","b"]}"#, #"{"answers":["secret","b"]} x"#, "secret", #"{"answers":{"0":"secret","1":"b"}}"#,
    #"{"answers":[,"secret"]}"#, "",
  ])
  func `with --together any line but two answers cancels, says so, and repeats no part of itself`(line: String) {
    let bench = change([Self.new, Self.cancelled], line.isEmpty ? "" : line + "\n{\"answers\":[\"a\",\"b\"]}\n")
    #expect(bench.sent.dropFirst() == [FrontEndSignal.cancelled.packet], "\(bench.output)")
    #expect(lines(bench).dropFirst().first?.hasPrefix(#"{"type":"error","text":""#) == true)
    #expect(lines(bench).last?.hasPrefix(#"{"type":"failure","result":7112,"#) == true)
    #expect(!(bench.output + bench.notes).contains("secret"))
  }

  @Test(arguments: [#"{"answers":[]}"#, #"{"answers":["a","b"]}"#, #"{"answer":"a"}"#, "a"])
  func `with --together any line but one answer to a single challenge cancels`(line: String) {
    let bench = change([Bench.question, Self.cancelled], line + "\n")
    #expect(bench.sent.dropFirst() == [FrontEndSignal.cancelled.packet])
    #expect(lines(bench).dropFirst().first?.hasPrefix(#"{"type":"error","text":""#) == true)
  }

  @Test func `without --together a list of answers cancels`() {
    for line in [#"{"answers":["a"]}"#, #"{"answers":["a","b"]}"#] {
      let bench = Bench(
        ["change", "--json-conversation"], core: [Self.new, Self.cancelled], input: line + "\n")
      #expect(bench.sent.dropFirst() == [FrontEndSignal.cancelled.packet])
      #expect(lines(bench).first?.hasPrefix(#"{"type":"challenge","check":"passcode","step":"new","#) == true)
    }
  }

  @Test func `with --together a line that is too long cancels, and its rest is not taken for a second answer`() {
    let long = #"{"answers":["a",""# + String(repeating: "b", count: 30_000) + "\"]}\n"
    let bench = change([Self.new, Self.new, Self.cancelled], long + "{\"answers\":[\"c\",\"d\"]}\n")
    #expect(bench.sent.dropFirst() == [FrontEndSignal.cancelled.packet, Bench.answer("c")])
  }

  @Test func `with --together a front end can cancel, and a resume that nothing waits for is ignored`() {
    let bench = change([Self.new, Self.cancelled], "{\"resume\":true}\n{\"cancel\":true}\n")
    #expect(bench.exit == .refused && bench.sent.dropFirst() == [FrontEndSignal.cancelled.packet])
    #expect(!bench.output.contains(#""type":"error""#))
    let resumed = change([Self.new, Self.again, Self.changed], "{\"resume\":true}\n{\"answers\":[\"a\",\"b\"]}\n")
    #expect(resumed.exit == .success && resumed.sent.dropFirst() == [Bench.answer("a"), Bench.answer("b")])
  }

  // MARK: Other subcommands

  @Test(arguments: [["authenticate"], ["register"], ["deregister", "passcode"], ["repair"], ["change"]])
  func `each command with --json-conversation accepts --together, before and after it`(arguments: [String]) {
    for options in [["--json-conversation", "--together"], ["--together", "--json-conversation"]] {
      let end = arguments == ["change"] ? Self.changed : Bench.success
      let bench = Bench(
        arguments + options, core: [Self.new, Self.again, end], input: "{\"answers\":[\"a\",\"b\"]}\n")
      #expect(bench.exit == .success && bench.sent.dropFirst() == [Bench.answer("a"), Bench.answer("b")])
      #expect(lines(bench).first == Self.both)
    }
  }

  @Test func `with --together an approval can be denied as usual`() {
    let payload = EnrolmentPayload(
      op: .authentication, server: "https://fido.example.com", username: "alice", authCode: "c0de", expires: 1)
    let bench = Bench(
      ["oob", "-", "--json-conversation", "--together"], core: [Bench.question, Bench.failure(19, 999, "Denied.")],
      input: payload.encoded + "\n{\"deny\":true}\n")
    #expect(bench.exit == .refused && bench.sent.last == FrontEndSignal.denied.packet)
  }

  @Test func `with --together a divided login is ready as usual, and accepts no answer at that point`() {
    let core: [CoreMessage] = [.ready, Bench.question, Bench.success]
    let arguments = ["authenticate", "--divided", "--json-conversation", "--together"]
    let bench = Bench(arguments, core: core, input: "{\"resume\":true}\n{\"answers\":[\"a\"]}\n")
    #expect(bench.exit == .success && bench.sent.last == Bench.answer("a"))
    #expect(lines(bench).first == #"{"type":"ready","result":10,"name":"RESULT_AUTH_READY_SUCCESS"}"#)
    for line in [#"{"answers":["a"]}"#, #"{"answers":["a","b"]}"#, #"{"answer":"a"}"#, #"{"deny":true}"#, ""] {
      let early = Bench(arguments, core: [.ready, Bench.failure(19, 999)], input: line + "\n")
      #expect(early.exit == .refused && early.sent.last == FrontEndSignal.cancelled.packet)
      #expect(lines(early).dropFirst().first?.hasPrefix(#"{"type":"error","#) == true)
    }
  }

  @Test(arguments: [
    ["change", "--together"], ["register", "--together"], ["authenticate", "--json", "--together"],
    ["oob", "-", "--together", "--json"], ["reset", "--together"], ["deregister", "--together"],
    ["repair", "--together"],
  ])
  func `--together without --json-conversation is refused before anybody is asked`(arguments: [String]) {
    for (locale, words) in [("C", "--together goes with --json-conversation"), ("ko_KR.UTF-8", "--together는")] {
      let bench = Bench(arguments, core: FakeCore([Bench.success]), locale: locale)
      #expect(bench.exit == .usage && bench.startedOwn.isEmpty && bench.output == "")
      #expect(bench.notes.contains(words), "\(bench.notes)")
    }
  }
}

extension String {
  /// How often the text contains a part.
  fileprivate func components(of part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
