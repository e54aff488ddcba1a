import AuthenticatorTypes
import FidoResults
import Testing

/// Compares every text with which a call can end, and the advice in it, with what is true of that end.
@Suite struct HintTests {
  /// What is true of each cause.
  ///
  /// The switch has no default, so a new cause must be added here.
  private func truth(of cause: EndCause) -> Truth {
    switch cause {
    case .codeMissing, .repairCodeMissing, .keysLost, .codeExpired, .codeRefused, .codeOfOtherServer, .keysNotHere,
      .joinExpired,
      .joinRefused, .joinRevoked, .joinUsedUp:
      [.administrator, .newCode]
    case .approvalOfOtherServer: []
    case .approvalOfOtherAuthority, .codeOfOtherAuthority, .codesResetNothing, .codesNotSigned, .resetsNotSigned,
      .resetsNotTold, .approvalWithoutText,
      .otherTypeInUse, .typesNotAccepted, .configuredNotAccepted, .severalFit, .nameNotMapped,
      .nameNotFound, .nameOfOther, .serverNameOfOther, .accountDisabled, .accountDamaged, .accountRenamed,
      .messageNotValid, .refusedOnTheWay, .messageNotAccepted, .chipAbsent, .chipForbidden, .chipLockedOut, .chipOther,
      .chipCleared,
      .chipOwned, .chipDamaged, .chipFailed, .indexMissing, .indexReplaced, .shareDamaged, .indexNotMade, .keyNotSealed,
      .joinNotSigned, .joinTaken, .verdictNotSigned, .verdictOfOther, .verdictStale:
      .administrator
    case .keyringOff: .administrator
    case .accountForbidden, .codeNotSendable: [.administrator, .newCode]
    case .serverPasswordRefused: .administrator
    case .unlockExpired, .unlockUsed, .unlockOlderThanLock: .newCode
    case .unlockNotSigned, .unlockCodeNotKnown: .administrator
    case .chipBusy, .unlockCodesHeld: .againLater
    case .accountLocked, .accountNotKnown, .namesSilent, .facetsNotRead: [.administrator, .againLater]
    case .chipLost: [.administrator, .againNow]
    case .nothingChosen, .noRequest: .againNow
    // A used or expired code stays useless, and these ends need neither an administrator nor a new code.
    case .codeNotEntered, .codeUnreadable, .enteredCodeUnreadable, .codeInHangul, .codeOfOtherOperation,
      .codesNotJudged,
      .serverPasswordNotEntered, .approvalExpired, .approvalRefused,
      .registeredAlready, .nothingLeftToRegister, .namedNotAccepted, .namedNotEnabled, .namedNotRegistered,
      .severalToName, .severalTogether,
      .nothingStale, .nothingHere, .otherHere, .onlyRoot, .ambiguousName, .olderModule, .olderCore,
      .keyElsewhere, .indicesInUse, .chipNotUsed, .chipDemanded, .recoveryNone, .recoveryWrong,
      .keyringPasswordUnusable,
      .joinUnreadable, .joinOfOtherServer, .joinOfOtherDialect, .joinNotOffered, .joinUntold, .notJoined,
      .unlockUnreadable, .unlockOfOtherAccount, .unlockOfOtherMachine, .unlockFromFuture, .unlockNotNeeded,
      .unlockCodeTooSoon:
      []
    }
  }

  /// What is true of each result if nothing but its number is known.
  private func truth(of result: FidoResult) -> Truth {
    switch result.code {
    case 980, 13_006: [.administrator, .newCode]
    case 1001, 1002, 1005, 1007, 2001, 2002, 3010, 3011, 3014, 7003, 7101, 9999: .administrator
    // These locks end with the right secret, or by root.
    case 3008, 3015: .administrator
    case 1100, 3012, 4001, 7004, 7010, 7011, 7015, 7111: .againNow
    case 3013, 9000: .againLater
    default: []
    }
  }

