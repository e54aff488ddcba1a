import Glibc
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
  /// Who must own all of it.
  var owner: uid_t
  /// One exchange with a server, as the core would have it; nil if uaf-fetch did not keep to its protocol.
  var exchange: (FetchRequest) -> FetchResponse?

  /// That of this machine, as this program finds it.
  static func ofThisMachine() -> Installation {
    let fetch = InstalledCore.program("uaf-fetch")
    return Installation(
      helperPath: InstalledCore.program("uaf-helper"), fetchPath: fetch, socketPath: InstalledCore.socketPath,
      configurationPath: Configuration.defaultPath, moduleFolders: standardModuleFolders, owner: 0,
      exchange: { FetchProbe(path: fetch).exchange($0) })
  }

  private static let standardModuleFolders = [
    "/lib/x86_64-linux-gnu/security", "/lib/aarch64-linux-gnu/security", "/lib/security", "/lib64/security",
    "/usr/lib/x86_64-linux-gnu/security", "/usr/lib/aarch64-linux-gnu/security", "/usr/lib/security",
    "/usr/lib64/security", "/usr/local/lib/security",
  ]
}
