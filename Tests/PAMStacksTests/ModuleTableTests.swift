import Glibc
import Testing

@testable import PAMStacks

/// The modules of Debian's packages libpam-*, and whether each asks the person for something.
///
/// A module that is on no list of ``ModuleResults`` counts as one that asks. A line with a module that asks nothing must not
/// count, or a stack without a question would be called one that asks.
@Suite struct ModuleTableTests {
  private enum Kind {
    /// It asks for a password, or for something else that a person knows, has or is.
    case asks
    /// It asks nobody for anything.
    case silent
    /// It asks for new passwords alone, in lines of `password`, where another module may take its answer.
    case newPasswords
    /// A script of the administrator's decides; the safe assumption is that of an unknown module.
    case script
  }

  private static let table: [(names: [String], kind: Kind)] = [
    // libpam-modules
    (
      [
        "access", "canonicalize_user", "debug", "deny", "echo", "env", "exec", "faildelay",
        "faillock", "filter", "group",
        "issue", "keyinit", "lastlog", "limits", "listfile", "localuser", "loginuid", "mail",
        "mkhomedir", "motd", "namespace",
        "nologin", "permit", "rhosts", "rootok", "securetty", "selinux", "sepermit", "setquota",
        "shells", "succeed_if", "time",
        "timestamp", "tty_audit", "umask", "usertype", "warn", "wheel", "xauth",
      ], .silent
    ), (["ftp", "stress", "unix", "userdb"], .asks), (["pwhistory"], .newPasswords),
    // libpam-abl to libpam-cgroup; abl counts failures and afs-session takes a token of Kerberos.
    (
      ["abl", "afs_session", "alreadyloggedin", "apparmor", "cap", "cgfs", "cgroup", "chroot"],
      .silent
    ),
    (
      ["barada", "biometric", "ccreds", "duo", "fprintd", "freerdp2", "google_authenticator"], .asks
    ),
    // These take the password of another line, to open a folder or a keyring; the last one stores it for Kerberos.
    (["encfs", "fscrypt", "gnome_keyring", "kwallet5", "mount", "krb5_migrate"], .silent),
    (["elogind", "geoip", "malcontent", "newnet", "usernet"], .silent),
    (
      [
        "krb5", "ldap", "mysql", "oath", "otpw", "p11", "pkcs11", "poldi", "pwdfile", "radius_auth",
        "shishi",
      ], .asks
    ),
    (["cracklib", "passwdqc", "pwquality"], .newPasswords), (["python", "script"], .script),
    (
      ["shield", "slurm", "slurm_adopt", "snapper", "systemd", "systemd_loadkey", "tmpdir"], .silent
    ),
    (
      ["ssh_agent_auth", "sss", "systemd_home", "u2f", "ufpidentity", "winbind", "x2go", "yubico"],
      .asks
    ),
    // A ticket that the person got earlier is enough for it, and nobody is asked now.
    (["sss_gss"], .silent),
    // Packages with other names.
    (["ecryptfs", "lastlog2", "oddjob_mkhomedir", "ssh_add", "zfs_key"], .silent),
  ]

  @Test(arguments: table.flatMap { row in row.names.map { ($0, row.kind == .silent) } })
  func `a PAM module counts as one that asks the person unless it is known to ask nothing`(
    name: String, isSilent: Bool
  ) throws {
    let line = try #require(
      PAMReading.sinceSix.lines(of: Array("auth required pam_\(name).so\n".utf8)).first)
    #expect(ModuleResults.authenticates(PAMLine(line: line)) == !isSilent)
  }

  @Test func `the table has every PAM module that is installed on this machine`() {
    let folders = ["/lib/x86_64-linux-gnu/security", "/lib/aarch64-linux-gnu/security"]
    let installed = folders.flatMap { PAMDirectory(path: $0).names() ?? [] }
      .filter { $0.hasPrefix("pam_") && $0.hasSuffix(".so") && $0 != PAMLine.ownModule }
    let known = Set(Self.table.flatMap(\.names).map { "pam_\($0).so" })
    #expect(installed.filter { !known.contains($0) } == [])
  }
}
