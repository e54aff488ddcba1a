import Glibc
import Testing

@testable import Sandbox

/// The log text for a program that could not give up root's rights.
@Suite struct PrivilegeErrorTests {
  @Test func `names the ids that a user namespace with few ids lacks`() {
    let text = PrivilegeError(step: .identity, number: EINVAL).description
    #expect(text.contains("cannot become the unprivileged user") && text.contains("60990 to 60992"))
    #expect(!text.contains("filter of system calls"))
  }

  @Test(arguments: [(PrivilegeError.Step.identity, EPERM), (.bounding, EINVAL), (.noWayBack, 0)])
  func `blames no namespace for anything else`(_ step: PrivilegeError.Step, _ number: CInt) {
    let text = PrivilegeError(step: step, number: number).description
    #expect(!text.contains("namespace") && text.contains(step.rawValue))
  }
}
