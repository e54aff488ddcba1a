import FidoResults
import Testing

@Suite struct PromptTextTests {
  private static let prompts: [PromptText] = [
    .passcode(user: "alice", service: nil), .passcode(user: "alice", service: "sudo"), .currentValue(user: "alice"),
    .newValue(user: "alice"), .newValueAgain, .valuesDiffer, .enrol(user: "alice"), .enrolmentCode,
    .wrong(triesLeft: nil), .wrong(triesLeft: 1), .wrong(triesLeft: 4), .locked(seconds: 1), .locked(seconds: 30),
    .locked(seconds: 300), .lockedForGood, .digitsExpected(6), .refusedByServer(nil), .refusedByServer("no"),
    .serverStatus(1493), .serverNumber(12_345), .cancelled, .configurationError, .registered(user: "alice"),
    .deregistered(user: "alice"), .patternGrid,
    .noAnswer(.dns), .noAnswer(.refused), .noAnswer(.timeOut), .noAnswer(.tls),
    .noAnswer(.connectionLost), .confirm("mina@desk: sudo id"), .textTooLong(2048),
  ]

  @Test(arguments: Language.allCases) func `every prompt has a text of its own`(_ language: Language) {
    let texts = Self.prompts.map { $0.text(in: language) }
    #expect(!texts.contains("") && Set(texts).count == texts.count)
  }

  @Test func `no prompt is the same in both languages`() {
    for prompt in Self.prompts { #expect(prompt.text(in: .english) != prompt.text(in: .korean)) }
  }

  @Test func `the passcode prompt names the person, and the service once`() {
    #expect(PromptText.passcode(user: "alice", service: nil).text(in: .english) == "Passcode for alice: ")
    #expect(PromptText.passcode(user: "alice", service: "sudo").text(in: .english) == "Passcode for alice (sudo): ")
    #expect(PromptText.passcode(user: "alice", service: "sudo").text(in: .korean) == "alice 패스코드 (sudo): ")
  }

  @Test func `one try is not several tries`() {
    #expect(PromptText.wrong(triesLeft: 1).text(in: .english) == "Wrong passcode: 1 try left.")
    #expect(PromptText.wrong(triesLeft: 2).text(in: .english) == "Wrong passcode: 2 tries left.")
    #expect(PromptText.wrong(triesLeft: nil).text(in: .english) == "Wrong passcode.")
  }

  @Test(arguments: [(1, "1 second"), (2, "2 seconds"), (119, "119 seconds"), (120, "2 minutes"), (121, "3 minutes")])
  func `a lock tells how long is left, rounded up`(_ seconds: Int, _ expected: String) {
    #expect(PromptText.locked(seconds: seconds).text(in: .english).contains("try again in \(expected)."))
  }

  @Test func `a lock's length never traps`() {
    for seconds in [Int.min, -1, 0, Int.max] { #expect(!PromptText.locked(seconds: seconds).text(in: .korean).isEmpty) }
  }

  @Test(arguments: Language.allCases) func `names and server texts cannot steer the terminal`(_ language: Language) {
    let hostile = "a\u{1b}[2J\u{202e}\nb" + String(repeating: "x", count: 10_000)
    let prompts: [PromptText] = [
      .passcode(user: hostile, service: hostile), .currentValue(user: hostile), .newValue(user: hostile),
      .enrol(user: hostile), .refusedByServer(hostile), .registered(user: hostile), .deregistered(user: hostile),
    ]
    for prompt in prompts {
      let text = prompt.text(in: language)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e })
      #expect(text.unicodeScalars.count < 600)
    }
  }

  @Test func `a server's refusal without a text is still a sentence`() {
    #expect(PromptText.refusedByServer("\u{1b}\n ").text(in: .english) == "Refused by the server.")
    #expect(PromptText.refusedByServer("come back").text(in: .english) == "Refused by the server: come back")
  }
}
