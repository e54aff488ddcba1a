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
  func `is content with another line, or with none, where those of other count`(lines: String) {
    #expect(!warns(lines))
  }
}
