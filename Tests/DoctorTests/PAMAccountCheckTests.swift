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
  func `doctor warns of a service whose only account lines are those of pam_uaf`(lines: String) {
    machine.service("uaf-own", Self.own)
    #expect(warns(lines))
  }

  @Test(arguments: [
    "", "password required pam_uaf.so\n", own + "@include common-account\n", "account include common-account\n" + own,
    own + "account required pam_permit.so\n",
  ])
  func `doctor accepts other account lines, or none if those of 'other' apply`(lines: String) {
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
  func `doctor fails if account_check would refuse everybody`(line: String) {
    #expect(found(line).contains(.pamAccountCheck))
  }

  @Test(arguments: ["account_check", "account_check=required"])
  func `for account_check doctor warns if the server's statements are not signed, and demands no password line`(
    argument: String
  ) {
    #expect(found("account required pam_uaf.so \(argument)") == [.pamAccountCheck])
    #expect(found("account required pam_uaf.so") == [.pamNoPasswordLine])
  }

  @Test func `doctor accepts account_check if the server can be asked and its statements are signed`() {
    let signed = Machine.configuration + "require_signed_verdict = true\nverdict_key = \"/nonexistent/key\"\n"
    let machine = Machine(configuration: signed)
    machine.service("cron", "account required pam_uaf.so account_check\naccount required pam_unix.so")
    #expect(!machine.has(.pamAccountCheck))
    let other = Machine(configuration: signed.replacing("uaf/get", with: "uaf/request"))
    other.service("cron", "account required pam_uaf.so account_check\naccount required pam_unix.so")
    #expect(other.has(.pamAccountCheck))
  }
}
