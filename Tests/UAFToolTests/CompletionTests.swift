import Foundation
import ProgramTesting
import Testing
import ToolTestSupport

@testable import UAFTool

/// What bash completes, really run with the script that uafctl generates.
@Suite struct CompletionTests {
  private let folder = Folder()

  /// What bash offers for the last of `words`.
  private func completed(_ words: [String]) throws -> [String] {
    let script = folder.file(
      "completion", Array(Bench(["--generate-completion-script", "bash"]).output.utf8), mode: 0o600)
    let line = (["uafctl"] + words).joined(separator: " ")
    let program = """
      PATH='\(programs)':$PATH
      cd \(folder.path)
      source \(script)
      COMP_WORDS=(uafctl \(words.map { "'\($0)'" }.joined(separator: " ")))
      COMP_CWORD=\(words.count)
      COMP_LINE='\(line)'
      COMP_POINT=\(line.utf8.count)
      _uafctl uafctl '\(words.last ?? "")' '\(words.dropLast().last ?? "uafctl")'
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let output = Foundation.Pipe()
    let bash = try StartedProgram(["/bin/bash", "--norc", "-c", program], output: .pipe(output))
    let data = output.fileHandleForReading.readDataToEndOfFile()
    bash.wait()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Where the build put uafctl: next to the tests.
  private var programs: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return String(own[..<(own.lastIndex(of: "/") ?? own.endIndex)])
  }

  @Test func `completes subcommands and options`() throws {
    #expect(try completed(["reg"]) == ["register"])
    #expect(try completed(["pam", "dis"]) == ["disable"])
    #expect(try Set(completed(["register", "--co"])) == ["--conf", "--code"])
  }

  @Test(arguments: ["register", "reset", "deregister", "trust"])
  func `completes files after --code, and after --payload`(command: String) throws {
    _ = folder.file("payload-of-mina", [], mode: 0o600)
    #expect(try completed([command, "--code", "payl"]) == ["payload-of-mina"])
    #expect(try completed([command, "--payload", "payl"]) == ["payload-of-mina"])
  }

  @Test func `completes files if a payload or a configuration is expected`() throws {
    _ = folder.file("payload-of-mina", [], mode: 0o600)
    #expect(try completed(["oob", "payl"]) == ["payload-of-mina"])
    #expect(try completed(["--conf", "payl"]) == ["payload-of-mina"])
    #expect(try completed(["policy", "check", "--conf", "payl"]) == ["payload-of-mina"])
  }

  @Test func `completes services after pam enable, and no parts of stacks`() throws {
    let pam = folder.folder("pam.d", mode: 0o755)
    for name in ["sudo", "su", "sshd", "common-auth", "uaf-su", "other~"] {
      _ = folder.file("pam.d/" + name, Array("auth required pam_unix.so\n".utf8), mode: 0o644)
    }
    let offered = try completed(["pam", "enable", "--pam-directory", pam, "su"])
    #expect(offered.contains("sudo") && offered.contains("su"))
    #expect(try !completed(["pam", "enable", "--pam-directory", pam, ""]).contains("common-auth"))
    #expect(try !completed(["pam", "enable", "--pam-directory", pam, "uaf"]).contains("uaf-su"))
  }

  @Test func `completes only enabled services after pam disable`() throws {
    let stacks = Stacks()
    #expect(stacks.run("enable", "sudo", "--only").exit == .success)
    #expect(try completed(["pam", "disable", "--pam-directory", stacks.machine.pam, ""]).contains("sudo"))
    #expect(try !completed(["pam", "disable", "--pam-directory", stacks.machine.pam, ""]).contains("login"))
  }

  @Test(arguments: [
    ["unlock", "roo"], ["forget", "roo"], ["status", "roo"], ["change", "roo"], ["deregister", "roo"],
    ["pam", "enable", "--try", "roo"], ["oob", "payload", "roo"],
  ])
  func `completes people if a person is expected`(words: [String]) throws {
    #expect(try completed(words).contains("root"))
  }

  @Test(arguments: [
    ["status", "--available", "passc"], ["deregister", "passc"], ["register", "passc"], ["register", "root", "passc"],
    ["change", "passc"],
  ])
  func `completes types if a type is expected`(words: [String]) throws {
    #expect(try completed(words) == ["passcode"])
  }

  @Test func `offers no services if people are expected, and no people if services are`() throws {
    #expect(try !completed(["unlock", "common-au"]).contains("common-auth"))
    #expect(try !completed(["pam", "enable", "roo"]).contains("root"))
  }
}