  /// Ends that have their own texts, and what is true of them.
  private static let texts: [(PromptText, Truth)] =
    ValueKind.allCases.flatMap { kind -> [(PromptText, Truth)] in
      [
        (.wrong(kind, triesLeft: 2), .againNow), (.wrong(kind, triesLeft: nil), .againNow),
        (.registeredAgain(kind), []), (.valueNotSet(kind), .againNow),
      ]
    } + [
      (.locked(seconds: 1), .againLater), (.locked(seconds: 300), .againLater), (.lockedForGood, .administrator),
      (.digitsExpected(6), .againNow), (.noAnswer(.dns), .againNow), (.noAnswer(.refused), .againNow),
      (.noAnswer(.unreachable), .againNow), (.noAnswer(.timeOut), .againNow), (.noAnswer(.connectionLost), .againNow),
      (.noAnswer(.tls), .administrator), (.noAnswer(.proxy), .administrator),
      (.noAnswer(.ownMeans), .againLater), (.refusedByServer(nil), []), (.refusedByServer("No."), []),
      (.serverStatus(1493), .administrator), (.serverNumber(12_345), .administrator), (.cancelled, []),
      (.textTooLong(2048), []), (.overwrittenByList, []), (.configurationError, .administrator),
      (.tooManyConversations, .againLater), (.revoked(said: nil), .administrator),
      (.revoked(said: "Gone."), .administrator), (.serverForbids, .administrator), (.serverUndecided, .administrator),
      (.serverFailed, .administrator), (.serverNameChanged, .administrator),
      (.stateIsOlder, .administrator), (.denied, []), (.approvalIsOver, []), (.ownTextTooLong(2048), []),
      (.unlockCodeWrong(machine: "7QK3"), []),
    ]

  private func told(_ text: String, _ nextStep: String?) -> String { [text, nextStep ?? ""].joined(separator: "\n") }

  @Test(arguments: Language.allCases) func `the advice for each cause of a failure is true`(_ language: Language) {
    for cause in EndCause.allCases {
      let text = PromptText.cause(cause)
      let claimed = Truth(
        claimedBy: told(text.text(in: language), text.nextStep(in: language)), korean: language == .korean)
      #expect(claimed == truth(of: cause), "\(cause): claims \(claimed)")
    }
  }

  @Test(arguments: Language.allCases) func `the advice for each result is true`(_ language: Language) {
    for result in FidoResult.allListed {
      let claimed = Truth(
        claimedBy: told(result.text(in: language), result.nextStep(in: language)), korean: language == .korean)
      #expect(claimed == truth(of: result), "\(result): claims \(claimed)")
    }
  }

  @Test(arguments: Language.allCases) func `the advice for each other end of a call is true`(
    _ language: Language
  ) {
    for (text, truth) in Self.texts {
      let claimed = Truth(
        claimedBy: told(text.text(in: language), text.nextStep(in: language)), korean: language == .korean)
      #expect(claimed == truth, "\(text): claims \(claimed)")
    }
  }

  @Test func `the hint below a text does not repeat what the text says`() {
    for language in Language.allCases {
      for (text, _) in Self.texts {
        guard let step = text.nextStep(in: language) else { continue }
        #expect(!text.text(in: language).contains(step), "\(text)")
      }
    }
  }

  @Test(arguments: Language.allCases) func `every cause of a failure has its own text`(_ language: Language) {
    let told = EndCause.allCases.map { cause in
      let text = PromptText.cause(cause)
      return self.told(text.text(in: language), text.nextStep(in: language))
    }
    #expect(Set(told).count == told.count && !told.contains("\n"))
  }

  @Test func `no Korean text and no Korean hint about an end is in English`() {
    func isKorean(_ text: String?) -> Bool {
      guard let text else { return true }
      return text.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
    }
    let texts = EndCause.allCases.map(PromptText.cause) + Self.texts.map(\.0)
    for text in texts where text != .refusedByServer("No.") {
      #expect(isKorean(text.text(in: .korean)) && isKorean(text.nextStep(in: .korean)), "\(text)")
    }
    for result in FidoResult.allListed {
      #expect(isKorean(result.text(in: .korean)) && isKorean(result.nextStep(in: .korean)), "\(result)")
    }
  }

  @Test func `a cause has advice in both languages or in neither`() {
    for cause in EndCause.allCases {
      let text = PromptText.cause(cause)
      #expect((text.nextStep(in: .english) == nil) == (text.nextStep(in: .korean) == nil), "\(cause)")
    }
  }

  @Test func `never advises to try again with a used or expired code, or during a permanent lock`() {
    let ends: [PromptText] =
      [.lockedForGood] + [.codeExpired, .codeRefused, .approvalExpired, .approvalRefused].map(PromptText.cause)
    for end in ends {
      #expect(!told(end.text(in: .english), end.nextStep(in: .english)).lowercased().contains("try again"))
      #expect(!told(end.text(in: .korean), end.nextStep(in: .korean)).contains("다시 시도"))
    }
  }

