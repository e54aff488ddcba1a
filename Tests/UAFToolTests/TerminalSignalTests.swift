import Foundation
import Testing
import ToolTestSupport

@testable import UAFTool

@Suite struct TerminalSignalTests {
  @Test(arguments: [SIGTERM, SIGHUP])
  func `a signal ends the program, after the terminal was restored`(number: CInt) throws {
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

  /// A core that asks for a PIN, then reports that it waits, and waits.
  private static let core = """
    #!/usr/bin/python3
    import socket
    front_end = socket.socket(fileno=3)
    front_end.recv(65536)
    front_end.send(bytes.fromhex("8101000100020008" + b"passcode".hex() + "03000101040005" + b"PIN: ".hex() + "08000400000004"))
    front_end.recv(65536)
    front_end.send(bytes.fromhex("82010008") + b"Waiting.")
    front_end.recv(65536)
    """

  @Test(.enabled(if: geteuid() == 0, "only root's uafctl starts a core of its own"), arguments: [SIGINT, SIGTERM])
  func `a signal while the core works, after a full entry, restores the terminal and ends the program`(
    number: CInt
  ) throws {
    let terminal = Terminal()
    let before = terminal.flags
    let folder = Folder()
    let file = folder.file("pam_uaf.conf", Array("[passcode]\nauto_submit = true\n".utf8), mode: 0o600)
    // Next to the build, so that the program can have a second name: it finds its core by the name that the kernel has for the
    // program.
    let place = StartedTool.path + ".test-\(number)"
    defer { try? FileManager.default.removeItem(atPath: place) }
    for part in ["bin", "libexec/pam-uaf"] {
      try FileManager.default.createDirectory(atPath: "\(place)/\(part)", withIntermediateDirectories: true)
    }
    let program = place + "/bin/uafctl"
    try FileManager.default.linkItem(atPath: StartedTool.path, toPath: program)
    let core = folder.file("core", Array(Self.core.utf8), mode: 0o600)
    Folder.install(core, as: place + "/libexec/pam-uaf/uaf-helper")
    let tool = try #require(StartedTool(["authenticate", "--conf", file], at: terminal, path: program))
    _ = terminal.expect("PIN: ")
    terminal.type(Array("123456".utf8))
    _ = terminal.expect("Waiting.")
    let echoed = terminal.echoes
    tool.send(number)
    #expect(tool.signalOfEnd() == number)
    #expect(!echoed && terminal.flags == before && terminal.waiting == 0)
  }
}
