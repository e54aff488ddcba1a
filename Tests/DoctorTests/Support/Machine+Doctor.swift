import FidoResults
import Glibc
import ToolTestSupport

@testable import Doctor

extension Machine {
  /// What doctor finds on this machine.
  func doctor(as userID: uid_t = 0, in language: Language = .english, colours: Bool = false) -> Examined {
    let core = FakeStatus(self)
    let examination = Examination(
      of: installation, core: core, accounts: FakeAccounts(), isRoot: userID == 0, configuration: nil,
      services: pam)
    var told: [Finding] = []
    let findings = examination.run { told += $0 }
    return Examined(findings: told == findings ? findings : [], language: language, colours: colours, asked: core.asked)
  }

  /// Whether a report has a line with that name of a finding.
  func has(_ id: FindingID, as userID: uid_t = 0) -> Bool { doctor(as: userID).findings.contains { $0.id == id } }

  /// Has the core say that root follows the server's policy.
  ///
  /// - Parameter members: of `policy` in its document, beside what root lends.
  func follow(_ members: String, values: String = "") {
    let policy = #""policy":{"follow":["passcode","lock"],"values":[\#(values)],\#(members)},"authenticators""#
    document = Machine.document(Machine.passcode).replacing(#""authenticators""#, with: policy)
  }
}
