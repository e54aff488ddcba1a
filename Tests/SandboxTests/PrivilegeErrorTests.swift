import Glibc
import Testing

@testable import Sandbox

/// The log text if a program could not give up root's privileges.
@Suite struct PrivilegeErrorTests {
  @Test func `the log names the ids that are missing in a small user namespace`() {
    let text = PrivilegeError(step: .identity, number: EINVAL).description
    #expect(text.contains("cannot become the unprivileged user") && text.contains("60990 to 60992"))
    #expect(!text.contains("filter of system calls"))
  }

  @Test(arguments: [(PrivilegeError.Step.identity, EPERM), (.bounding, EINVAL), (.noWayBack, 0)])
  func `the log blames no user namespace for any other error`(_ step: PrivilegeError.Step, _ number: CInt) {
    let text = PrivilegeError(step: step, number: number).description
    #expect(!text.contains("namespace") && text.contains(step.rawValue))
  }
}
