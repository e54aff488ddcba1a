import Testing
import ToolTestSupport

@testable import Doctor

@Suite struct PAMAccountCheckTests {
  private let machine = Machine()
  private static let auth = "auth sufficient pam_uaf.so\nauth required pam_unix.so\n"
  private static let own = "account required pam_uaf.so\npassword required pam_uaf.so\n"

  private func warns(_ lines: String) -> Bool {
    machine.service("common-account", "account required pam_unix.so")
    machine.service("sudo", Self.auth + lines)
    return machine.has(.pamAccountAlone)
  }

  @Test(arguments: [own, own + own, own + "password include common-account\n", "@include uaf-own\n"])
  func `warns of a service whose only account lines are the module's`(lines: String) {
    machine.service("uaf-own", Self.own)
    #expect(warns(lines))
  }

  @Test(arguments: [
    "", "password required pam_uaf.so\n", own + "@include common-account\n", "account include common-account\n" + own,
    own + "account required pam_permit.so\n",
  ])
  func `accepts a different account line, or none, if the account lines of 'other' apply`(lines: String) {
    #expect(!warns(lines))
  }

  private func found(_ lines: String) -> [FindingID] {
    machine.service("cron", lines + "\naccount required pam_unix.so")
    return machine.doctor(as: 0).findings.compactMap(\.id).filter {
      [.pamAccountCheck, .pamNoPasswordLine].contains($0)
    }
  }

  @Test(arguments: [
    "auth required pam_uaf.so account_check", "account required pam_uaf.so account_check=yes",
    "account required pam_uaf.so account_check=",
  ])
  func `fails if account_check refuses everybody`(line: String) {
    #expect(found(line).contains(.pamAccountCheck))
  }

  @Test(arguments: ["account_check", "account_check=required"])
  func `warns if the server's answers are not signed, and demands no password line for only account_check`(
    argument: String
  ) {
    #expect(found("account required pam_uaf.so \(argument)") == [.pamAccountCheck])
    #expect(found("account required pam_uaf.so") == [.pamNoPasswordLine])
  }

  @Test func `accepts a server that can be asked and believed`() {
    let signed = Machine.configuration + "require_signed_verdict = true\nverdict_key = \"/nonexistent/key\"\n"
    let machine = Machine(configuration: signed)
    machine.service("cron", "account required pam_uaf.so account_check\naccount required pam_unix.so")
    #expect(!machine.has(.pamAccountCheck))
    let other = Machine(configuration: signed.replacing("uaf/get", with: "uaf/request"))
    other.service("cron", "account required pam_uaf.so account_check\naccount required pam_unix.so")
    #expect(other.has(.pamAccountCheck))
  }
}
