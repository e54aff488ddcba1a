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
}
