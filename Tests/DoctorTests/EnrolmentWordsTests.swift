import FidoResults
import Testing
import ToolTestSupport
import UAFConfiguration
import Wording

@testable import Doctor

/// What the texts of status and doctor name for each kind of enrolment: a code only where the server takes one.
@Suite struct EnrolmentWordsTests {
  /// The state of an account at a server with this enrolment, as the core would write it.
  private func document(_ enrolment: ServerSettings.Enrolment, atServer: String = "ahead") throws -> StatusDocument {
    let authenticator = Machine.authenticator(state: 3008, more: ",\"atServer\":\"\(atServer)\"")
    let text = Machine.document(authenticator)
    return try #require(
      StatusDocument(
        parsing: String(text.dropLast()) + ",\"takesCodes\":\(enrolment.takesCodes),\"codesSetValues\":true}"))
  }

  /// Every text that says how to register or to make a new key, in the two languages.
  private func words(_ document: StatusDocument, isRoot: Bool) -> [String] {
    let codes = document.codeUse(isRoot: isRoot)
    let authenticators = document.authenticators
    let findings: [any FindingCatalogue] =
      authenticators.map { CoreText.locked(account: "alice", $0, codes) } + [
        CoreText.refused(account: "alice", authenticators, codes), CoreText.nothing(account: "alice", codes),
        CoreText.behind(account: "alice", codes), CoreText.forbidden(account: "alice", authenticators),
        PeopleText.shared(["alice", "bob"], at: "alice", codes), BehindText(names: ["alice"], codes: codes),
        PeopleText.locked(["alice"], of: 1),
      ]
    let lines: [StatusText] = [
      .refusedAtServer, .revokedAtServer(codes), .unknownAtServer(codes), .unknownBesideAnother(type: "pattern", codes),
      .aheadAtServer(codes), .forbiddenAtServer,
    ]
    return findings.flatMap { [$0.english, $0.korean].flatMap { [$0.what, $0.remedy ?? ""] } }
      + lines.flatMap { [$0.english, $0.korean] }
  }

  private func namesCode(_ text: String) -> Bool {
    ["enrolment code", "for a code", "by a code", "--code FILE", "등록 코드", "코드를 받아"].contains { text.contains($0) }
  }

  @Test(arguments: ServerSettings.Enrolment.allCases, [true, false])
  func `a text for root or for a person names an enrolment code only if the server takes one`(
    _ enrolment: ServerSettings.Enrolment, _ isRoot: Bool
  ) throws {
    let naming = try words(document(enrolment), isRoot: isRoot).filter(namesCode)
    #expect(naming.isEmpty != enrolment.takesCodes, "\(naming)")
  }

  @Test(arguments: ServerSettings.Enrolment.allCases)
  func `doctor's lines about everybody's accounts name a code only if the server takes one`(
    _ enrolment: ServerSettings.Enrolment
  ) throws {
    let machine = Machine()
    for (uid, name) in [(1000, "alice"), (1001, "bob")] as [(UInt32, String)] {
      let text = Machine.document(Machine.authenticator(state: 3006, more: #","atServer":"ahead""#), name: name)
        .replacing(#""name":"#, with: #""serverUserName":"shared","name":"#)
      machine.register(uid, Machine.finished(String(text.dropLast()) + ",\"takesCodes\":\(enrolment.takesCodes)}"))
    }
    let lines = machine.doctor().lines(about: "accounts")
    #expect(lines.count == 2 && lines.contains { $0.contains("share the account shared") }, "\(lines)")
    #expect(lines.allSatisfy { namesCode($0) == enrolment.takesCodes }, "\(lines)")
  }
}
