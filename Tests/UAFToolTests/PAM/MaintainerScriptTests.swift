import Foundation
import ProgramTesting
import Testing
import ToolTestSupport

@testable import PAMStacks
@testable import UAFTool

/// dpkg's script that runs before the module is removed finds the same services that ask pam_uaf as uafctl does.
@Suite struct MaintainerScriptTests {
  private let stacks = Stacks()

  private func script(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "debian/" + name), encoding: .utf8)
  }

  /// The services in which prerm finds hand-written pam_uaf lines.
  private func byHand() throws -> [String] {
    let whole = try script("libpam-uaf.prerm").replacing("/etc/pam.d", with: stacks.machine.pam)
    let functions = try #require(whole.components(separatedBy: "if [ \"$1\" = remove ]").first)
    let pipe = Foundation.Pipe()
    let shell = try StartedProgram(["/bin/sh", "-c", functions + "\nby_hand\n"], output: .pipe(pipe))
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    #expect(shell.wait() == 0)
    return String(decoding: output, as: UTF8.self).split(separator: " ").map {
      String($0.dropFirst(stacks.machine.pam.utf8.count + 1))
    }
  }

  @Test(arguments: [
    "# ops\r\nauth required pam_uaf.so\n", "# see wiki \\\nauth required pam_uaf.so\n", "auth required \\\n pam_uaf.so",
    "# ops\r\n@include uaf-sudo\n", "# ops \\\n@include uaf-sudo\n", "@Include \\\n uaf-sudo#x\n",
    "-@include uaf-sudo x\n",
    "@include FOLDER/uaf-sudo\n", "auth [include] [uaf-sudo]\n", "AUTH SUBSTACK uaf-sudo",
  ])
  func `the package's prerm finds hand-written pam_uaf lines exactly as uafctl does`(text: String) throws {
    #expect(stacks.run("enable", "sudo").exit == .success)
    #expect(try byHand() == [])
    stacks.write("doas", text.replacing("FOLDER", with: stacks.machine.pam))
    #expect(stacks.text(stacks.run("status")).contains("doas: by hand\n"))
    #expect(try byHand() == ["doas"])
  }

  @Test(arguments: [
    "# auth required pam_uaf.so\n", "auth required pam_unix.so # pam_uaf.so\r\n",
    "auth required pam_unix.so # uaf-sudo\n",
    "auth required pam_exec.so uaf-sudoers\n", "@include my-uaf-sudo\n",
    "auth required pam_succeed_if.so user ingroup uaf-rescue\n",
  ])
  func `the package's prerm finds nothing if no service asks pam_uaf`(text: String) throws {
    #expect(stacks.run("enable", "sudo").exit == .success)
    stacks.write("doas", text)
    stacks.write("sudo.bak", stacks.read("sudo") ?? "")
    #expect(try byHand() == [])
    #expect(!stacks.text(stacks.run("status")).contains("doas:"))
  }

  @Test(arguments: ["libpam-uaf.prerm", "libpam-uaf.postrm"])
  func `the package's prerm takes the same names for copies as uafctl does`(name: String) throws {
    #expect(try script(name).contains("*~ | *.bak | *.orig | *.old | *.dpkg-* | *.ucf-*) continue ;;"))
    for copy in ["a~", "a.bak", "a.orig", "a.old", "a.dpkg-new", "a.ucf-old", ".a"] {
      #expect(PAMDirectory.isCopy(copy))
    }
    for service in ["a", "bak", "a.bak2", "a.older", "adpkg-new"] { #expect(!PAMDirectory.isCopy(service)) }
  }
}
