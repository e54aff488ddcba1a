import Glibc
import PAMStacks
import UAFConfiguration
import UAFWire

/// Where the parts of pam-uaf lie on this machine.
struct Installation {
  /// `uaf-helper`.
  var helperPath: String
  /// `uaf-fetch`.
  var fetchPath: String
  /// The socket systemd serves.
  var socketPath: String
  /// The configuration, unless `--conf` names another.
  var configurationPath: String
  /// Where PAM looks for modules that are named without a folder.
  var moduleFolders: [String]
  /// Where libpam looks for services of which `/etc/pam.d` has no file.
  var vendorPAMFolders: [String]
  /// The ready stacks.
  var templateFolder: String
  /// Where stacks are tried, one `uafctl pam` at a time: a folder of root's, in which no ended machine leaves anything.
  var trialParent: String
  /// Groups, and the state of passwords.
  var passwords: any PasswordDirectory
  /// Whoever tries a stack before it is put in place.
  var tester: any StackTester
  /// What a program prints; nil if it prints nothing.
  var output: (String, [String]) -> String?
  /// sshd, and its configuration.
  var sshPaths: (program: String, file: String)
  /// The numbers of the accounts that have a file in a state folder.
  var registered: (String) -> [uid_t]
  /// The kernel, the clock and the log.
  var facts: () -> MachineFacts
  /// Who must own all of it.
  var owner: uid_t
  /// One exchange with a server, as the core would have it; nil if uaf-fetch did not keep to its protocol.
  var exchange: (FetchRequest) -> FetchAnswer?

  /// That of this machine, as this program finds it.
  ///
  /// - Parameter tty: the terminal this program is called from, if there is one.
  static func ofThisMachine(tty: String?) -> Installation {
    let fetch = InstalledCore.program("uaf-fetch")
    return Installation(
      helperPath: InstalledCore.program("uaf-helper"), fetchPath: fetch, socketPath: InstalledCore.socketPath,
      configurationPath: Configuration.defaultPath, moduleFolders: standardModuleFolders,
      vendorPAMFolders: ["/usr/lib/pam.d"], templateFolder: InstalledCore.below("share/pam-uaf/pam.d"),
      trialParent: "/run", passwords: SystemPasswords(), tester: LibPAM(tty: tty), output: ProgramOutput.text,
      sshPaths: ("/usr/sbin/sshd", "/etc/ssh/sshd_config"), registered: AccountSurvey.registered,
      facts: MachineFacts.ofThisMachine, owner: 0,
      exchange: { FetchProbe(path: fetch).exchange($0) })
  }

  private static let standardModuleFolders = [
    "/lib/x86_64-linux-gnu/security", "/lib/aarch64-linux-gnu/security", "/lib/security", "/lib64/security",
    "/usr/lib/x86_64-linux-gnu/security", "/usr/lib/aarch64-linux-gnu/security", "/usr/lib/security",
    "/usr/lib64/security", "/usr/local/lib/security",
  ]
}
