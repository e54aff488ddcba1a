import AuthenticatorTypes
import FidoResults
import Testing

@Suite struct PromptTextTests {
  private static let ofKinds: [PromptText] = ValueKind.allCases.flatMap { kind -> [PromptText] in
    [
      .value(kind, user: "alice", service: nil), .value(kind, user: "alice", service: "sudo"),
      .currentValue(kind, user: "alice"), .newValue(kind, user: "alice"), .newValueAgain(kind), .valueUnchanged(kind),
      .enrol(kind, user: "alice"), .wrong(kind, triesLeft: nil), .wrong(kind, triesLeft: 1),
      .wrong(kind, triesLeft: 4), .confirm(kind, "mina@desk: sudo id"), .choiceOption([kind]), .valueIsStale(kind),
      .valueIsStaleHere(kind), .valueMeetsRules(kind, other: .pattern),
      .changed(kind, user: "alice"), .changedButRefused(kind, user: "alice"),
      .reset(kind, user: "alice", serverKnows: false),
      .keyringKept(kind, user: "alice"), .keyringDropped([kind]),
      .registeredBefore(kind, user: "alice"), .valueReplaced(kind, user: "alice", oldKey: .forgotten),
      .valueReplaced(kind, user: "alice", oldKey: .unsaid(["AbC"])),
      .valueReplaced(kind, user: "alice", oldKey: .refusedBefore), .deregistered(user: "alice", of: [kind]),
      .deregisteredThere(user: "alice", of: [kind]),
      .reset(kind, user: "alice", serverKnows: true), .registeredAgain(kind), .valueNotSet(kind),
    ]
  }

  private static let others: [PromptText] = [
    .valuesDiffer, .enrolmentCode, .oneTimeCode, .patternKeys, .choice(user: "alice"), .choiceNumber(2), .registerAgain,
    .choiceOption([.passcode, .pattern]), .noSuchChoice(2), .nothingPicked, .emptyLineBack, .locked(seconds: 1),
    .locked(seconds: 30),
    .locked(seconds: 300), .lockedForGood, .digitsExpected(6), .refusedByServer(nil), .refusedByServer("no"),
    .serverStatus(1493), .serverNumber(12_345), .cancelled, .codeMistyped(inGroup: 2), .codeMistyped(inGroup: nil),
    .codeOfOtherAccount(than: "alice"),
    .approvalOfOtherAccount(than: "alice"), .configurationError,
    .tooManyConversations,
    .registered(user: "alice"),
    .deregistered(user: "alice"), .deregisteredHere(user: "alice"), .keyGone(.passcode), .notAskedFor(.passcode),
    .deregisteredHereAlone(user: "alice", of: [.passcode]), .repaired(.passcode, user: "alice", oldKey: .stays),
    .forgotten(user: "alice"),
    .renamed(user: "alice", from: "al", server: "al@example.com"),
    .deregisteredMore(user: "alice", left: .pattern), .stateIsOlder, .noAnswer(.dns),
    .repaired(.passcode, user: "alice", oldKey: .forgotten),
    .repaired(.pattern, user: "alice", oldKey: .unsaid(["AbC"])),
    .repaired(.passcode, user: "alice", oldKey: .refusedBefore),
    .noAnswer(.refused), .noAnswer(.timeOut), .noAnswer(.tls),
    .noAnswer(.connectionLost), .textTooLong(2048), .ownTextTooLong(2048), .overwrittenByList,
    .keyringPassword(user: "alice", canDecline: false), .keyringPassword(user: "alice", canDecline: true),
    .keyringDeclined, .keyringForgotten(user: "alice", wasKept: true), .keyringForgotten(user: "alice", wasKept: false),
    .ready, .denied, .approvalIsOver, .partOfText(left: 100), .patternGrid,
    .acceptedOffline, .value(.passcode, user: "alice", service: "sudo", digits: 6),
    .currentValue(.passcode, user: "alice", digits: 6), .newValue(.passcode, user: "alice", digits: 6),
    .newValueAgain(.passcode, digits: 6), .unlockLine, .unlockCode, .unlockCodeWrong(machine: "7QK3"),
  ]

  private static let prompts = ofKinds + others

  @Test(arguments: Language.allCases) func `every prompt has its own text`(_ language: Language) {
    let texts = Self.prompts.map { $0.text(in: language) }
    #expect(!texts.contains("") && Set(texts).count == texts.count)
  }

