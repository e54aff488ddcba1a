import Testing

@testable import UAFHelper

/// The text that shows a person the command line that sudo was given.
@Suite struct SudoCommandLineTests {
  private func text(_ arguments: [String], program: String = "/usr/bin/sudo") throws -> String {
    let line = arguments.flatMap { Array(($0 + "\0").utf8) }
    let command = try SudoCommandLine(program: Array(program.utf8), commandLine: line, limit: 4096)
    return String(decoding: command.text, as: UTF8.self)
  }

  @Test(arguments: [
    (["id"], "sudo: id"), (["id", "-un"], "sudo: id -un"), (["--", "-x"], "sudo: -x"), (["-", "x"], "sudo: - x"),
    (["sh", "-c", "rm -rf /; echo"], "sudo: sh -c 'rm -rf /; echo'"),
    (["echo", "it's", ""], "sudo: echo 'it'\\''s' ''"),
    (["echo", "a b", "a", "b"], "sudo: echo 'a b' a b"), ([""], "sudo: ''"),
  ])
  func `shows sudo's command quoted as a shell would read it`(_ arguments: [String], _ expected: String) throws {
    #expect(try text(["sudo"] + arguments) == expected)
  }

  @Test(arguments: [
    (["-s"], "sudo, shell"), (["-i"], "sudo, login shell"), ([], "sudo, shell"),
    (["-u", "bob"], "sudo, as user bob, shell"),
    (["-i", "id"], "sudo, login shell: id"), (["-sE", "id"], "sudo, shell, with the caller's environment: id"),
    (["-iu", "bob"], "sudo, login shell, as user bob"), (["-iubob"], "sudo, login shell, as user bob"),
    (["-u#1000", "id"], "sudo, as user '#1000': id"), (["--user=bob", "id"], "sudo, as user bob: id"),
    (["--user", "bob", "id"], "sudo, as user bob: id"), (["--us=bob", "id"], "sudo, as user bob: id"),
    (["-g", "disk", "id"], "sudo, as group disk: id"), (["-u", "--", "id"], "sudo, as user --: id"),
    (["-e", "/etc/passwd"], "sudo, edit: /etc/passwd"), (["--edit", "a b"], "sudo, edit: 'a b'"),
    (["-D", "/srv", "-R/jail", "id"], "sudo, in directory /srv, in root directory /jail: id"),
    (["-h", "desk", "id"], "sudo, on host desk: id"), (["-hdesk", "id"], "sudo, on host desk: id"),
    (["--host=desk", "id"], "sudo, on host desk: id"), (["-T", "10", "id"], "sudo, for at most 10: id"),
    (["-bHP", "id"], "sudo, in the background, with the target's home, with the caller's groups: id"),
    (["--preserve-env", "id"], "sudo, with the caller's environment: id"),
    (["-C", "4", "id"], "sudo, without files from number 4: id"),
    (["-r", "r_r", "-tt_t", "id"], "sudo, with SELinux role r_r, with SELinux type t_t: id"),
    (["-l"], "sudo, list what is allowed"), (["-ll"], "sudo, list what is allowed"),
    (["-l", "id"], "sudo, list what is allowed: id"), (["-lU", "bob"], "sudo, list what is allowed, of user bob"),
    (["-v"], "sudo, renew the ticket"), (["-k", "-A", "-B", "-n", "-S", "-N", "id"], "sudo: id"),
  ])
  func `describes in words what each option of sudo changes`(_ arguments: [String], _ expected: String) throws {
    #expect(try text(["sudo"] + arguments) == expected)
  }

  @Test(arguments: [
    (["A=b", "id"], "sudo, with 'A=b': id"),
    (["A=b", "-s", "C=d e", "id"], "sudo, with 'A=b', shell, with 'C=d e': id"),
    (["--", "A=b", "id"], "sudo: A=b id"), (["/A=b", "id"], "sudo: /A=b id"), (["id", "A=b", "-s"], "sudo: id A=b -s"),
    // sudo takes the argument of an option for the end of its options, and so does this text.
    (["-u", "--", "A=b"], "sudo, as user --: A=b"),
  ])
  func `distinguishes a variable assignment from the command that sudo runs`(_ arguments: [String], _ expected: String)
    throws
  {
    #expect(try text(["sudo"] + arguments) == expected)
  }

