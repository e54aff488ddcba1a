import Glibc
import HostSystem
import Testing
import ToolTestSupport

@testable import Doctor
@testable import PAMStacks
@testable import UAFTool

/// A folder of services and one of shipped stacks, with a libpam and a password database that a test controls.
final class Stacks {
  let machine = Machine()
  let passwords = FakePasswords()
  let tester = FakeTester()
  let vendor: String

  static let sudo = "#%PAM-1.0\n\nsession required pam_limits.so\n\n@include common-auth\n@include common-account\n"
  static let stack = """
    # A ready stack.
    auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup uaf-rescue
    auth [success=done default=die] pam_uaf.so
    @include common-auth

    """

  /// The same stack, with the password before pam_uaf.
  static let second = """
    # A ready stack.
    @include common-auth
    auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup uaf-rescue
    auth [success=ok ignore=ignore default=die] pam_uaf.so

    """

  init() {
    vendor = machine.folder.path + "/vendor"
    machine.installation.templateFolder = machine.folder.folder("templates", mode: 0o755)
    machine.installation.trialParent = machine.folder.folder("run", mode: 0o700)
    machine.installation.passwords = passwords
    machine.installation.tester = tester
    for shape in ["instead", "fallback", "second-factor"] {
      _ = machine.folder.folder("templates/" + shape, mode: 0o755)
      for name in ["sudo", "sshd", "login", "su", "polkit-1", "display-manager", "locker"] {
        template("\(shape)/\(name)", "# \(shape)\n" + (shape == "second-factor" ? Self.second : Self.stack))
      }
    }
    template("instead/sddm", "# instead\n" + Self.stack)
    template("passwd", "password required pam_uaf.so\n@include common-password\n")
    for module in ["pam_nologin", "pam_limits"] {
      _ = machine.folder.module("libexec/\(module).so")
    }
    machine.service(
      "common-auth",
      "auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so")
    machine.service("common-account", "account required pam_unix.so")
    machine.service("login", "@include common-auth\nsession required pam_permit.so")
    write("sudo", Self.sudo)
  }

  var folder: Folder { machine.folder }

  func template(_ name: String, _ text: String) {
    folder.delete("templates/" + name)
    _ = folder.file("templates/" + name, Array(text.utf8), mode: 0o644)
  }

  func write(_ name: String, _ text: String, mode: mode_t = 0o644) {
    folder.delete("pam.d/" + name)
    _ = folder.file("pam.d/" + name, Array(text.utf8), mode: mode)
  }

  /// The content of a file in the folder of services; nil if there is none.
  func read(_ name: String) -> String? {
    PAMDirectory(path: machine.pam).bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every file in the folder of services, including hidden ones, but not the account lines that all services include.
  var names: [String] { folder.names("pam.d").filter { $0 != "common-account" } }

  /// Makes libpam itself try stacks.
  ///
  /// In place of pam_uaf.so it loads pam_debug.so, whose arguments set the result.
  func useLibpam(_ stack: String, standIn: String = "pam_debug.so") throws {
    let folders = Installation.ofThisMachine(tty: nil).moduleFolders
    let module = try #require(
      folders.map { $0 + "/" + standIn }.first { (try? FileState.of($0).get()) != nil }, "libpam-modules is needed")
    folder.delete("libexec/pam_uaf.so")
    folder.link("libexec/pam_uaf.so", to: module)
    machine.installation.tester = LibPAMAlone()
    machine.installation.moduleFolders += folders
    passwords.states["root"] = .usable
    write("sudo", "@include common-auth\n")
    write("login", "@include common-auth\naccount required pam_permit.so\nsession required pam_permit.so\n")
    for shape in ["instead", "fallback"] {
      template(
        shape + "/sudo", stack.replacing("pam_uaf.so", with: folder.path + "/libexec/pam_uaf.so"))
    }
  }

  /// Writes the sudoers file.
  func sudoers(_ lines: String...) { machine.sudoers(lines.joined(separator: "\n") + "\n") }

  func run(_ arguments: String..., as userID: uid_t = 0) -> Bench {
    var all = ["pam"] + arguments
    all += ["--pam-directory", machine.pam]
    return Bench(all, as: userID, core: FakeCore([]), installation: machine.installation)
  }

  /// What doctor finds wrong in the folder of services.
  func findings() -> [Finding] {
    PAMCheck(
      directory: machine.pam, moduleFolders: machine.installation.moduleFolders,
      vendorFolders: machine.installation.vendorPAMFolders, owner: geteuid(), passwords: passwords, isRoot: true,
      accounts: FakeAccounts(), tester: tester, trialParent: machine.installation.trialParent,
      sudo: machine.installation.readSudoers(), displayManagers: machine.installation.readDisplayManagers()
    ).findings()
  }

  /// The output and notes of a run, without the path of the folder.
  func text(_ bench: Bench) -> String { (bench.output + bench.notes).replacing(machine.pam + "/", with: "") }
}