  @Test(arguments: Language.allCases) func `every text calls an enrolment code a code, and never a payload`(
    _ language: Language
  ) {
    let results = FidoResult.allListed.flatMap { [$0.text(in: language), $0.nextStep(in: language) ?? ""] }
    for text in Self.prompts.map({ $0.text(in: language) }) + results {
      #expect(!text.lowercased().contains("payload") && !text.contains("페이로드"), "\(text)")
    }
  }

  @Test func `no prompt has the same text in both languages`() {
    for prompt in Self.prompts { #expect(prompt.text(in: .english) != prompt.text(in: .korean)) }
  }

  @Test func `the passcode prompt names the person, and the service once`() {
    #expect(PromptText.value(.passcode, user: "alice", service: nil).text(in: .english) == "Passcode for alice: ")
    let withService = PromptText.value(.passcode, user: "alice", service: "sudo")
    #expect(withService.text(in: .english) == "Passcode for alice (sudo): ")
    #expect(withService.text(in: .korean) == "alice 패스코드 (sudo): ")
    let either = PromptText.value(.either, user: "alice", service: nil)
    #expect(either.text(in: .english) == "Passcode or pattern for alice: ")
  }

  @Test func `the prompt for a PIN says how many digits it has`() {
    let prompt = PromptText.value(.passcode, user: "alice", service: "sudo", digits: 6)
    #expect(prompt.text(in: .english) == "Passcode for alice (sudo, 6 digits): ")
    #expect(prompt.text(in: .korean) == "alice 패스코드 (sudo, 숫자 6자리): ")
    #expect(PromptText.newValueAgain(.passcode, digits: 4).text(in: .english) == "New passcode again (4 digits): ")
  }

  @Test func `says "1 try" and not "1 tries"`() {
    #expect(PromptText.wrong(.passcode, triesLeft: 1).text(in: .english) == "Wrong passcode: 1 try left.")
    #expect(PromptText.wrong(.passcode, triesLeft: 2).text(in: .english) == "Wrong passcode: 2 tries left.")
    #expect(PromptText.wrong(.passcode, triesLeft: nil).text(in: .english) == "Wrong passcode.")
  }

  @Test(arguments: [(1, "1 second"), (2, "2 seconds"), (119, "119 seconds"), (120, "2 minutes"), (121, "3 minutes")])
  func `the text about a lock says how long it still lasts, rounded up`(_ seconds: Int, _ expected: String) {
    #expect(PromptText.locked(seconds: seconds).text(in: .english).contains("try again in \(expected)."))
  }

  @Test func `the text about a lock accepts any number of seconds`() {
    for seconds in [Int.min, -1, 0, Int.max] { #expect(!PromptText.locked(seconds: seconds).text(in: .korean).isEmpty) }
  }

  @Test(arguments: Language.allCases)
  func `control characters in names and in the server's texts never reach the terminal`(_ language: Language) {
    let hostile = "a\u{1b}[2J\u{202e}\nb" + String(repeating: "x", count: 10_000)
    let prompts: [PromptText] = [
      .value(.passcode, user: hostile, service: hostile), .currentValue(.pattern, user: hostile),
      .newValue(.passcode, user: hostile), .enrol(.pattern, user: hostile), .choice(user: hostile),
      .changed(.passcode, user: hostile), .reset(.pattern, user: hostile, serverKnows: true),
      .refusedByServer(hostile), .registered(user: hostile), .deregistered(user: hostile),
      .deregisteredHere(user: hostile), .deregisteredHereAlone(user: hostile, of: [.passcode]),
      .deregisteredMore(user: hostile, left: .passcode),
      .repaired(.passcode, user: hostile, oldKey: .unsaid(["AbC"])), .registeredBefore(.passcode, user: hostile),
      .valueReplaced(.passcode, user: hostile, oldKey: .unsaid(["AbC"])),
      .deregisteredThere(user: hostile, of: [.passcode]),
      .renamed(user: hostile, from: hostile, server: hostile),
    ]
    for prompt in prompts {
      let text = prompt.text(in: language)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e })
      #expect(text.unicodeScalars.count < 600)
    }
  }

  @Test func `if the server refuses without a text, a plain sentence is shown`() {
    #expect(PromptText.refusedByServer("\u{1b}\n ").text(in: .english) == "Refused by the server.")
    #expect(PromptText.refusedByServer("come back").text(in: .english) == "Refused by the server: come back")
  }
}
