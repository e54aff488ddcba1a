import Testing

@testable import UAFHelper

/// What a process of uaf-helper is for, by its arguments.
@Suite struct HelperRoleTests {
  @Test func `only a core that nothing but its front end has started is one that the front end waits for`() {
    #expect(HelperRole([]) == .core(isAwaited: true))
    #expect(HelperRole(["--accepted"]) == .core(isAwaited: false))
    #expect(HelperRole(["--ready"]) == .readyCore && HelperRole(["--listen"]) == .listener)
    #expect(HelperRole(["--version"]) == .version)
  }

  @Test(arguments: [["--accept"], ["--accepted", "--accepted"], ["--version", "--ready"], [""], ["-h"], ["--help"]])
  func `uaf-helper refuses arguments that no program of ours gives it`(_ arguments: [String]) {
    #expect(HelperRole(arguments) == nil)
  }
}
