import AuthenticatorTypes
import Authenticator
import FidoResults
import Testing
import UAFConfiguration
import Wording

@testable import Doctor

/// Problems of the configuration and of module arguments, in both languages.
@Suite struct ConfigurationErrorTextTests {
  /// What a text must contain in any language: numbers, keys with `_`, and the names below, which have a digit.
  private static func facts(_ text: String) -> Set<Substring> {
    let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
    return Set(words.filter { $0.contains { $0.isNumber || $0 == "_" } })
  }

  private static func expectBothLanguages<Problem: Catalogued<String>>(
    from first: Problem, _ next: @escaping (Problem) -> Problem?
  ) {
    let problems = Array(sequence(first: first, next: next).prefix(100))
    for problem in problems {
      let korean = problem.text(in: .korean)
      #expect(facts(korean).isSuperset(of: facts(problem.english)), "\(problem.english) / \(korean)")
      #expect(korean.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }, "\(korean)")
    }
    #expect(Set(problems.map(\.english)).count == problems.count)
    #expect(Set(problems.map(\.korean)).count == problems.count)
  }

  // One case after the other: a new case does not compile until it has a place here.

  private static func next(_ problem: TOMLProblem) -> TOMLProblem? {
    switch problem {
    case .tooLong: .byteOrderMark
    case .byteOrderMark: .utf16
    case .utf16: .notUTF8
    case .notUTF8: .controlCharacter
    case .controlCharacter: .tooDeep(limit: 71)
    case .tooDeep: .tooManyEntries(limit: 72)
    case .tooManyEntries: .tooManyParts(limit: 73)
    case .tooManyParts: .openArray
    case .openArray: .openTable
    case .openTable: .openHeader
    case .openHeader: .openString
    case .openString: .noKey
    case .noKey: .notAKey
    case .notAKey: .keyAlone
    case .keyAlone: .defined("k1", line: 74)
    case .defined: .arrayOfTables
    case .arrayOfTables: .noValue
    case .noValue: .notAValue("w1")
    case .notAValue: .tooLarge("w2")
    case .tooLarge: .date
    case .date: .unknownEscape
    case .unknownEscape: .unicodeEscape
    case .unicodeEscape: .trailingText
    case .trailingText: nil
    }
  }

  private static func next(_ form: SettingForm) -> SettingForm? {
    switch form {
    case .boolean: .integer(71...72)
    case .integer: .derivationCost
    case .derivationCost: .lockTime
    case .lockTime: .lentLockTime
    case .lentLockTime: .text
    case .text: .bytes(limit: 73)
    case .bytes: .choice(["c1", "c2"])
    case .choice: .choices(["c3", "c4"])
    case .choices: .authenticators
    case .authenticators: .authenticator
    case .authenticator: .authenticatorArgument
    case .authenticatorArgument: .table("t1")
    case .table: .absolutePath
    case .absolutePath: .chipPlace
    case .chipPlace: .sensorService
    case .sensorService: .messages
    case .messages: .messagesByLanguage
    case .messagesByLanguage: .rule
    case .rule: .refusal
    case .refusal: .deviceName
    case .deviceName: .character
    case .character: .color
    case .color: .environmentName
    case .environmentName: .serverURL
    case .serverURL: .mediaType
    case .mediaType: .appIDs
    case .appIDs: .facetID
    case .facetID: .domain
    case .domain: .usernameMapping
    case .usernameMapping: .proxy
    case .proxy: .parameterName
    case .parameterName: .successMark
    case .successMark: .nodeSize
    case .nodeSize: .loginServices
    case .loginServices: .day
    case .day: nil
    }
  }

  private static func next(_ problem: SettingProblem) -> SettingProblem? {
    switch problem {
    case .form: .unknownKey(allowed: ["k1", "k2"])
    case .unknownKey: .unknownSection
    case .unknownSection: .notAService
    case .notAService: .lockOfService
    case .lockOfService: .ignoredText
    case .ignoredText: .expression(.doesNotCompile(offset: 71, reason: "missing )"))
    case .expression(.doesNotCompile): .expression(.empty)
    case .expression(.empty): .expression(.tooLarge)
    case .expression(.tooLarge): .expression(.outOfMemory)
    case .expression(.outOfMemory): .lengths(minimum: 72, maximum: 73, range: 74...75)
    case .lengths: .shuffledWithoutDigits
    case .shuffledWithoutDigits: .resetWithoutVerdict
    case .resetWithoutVerdict: .offlineWithoutAge
    case .offlineWithoutAge: .offlineWithTransaction
    case .offlineWithTransaction: .notEnabled("t1", enabled: ["t2", "t3"])
    case .notEnabled: .incompleteServer
    case .incompleteServer: .insecureURL
    case .insecureURL: .unknownAppID
    case .unknownAppID: .unverified
    case .unverified: .onlyPlainDialect
    case .onlyPlainDialect: .onlyWebAuthn
    case .onlyWebAuthn: .onlyPrivacyIDEA
    case .onlyPrivacyIDEA: .notWithWebAuthn
    case .notWithWebAuthn: .onlyConformance
    case .onlyConformance: .withoutBase
    case .withoutBase: .needsWebOrigin("d1")
    case .needsWebOrigin: .enrolmentOfDialect("c1")
    case .enrolmentOfDialect: .incompleteRelyingParty
    case .incompleteRelyingParty: .incompleteSuccess
    case .incompleteSuccess: .sameContextNames
    case .sameContextNames: .verdictWithoutKey
    case .verdictWithoutKey: .notServers
    case .notServers: .tooManyExpressions(limit: 76)
    case .tooManyExpressions: .tooManyTexts(limit: 77)
    case .tooManyTexts: .lentLengths(minimum: 78, maximum: 79)
    case .lentLengths: .mergedLengths(minimum: 80, maximum: 81)
    case .mergedLengths: .rootsDigits(82)
    case .rootsDigits: .mergedExpression
    case .mergedExpression: nil
    }
  }

  private static func next(_ problem: ModuleArgumentProblem) -> ModuleArgumentProblem? {
    switch problem {
    case .form: .unknown
    case .unknown: .twice
    case .twice: .tooMany(limit: 71)
    case .tooMany: .bothFirstPasses
    case .bothFirstPasses: .accountCheckValue
    case .accountCheckValue: .notAccount
    case .notAccount: .notEnabled("t1")
    case .notEnabled: .shuffledKeypad
    case .shuffledKeypad: .transaction
    case .transaction: .anyTransaction
    case .anyTransaction: nil
    }
  }

  @Test func `every mistake in the configuration has a text in both languages, with the same names and numbers`() {
    Self.expectBothLanguages(from: TOMLProblem.tooLong(limit: 70), Self.next)
    Self.expectBothLanguages(from: SettingForm.boolean, Self.next)
    Self.expectBothLanguages(from: SettingProblem.form(.boolean), Self.next)
    Self.expectBothLanguages(from: ModuleArgumentProblem.form(.boolean), Self.next)
  }

  @Test func `in both languages, the text about a mistake contains no control characters from the configuration`() {
    let error = ConfigurationError.syntax(path: "/etc/x", line: 2, problem: .defined("a\u{1b}[2J\nb", line: 1))
    #expect(error.text(in: .english) == "/etc/x:2: a[2J b is already defined in line 1")
    #expect(error.text(in: .korean) == "/etc/x:2: a[2J b는 1번째 줄에 이미 있습니다")
  }
}
