import Testing

@testable import UAFAdministration
@testable import UAFConsole

struct PageLanguageTests {
  @Test(arguments: PageText.allCases) func `each text of the console is in each language, with the same placeholders`(
    text: PageText
  ) {
    let places = PageLanguage.allCases.map { language in
      language.text(text, "\u{1}", "\u{1}", "\u{1}", "\u{1}").count { $0 == "\u{1}" }
    }
    #expect(PageLanguage.allCases.allSatisfy { $0.has(text) })
    #expect(places.allSatisfy { $0 == places[0] })
  }

  @Test func `a Korean text has the one form of a particle that fits the word before it`() {
    #expect(PageLanguage.korean.text(.lineTwice, "mina", "3") == "mina는 이미 3번째 줄에 있습니다")
    #expect(PageLanguage.korean.text(.lineTwice, "김민준", "3") == "김민준은 이미 3번째 줄에 있습니다")
  }

  private static let conflicts: [Conflict] = [
    .accountExists("mina"), .isAdministrator("mina"), .disabled("mina"), .neitherDisabledNorLocked("mina"),
    .noSealingKeys, .noSigningKeys, .lockOut(PolicyPreview()), .policyReplaced(3),
    .machinePolicyReplaced(3, group: "desks"), .previewUnderWay, .tokenExists("ci"), .keyGone("mina", key: "k"),
    .lastAdministrator("mina"), .list(.empty), .wrongLines(2), .nobodyListed, .tooManySheets(most: 250), .listTooLong,
  ]
  private static let problems: [FieldProblem] = [
    .unknown, .notANumber, .notATime, .outOfRange(1...60, .seconds), .outOfRange(1...60, .days),
    .outOfRange(1...60, nil), .tokenLifetime(60...90, .auditor), .tooLong(bytes: 500), .tooMany(16),
    .noReason,
    .badReason(bytes: 200), .hidden(character: "U+202E"), .badName, .notAnAccount, .notAPlace,
    .noSuchPrefix, .notAPolicyNumber,
    .malformed(PolicyProblem(reason: "x", korean: "가")),
    .refusedByWorkstations(PolicyProblem(reason: "x", korean: "나")),
    .tooLongToSign, .tooLongToConfirm, .notCertificates(bytes: 16_384),
    .notAKey, .notOnlyKeys, .keyAndDevice, .badGroup, .unknownGroup, .textLength(1...200), .outlivesMaker, .emptyFilter,
  ]

  @Test func `each refusal of an operation has its own Korean text`() {
    let pairs =
      Self.conflicts.map { (PageLanguage.english.text($0), PageLanguage.korean.text($0)) }
      + Self.problems.map { ("\($0)", PageLanguage.korean.text($0, of: "reason")) }
    for (english, korean) in pairs {
      #expect(korean.unicodeScalars.contains { (0xac00...0xd7a3).contains($0.value) } && korean != english)
      #expect(!korean.contains("(가)") && !korean.contains("(는)"))
    }
    #expect(Set(pairs.map(\.1)).count == pairs.count)
  }

  @Test func `the refusal of a form's field names the field by its label`() {
    #expect(PageLanguage.korean.text(.noReason, of: "reason") == "사유: 사유를 적어 주십시오")
    #expect(PageLanguage.english.text(.noReason, of: "reason") == "reason must be given")
  }

  @Test(arguments: [
    "policy", "days", "idle", "seconds", "prefix", "name", "key", "keys", "shown", "lockOut", "machines", "form",
    "language", "not", "after", "group", "lifetime", "account", "reason", "role", "state", "text", "number", "since",
    "until", "machine", "address",
  ]) func `each field of a form has a Korean label`(field: String) {
    let text = PageLanguage.korean.text(.notANumber, of: field)
    #expect(text.hasSuffix(": 숫자여야 합니다") && !text.hasPrefix("\(field):"), "\(text)")
  }

  @Test(arguments: [
    ("ko", PageLanguage.korean), ("ko-KR,en;q=0.8", .korean), ("en;q=0.5, ko;q=0.9", .korean), ("fr, de", .english),
    ("ko;q=0, en", .english), ("", .english), (";;;,,q=x", .english),
  ]) func `the console chooses the language that the browser prefers`(header: String, language: PageLanguage) {
    #expect(PageLanguage(accepted: header) == language)
  }
}
