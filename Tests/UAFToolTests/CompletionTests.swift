import Foundation
import ProgramTesting
import Testing
import ToolTestSupport

@testable import UAFTool

/// Runs bash with the completion script that uafctl generates, and checks what bash offers.
@Suite struct CompletionTests {
  private let folder = Folder()

  /// What bash offers to complete the last of `words`.
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

  /// The folder of the build, in which uafctl is next to the tests.
  private var programs: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return String(own[..<(own.lastIndex(of: "/") ?? own.endIndex)])
  }

  @Test func `bash completes subcommands and options`() throws {
    #expect(try completed(["reg"]) == ["register"])
    #expect(try completed(["pam", "dis"]) == ["disable"])
    #expect(try Set(completed(["register", "--co"])) == ["--conf", "--code"])
  }

  @Test(arguments: ["register", "reset", "deregister", "trust"])
  func `bash completes files after --code and after --payload`(command: String) throws {
    _ = folder.file("payload-of-mina", [], mode: 0o600)
    #expect(try completed([command, "--code", "payl"]) == ["payload-of-mina"])
    #expect(try completed([command, "--payload", "payl"]) == ["payload-of-mina"])
  }

  @Test func `bash completes files for an argument that is a payload or a configuration`() throws {
    _ = folder.file("payload-of-mina", [], mode: 0o600)
    #expect(try completed(["oob", "payl"]) == ["payload-of-mina"])
    #expect(try completed(["--conf", "payl"]) == ["payload-of-mina"])
    #expect(try completed(["policy", "check", "--conf", "payl"]) == ["payload-of-mina"])
  }

  @Test func `bash completes services after pam enable, and leaves out the parts of stacks`() throws {
    let pam = folder.folder("pam.d", mode: 0o755)
    for name in ["sudo", "su", "sshd", "common-auth", "uaf-su", "other~"] {
      _ = folder.file("pam.d/" + name, Array("auth required pam_unix.so\n".utf8), mode: 0o644)
    }
    let offered = try completed(["pam", "enable", "--pam-directory", pam, "su"])
    #expect(offered.contains("sudo") && offered.contains("su"))
    #expect(try !completed(["pam", "enable", "--pam-directory", pam, ""]).contains("common-auth"))
    #expect(try !completed(["pam", "enable", "--pam-directory", pam, "uaf"]).contains("uaf-su"))
  }

  @Test func `bash completes only enabled services after pam disable`() throws {
    let stacks = Stacks()
    #expect(stacks.run("enable", "sudo", "--only").exit == .success)
    #expect(try completed(["pam", "disable", "--pam-directory", stacks.machine.pam, ""]).contains("sudo"))
    #expect(try !completed(["pam", "disable", "--pam-directory", stacks.machine.pam, ""]).contains("login"))
  }

  @Test(arguments: [
    ["unlock", "roo"], ["forget", "roo"], ["status", "roo"], ["change", "roo"], ["deregister", "roo"],
    ["pam", "enable", "--try", "roo"], ["oob", "payload", "roo"],
  ])
  func `bash completes account names for an argument that is an account`(words: [String]) throws {
    #expect(try completed(words).contains("root"))
  }

  @Test(arguments: [
    ["status", "--available", "passc"], ["deregister", "passc"], ["register", "passc"], ["register", "root", "passc"],
    ["change", "passc"],
  ])
  func `bash completes authenticator types for an argument that is a type`(words: [String]) throws {
    #expect(try completed(words) == ["passcode"])
  }

  @Test func `bash does not offer services where an account is expected, or accounts where a service is`() throws {
    #expect(try !completed(["unlock", "common-au"]).contains("common-auth"))
    #expect(try !completed(["pam", "enable", "roo"]).contains("root"))
  }
}
