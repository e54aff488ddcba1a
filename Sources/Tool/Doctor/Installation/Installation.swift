import Glibc
import HostSystem
import PAMStacks
import UAFConfiguration
import UAFWire

/// Where the parts of pam-uaf are on this machine.
package struct Installation {
  /// `uaf-helper`.
  package var helperPath: String
  /// `uaf-fetch`.
  package var fetchPath: String
  /// The socket systemd serves.
  package var socketPath: String
  /// The configuration, unless `--conf` names a different one.
  package var configurationPath: String
  /// The folders in which PAM looks for modules that are named without a folder.
  package var moduleFolders: [String]
  /// The folders in which libpam looks for services that have no file in `/etc/pam.d`.
  package var vendorPAMFolders: [String]
  /// The folder of the stack templates.
  package var templateFolder: String
  /// The folder in which stacks are tried, one `uafctl pam` at a time: a folder of root that is empty after each start of the
  /// machine.
  package var trialParent: String
  /// Groups, and the state of passwords.
  package var passwords: any PasswordDirectory
  /// The program that tries a stack before it is installed.
  package var tester: any StackTester
  /// Runs a program and returns what it prints; nil if it prints nothing.
  package var output: (String, [String]) -> String?
  /// Runs a program and returns its error output; nil if there is none.
  package var errors: (String, [String]) -> String? = { _, _ in nil }
  /// sshd, and its configuration.
  package var sshPaths: (program: String, file: String)
  /// GDM, under the names that distributions give it.
  package var gdmPrograms: [String] = []
  /// The files that sudo reads.
  package var sudoFiles: SudoFiles
  /// The name of this host, for rules of sudoers.
  package var hostName: String
  /// Finds the name that the resolver has for this host; nil if it has none.
  package var canonicalHostName: () -> String? = { nil }
  /// The uids of the accounts that have a file in a state folder.
  package var registered: (String) -> [uid_t]
  /// Whether a file or a folder is on a file system that is mounted read-only.
  package var isReadOnly: (String) -> Bool
  /// Whether an attribute (chattr(1)) keeps even root from changing a file or a folder.
  package var isFixed: (String) -> Bool = { _ in false }
  /// What the file system of a folder has no more of, if it takes no new file.
  package var shortage: (String) -> StorageShortage? = { _ in nil }
  /// Whether something is mounted at a name, which then cannot be replaced.
  package var isMountPoint: (String) -> Bool = { _ in false }
  /// Whether this process sees the files that the other programs of this machine see; not so in a sandbox with mounts of its own.
  package var seesFilesOfOthers: () -> Bool = { true }
  /// The file into which a syslog daemon writes lines of authpriv, where there is one.
  package var logPath = "/var/log/auth.log"
  /// The kernel, the clock and the log.
  package var facts: () -> MachineFacts
  /// The uid that must own everything.
  package var owner: uid_t
  /// One exchange with a server, as the core does it; nil if uaf-fetch broke its protocol.
  package var exchange: (FetchRequest) -> FetchAnswer?

  /// The installation on this machine, as this program finds it.
  ///
  /// - Parameter tty: the terminal this program is called from, if there is one.
  package static func ofThisMachine(tty: String?) -> Installation {
    let fetch = InstalledPaths.program("uaf-fetch")
    return Installation(
      helperPath: InstalledPaths.program("uaf-helper"), fetchPath: fetch, socketPath: InstalledPaths.socket,
      configurationPath: Configuration.defaultPath, moduleFolders: standardModuleFolders,
      vendorPAMFolders: ["/usr/lib/pam.d"], templateFolder: InstalledPaths.below("share/pam-uaf/pam.d"),
      trialParent: "/run", passwords: SystemPasswords(), tester: LibPAM(tty: tty), output: ProgramOutput.text,
      errors: ProgramOutput.errors,
      sshPaths: ("/usr/sbin/sshd", "/etc/ssh/sshd_config"), gdmPrograms: ["/usr/sbin/gdm3", "/usr/sbin/gdm"],
      sudoFiles: .ofThisMachine, hostName: nameOfHost(), canonicalHostName: { canonicalName(of: nameOfHost()) },
      registered: accountNumbers(in:),
      isReadOnly: isReadOnly, isFixed: FileState.isFixed, shortage: StorageShortage.at,
      isMountPoint: MountedFileSystem.isMounted, seesFilesOfOthers: MountedFileSystem.areThoseOfFirstProcess,
      facts: MachineFacts.ofThisMachine, owner: 0,
      exchange: { FetchProbe(path: fetch).exchange($0) })
  }

  /// The settings of sudo that decide whom it asks, and how, with the parts of sudoers that could not be read.
  package func readSudoers() -> SudoSettings {
    SudoSettings(sudoFiles, host: hostName, canonical: canonicalHostName, owner: owner)
  }

  /// The PAM services that sshd uses.
  package func readSSH() -> SSHServices { sshConfiguration.services() }

  /// The display managers that are installed, and their versions.
  package func readDisplayManagers() -> DisplayManagers {
    DisplayManagers(gdm: gdmPrograms.lazy.compactMap { output($0, ["--version"]) }.first)
  }

  /// The sources of sshd's settings.
  var sshConfiguration: SSHConfiguration {
    SSHConfiguration(program: sshPaths.program, file: sshPaths.file, output: output, errors: errors)
  }

  /// The canonical name of a host, from getaddrinfo(3); nil if it has none.
  private static func canonicalName(of host: String) -> String? {
    // SAFETY: the name and the hints live for the call; the list is read here alone, and freed once.
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_CANONNAME
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, nil, &hints, &found) == 0 else { return nil }
    defer { unsafe freeaddrinfo(found) }
    return unsafe found?.pointee.ai_canonname.map { unsafe String(cString: $0) }
  }

  /// The name of this machine; empty if it cannot be determined.
  private static func nameOfHost() -> String {
    var name = [CChar](repeating: 0, count: 256)
    // SAFETY: the buffer is as long as it is said to be; the last byte stays zero.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static let standardModuleFolders = [
    "/lib/x86_64-linux-gnu/security", "/lib/aarch64-linux-gnu/security", "/lib/security", "/lib64/security",
    "/usr/lib/x86_64-linux-gnu/security", "/usr/lib/aarch64-linux-gnu/security", "/usr/lib/security",
    "/usr/lib64/security", "/usr/local/lib/security",
  ]

  /// The uids of the accounts that have a file in a state folder, in order.
  package static func accountNumbers(in folder: String) -> [uid_t] {
    let names = PAMDirectory(path: folder + "/accounts").names() ?? []
    return names.compactMap { $0.hasSuffix(".db") ? uid_t($0.dropLast(3)) : nil }.sorted()
  }

  /// Whether the kernel reports the file system of a file or a folder as read-only.
  package static func isReadOnly(_ path: String) -> Bool {
    MountOptions(of: path)?.contains(.readOnly) ?? false
  }
}

