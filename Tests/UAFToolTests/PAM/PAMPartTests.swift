import Glibc
import Testing
import ToolTestSupport

@testable import Doctor
@testable import UAFTool

/// Which files doctor takes for services, and which for parts that services include.
@Suite struct PAMPartTests {
  private let stacks = Stacks()

  private func has(_ id: FindingID, _ service: String) -> Bool {
    stacks.findings().contains { $0.id == id && $0.text.contains("/\(service): ") }
  }

  @Test func `doctor reports a service that silently stopped asking pam_uaf`() {
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(!stacks.findings().contains { $0.id == .pamUnusedStack })
    stacks.write("sudo", Stacks.sudo)
    #expect(has(.pamUnusedStack, "sudo"))
    // The stack is not a service, so doctor does not report who can log in by it.
    #expect(!stacks.findings().contains { $0.text.contains("/uaf-sudo: ") })
    #expect(stacks.findings().contains { $0.id == .pamUnused })
    stacks.folder.delete("pam.d/sudo")
    #expect(has(.pamUnusedStack, "sudo"))
  }

  @Test(arguments: ["account include login", "auth include login", "@include login", "auth substack login"])
  func `a service that another service includes is still judged as a service`(line: String) {
    stacks.write(
      "login", "auth sufficient pam_uaf.so nouserok\nauth optional pam_permit.so\naccount required pam_uaf.so\n")
    #expect(has(.pamLetsIn, "login"))
    stacks.write("other-one", line + "\n")
    #expect(has(.pamLetsIn, "login"))
    #expect(has(.pamNouserok, "login"))
    #expect(has(.pamNoPasswordLine, "login"))
  }

  @Test(arguments: ["common-auth", "uaf-sudo", "system-auth"])
  func `a file that is only included is judged in the services that include it, and not by itself`(part: String) {
    stacks.write(part, "auth [success=1 default=ignore] pam_uaf.so\n")
    stacks.write("sudo", "auth include \(part)\nauth required pam_unix.so\n")
    #expect(!has(.pamLetsIn, "sudo"))
    stacks.write("sudo", "auth include \(part)\nauth required pam_permit.so\n")
    #expect(has(.pamLetsIn, "sudo"))
  }

  @Test func `doctor and the manual page say the same about the effect of the profile`() throws {
    stacks.write("common-auth", "auth [success=1 auth_err=die maxtries=die default=ignore] pam_uaf.so\n")
    stacks.write("sudo", "@include common-auth\n")
    let text = "the passcode decides in every service"
    #expect(stacks.findings().contains { $0.id == .pamProfile && $0.text.contains(text) })
    #expect(stacks.findings().allSatisfy { !$0.text.contains("beside the password") })
    let page = try manual()
    #expect(page.contains(text) && !page.contains("beside the password"))
  }
}
