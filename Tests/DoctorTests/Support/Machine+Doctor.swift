import FidoResults
import Glibc
import ToolTestSupport

@testable import Doctor

extension Machine {
  /// The findings of doctor on this machine.
  func doctor(as userID: uid_t = 0, in language: Language = .english, colours: Bool = false) -> Examined {
    let core = FakeStatus(self)
    let examination = Examination(
      of: installation, core: core, accounts: FakeAccounts(), isRoot: userID == 0, configuration: nil,
      services: pam)
    var told: [Finding] = []
    let findings = examination.run { told += $0 }
    return Examined(findings: told == findings ? findings : [], language: language, colours: colours, asked: core.asked)
  }

  /// Whether a report has a line with that finding.
  func has(_ id: FindingID, as userID: uid_t = 0) -> Bool { doctor(as: userID).findings.contains { $0.id == id } }

  /// Makes the core's document have a further member.
  func say(_ member: String) {
    document = Machine.document(Machine.passcode).replacing(#""authenticators""#, with: member + #","authenticators""#)
  }

  /// Makes the core say that root follows the server's policy.
  ///
  /// - Parameter members: members of `policy` in its document, in addition to what root lets the server set.
  func follow(_ members: String, values: String = "") {
    let policy = #""policy":{"follow":["passcode","lock"],"values":[\#(values)],\#(members)},"authenticators""#
    document = Machine.document(Machine.passcode).replacing(#""authenticators""#, with: policy)
  }
}