/// The paths of pam-uaf's parts: the socket's is fixed, the others depend on the path of this program.
package enum InstalledPaths {
  /// Where systemd serves the core.
  package static let socket = "/run/pam-uaf/helper.sock"

  /// The path of a program of the libexec folder; free of links and dots if it exists.
  ///
  /// `bin/uafctl` and `libexec/pam-uaf/uaf-helper` are always in the same parent folder, wherever that is.
  package static func program(_ name: String) -> String { below("libexec/pam-uaf/" + name) }

  /// The path of a part that is installed with this program, from the folder that has `bin`.
  package static func below(_ part: String) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: the buffer is as long as announced; readlink adds no NUL and returns the length.
    let length = unsafe buffer.withUnsafeMutableBytes { buffer in
      unsafe buffer.baseAddress.map {
        unsafe readlink("/proc/self/exe", $0.assumingMemoryBound(to: CChar.self), buffer.count)
      } ?? 0
    }
    let own = String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)
    // The kernel's name of the program has no links and no dots in it.
    let path = own.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/" + part
    return ResolvedPath.of(path) ?? path
  }
}

/// The release that all programs of an installation must have, and the text of `uafctl --version`.
package enum ToolVersion {
  /// The release.
  package static let number = "0.2.0"
  /// Program and release.
  package static let text = "uafctl (pam-uaf) \(number)"
}