  @Test(arguments: ["Password: ", "Passcode for mina: ", "", "-s", "--"])
  func `leaves out the argument of sudo's prompt option, and does not take it for an option`(_ prompt: String) throws {
    #expect(try text(["sudo", "-p", prompt, "id"]) == "sudo: id")
    #expect(try text(["sudo", "--prompt", prompt, "id"]) == "sudo: id")
    #expect(try text(["sudo", "--prompt=\(prompt)", "id"]) == "sudo: id")
    if !prompt.isEmpty { #expect(try text(["sudo", "-sp\(prompt)"]) == "sudo, shell") }
  }

  @Test func `names the executable of sudo, not only the name by which it was called`() throws {
    #expect(try text(["ls", "-s"]) == "sudo, called as ls, shell")
    #expect(try text(["/usr/bin/id", "-s"]) == "sudo, called as id, shell")
    #expect(try text(["sudo: id, ", "-i"]) == "sudo, called as 'sudo: id, ', login shell")
    #expect(try text(["", "id"]) == "sudo, called as '': id")
    #expect(try text(["sudo", "id"], program: "/opt/bin/sudo") == "/opt/bin/sudo: id")
  }

  @Test func `says "edit" if the name by which sudo was called makes it an editor`() throws {
    #expect(try text(["sudoedit", "/etc/passwd"]) == "sudo, edit: /etc/passwd")
    #expect(try text(["/x/sudoedit", "-u", "bob", "f"]) == "sudo, edit, as user bob: f")
  }

  /// How the kernel shows `sudo --preserve-env=A,--,echo -s` after sudo has read it.
  @Test(arguments: ["--preserve-env=A", "--preserve-e=A", "--preserve-env="])
  func `refuses a command line that sudo itself has overwritten`(_ list: String) {
    #expect(throws: SudoCommandLine.Refusal.overwritten) { try text(["sudo", list, "--", "echo", "-s"]) }
    #expect(throws: SudoCommandLine.Refusal.overwritten) { try text(["sudo", "-Z", list, "--", "echo", "-s"]) }
  }

  @Test(arguments: ["xedit", "edit", "/bin/vedit"])
  func `refuses a name by which only some versions of sudo become an editor`(_ name: String) {
    #expect(throws: SudoCommandLine.Refusal.ambiguousName) { try text([name, "id"]) }
  }

  @Test(arguments: [
    (["-Z", "id"], "sudo, arguments: -Z id"), (["--newest", "id"], "sudo, arguments: --newest id"),
    (["--l", "id"], "sudo, arguments: --l id"), (["--ho", "desk", "id"], "sudo, on host desk: id"),
    (["--h", "desk"], "sudo, arguments: --h desk"), (["--login=x"], "sudo, arguments: --login=x"),
    (["-u"], "sudo, arguments: -u"), (["--user"], "sudo, arguments: --user"),
    (["-nh", "desk"], "sudo, arguments: -nh desk"),
    (["-h", "A=b", "id"], "sudo, arguments: -h A=b id"), (["-h"], "sudo, arguments: -h"),
    (["=b", "id"], "sudo, arguments: =b id"), (["-sZ", "a b"], "sudo, arguments: -sZ 'a b'"),
  ])
  func `shows all arguments of sudo unchanged if the meaning of one is unknown`(
    _ arguments: [String], _ expected: String
  ) throws {
    #expect(try text(["sudo"] + arguments) == expected)
  }

  @Test func `shows all arguments unchanged if the program is not sudo`() throws {
    #expect(try text(["sudo", "-i"], program: "/usr/bin/sudo-rs") == "/usr/bin/sudo-rs, arguments: -i")
    #expect(try text(["sudo", "id"], program: "/usr/bin/sudo (deleted)") == "'/usr/bin/sudo (deleted)', arguments: id")
    #expect(try text(["sudoedit", "-s", "f"]) == "sudo, edit, arguments: -s f")
  }

  @Test func `no argument of sudo can look like the words that this text adds`() throws {
    let directory = "/tmp, as user bob: id"
    #expect(try text(["sudo", "-D", directory, "-s"]) == "sudo, in directory '\(directory)', shell")
    #expect(try text(["sudo", "-D", "/tmp,x:", "-s"]) == "sudo, in directory '/tmp,x:', shell")
    #expect(try text(["sudo", "-u", "bob:", "-s"]) == "sudo, as user 'bob:', shell")
    #expect(try text(["sudo", "X=1: id", "-s"]) == "sudo, with 'X=1: id', shell")
    #expect(try text(["sudo", "id'", "-s"]) == "sudo: 'id'\\''' -s")
    #expect(try text(["sudo", "[3 spaces]"]) == "sudo: '[3 spaces]'")
  }

  @Test func `shows spaces that could fill a line as their number`() throws {
    let argument = "a" + String(repeating: " ", count: 70) + "b c"
    #expect(try text(["sudo", "echo", argument]) == "sudo: echo 'a'[70 spaces]'b c'")
    #expect(try text(["sudo", "echo", "   "]) == "sudo: echo [3 spaces]")
    #expect(try text(["sudo", "echo", " ", "''"]) == "sudo: echo ' ' ''\\'''\\'''")
  }

  @Test func `refuses a command line that was perhaps cut`() throws {
    let full = Array("sudo".utf8) + [0] + [UInt8](repeating: 0x78, count: 90) + [0]
    #expect(throws: Never.self) { try SudoCommandLine(program: [], commandLine: full, limit: 97) }
    #expect(throws: SudoCommandLine.Refusal.tooLong) { try SudoCommandLine(program: [], commandLine: full, limit: 96) }
    #expect(throws: SudoCommandLine.Refusal.tooLong) {
      try SudoCommandLine(program: [], commandLine: Array(full.dropLast()), limit: 4096)
    }
    #expect(throws: SudoCommandLine.Refusal.tooLong) { try SudoCommandLine(program: [], commandLine: [], limit: 4096) }
  }

  @Test func `two command lines of sudo have the same text only if they mean the same`() throws {
    let parts = [
      "-s", "-i", "id", "--", "A=b", "-u", "bob", "a b", "'", "''", "", "  ", "x,", "y:", "as", "user", "shell",
    ]
    var seen: [String: [String]] = [:]
    for first in parts {
      for second in parts {
        for third in parts {
          let said = try text(["sudo", first, second, third])
          // The text omits the end of the options, an explicit request for a shell, and repetitions.
          var meant: [String] = []
          for part in [first, second, third] where part != "--" && part != "-s" && !meant.contains(part) {
            meant.append(part)
          }
          let before = seen.updateValue(meant, forKey: said)
          #expect(before == nil || before == meant, "\(said): \(meant), \(before ?? [])")
        }
      }
    }
    #expect(seen.count > 1000)
  }
}