  // MARK: Who may set a value by a code

  /// The uafctl commands that the texts and their hints name.
  private func commands(_ words: [String?]) -> [String] {
    words.flatMap { ($0 ?? "").split(separator: "'").map(String.init) }.filter { $0.hasPrefix("uafctl ") }
  }

  private static let uses: [CodeUse] = [
    .persons, .roots, .root(of: "mina"), .noCodes(root: nil), .noCodes(root: "mina"),
  ]

  /// The causes that name a code that somebody has given, or that a server has asked for.
  private static let aboutCodes: Set<EndCause> = [
    .codeMissing, .repairCodeMissing, .codeNotEntered, .codeUnreadable, .enteredCodeUnreadable, .codeInHangul,
    .codeNotSendable,
    .codeExpired, .codeRefused, .codeOfOtherOperation, .codeOfOtherServer, .codeOfOtherAuthority, .codesNotJudged,
    .codesResetNothing, .codesNotSigned, .resetsNotSigned, .resetsNotTold,
  ]

  @Test(arguments: Language.allCases, [nil, "mina"])
  func `at a server that takes no codes, no text sends anybody for one`(_ language: Language, _ root: String?) {
    let codes = CodeUse.noCodes(root: root)
    let causes = EndCause.allCases.filter { !Self.aboutCodes.contains($0) }.map(PromptText.cause)
    let texts = (causes + Self.texts.map(\.0)).flatMap {
      [$0.text(in: language, codes: codes), $0.nextStep(in: language, codes: codes)]
    }
    for words in (texts + FidoResult.allListed.map { $0.nextStep(in: language, codes: codes) }).compactMap(\.self) {
      #expect(!words.contains("enrolment code") && !words.contains("등록 코드"), "\(words)")
      for verb in ["register", "repair", "reset"] {
        #expect(!commands([words]).contains { $0.hasPrefix("uafctl \(verb)") && $0.contains("--code") }, "\(words)")
      }
    }
    let forgotten = commands(
      [PromptText.lockedForGood.nextStep(in: language, codes: codes)]
        + [PromptText.lockedForGood.text(in: language, codes: codes)])
    #expect(forgotten == ["uafctl reset \(root ?? "USER")", "uafctl register"], "\(forgotten)")
  }

  @Test(arguments: uses) func `English and Korean texts name the same commands, for a person and for root`(
    _ codes: CodeUse
  ) {
    func same(_ words: (Language) -> [String?]) -> Bool {
      func registrations(_ language: Language) -> Set<String> {
        Set(commands(words(language)).filter { $0.hasSuffix("--code FILE") })
      }
      return registrations(.english) == registrations(.korean)
    }
    for text in EndCause.allCases.map(PromptText.cause) + Self.texts.map(\.0) {
      #expect(same { [text.text(in: $0, codes: codes), text.nextStep(in: $0, codes: codes)] }, "\(text)")
    }
    for result in FidoResult.allListed {
      #expect(same { [result.nextStep(in: $0, codes: codes)] }, "\(result)")
    }
  }

  @Test(arguments: Language.allCases)
  func `for root, commands contain the account's name, and a person is told if root must run the command`(
    _ language: Language
  ) {
    func told(_ codes: CodeUse) -> [String] {
      let texts = EndCause.allCases.map(PromptText.cause) + Self.texts.map(\.0)
      let words = texts.flatMap { [$0.text(in: language, codes: codes), $0.nextStep(in: language, codes: codes)] }
      return commands(words + FidoResult.allListed.map { $0.nextStep(in: language, codes: codes) })
    }
    let unused = told(.roots).count { $0 == "uafctl register --code FILE" }
    #expect(unused < told(.persons).count { $0 == "uafctl register --code FILE" })
    #expect(told(.roots).contains("uafctl register USER --code FILE"))
    for text in [PromptText.locked(seconds: 1), .lockedForGood, .wrong(.passcode, triesLeft: 1), .revoked(said: nil)] {
      let words = [text.text(in: language, codes: .roots), text.nextStep(in: language, codes: .roots)]
      #expect(commands(words) == ["uafctl register USER --code FILE"], "\(text)")
    }
    for command in told(.root(of: "mina"))
    where command.hasPrefix("uafctl register") && command.hasSuffix("--code FILE") {
      #expect(command.contains(" mina") || command.contains(" USER"), "\(command)")
    }
  }
}
