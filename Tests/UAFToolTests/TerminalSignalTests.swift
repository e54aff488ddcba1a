import Foundation
import Testing
import ToolTestSupport

@testable import UAFTool

@Suite struct TerminalSignalTests {
  @Test(arguments: [SIGTERM, SIGHUP])
  func `a signal at a prompt ends uafctl after the terminal was restored`(number: CInt) throws {
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

  /// A core that prompts for a PIN, and then says that it is waiting.
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
  func `a signal while the core works on a full entry restores the terminal and ends uafctl`(
    number: CInt
  ) throws {
    let terminal = Terminal()
    let before = terminal.flags
    let folder = Folder()
    let file = folder.file("pam_uaf.conf", Array("[passcode]\nauto_submit = true\n".utf8), mode: 0o600)
    // This copy has another name, so that it finds another core: uafctl looks for the core by the path that the kernel has for
    // uafctl. The copy is next to the build.
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
