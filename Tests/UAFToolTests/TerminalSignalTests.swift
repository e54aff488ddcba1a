import Glibc
import Testing

@testable import UAFTool

@Suite struct TerminalSignalTests {
  @Test(arguments: [SIGTERM, SIGHUP])
  func `a signal ends the program, after it put the terminal right`(number: CInt) throws {
    let terminal = Terminal()
    let before = terminal.flags
    let folder = Folder()
    let file = folder.file("pam_uaf.conf", [], mode: 0o600)
    let tool = try #require(StartedTool(["policy", "check", "--conf", file], at: terminal))
    _ = terminal.expect("Value to try: ")
    let echoed = terminal.echoes
    tool.send(number)
    #expect(tool.signalOfEnd() == number)
    #expect(!echoed && terminal.flags == before)
  }
}
