/// The results that modules may return, as far as they are known.
///
/// Any other module is assumed to return any result.
package enum ModuleResults {
  /// Modules that ask nobody for anything: those of Linux-PAM, and others that distributions package.
  ///
  /// A module that is missing here counts as one that asks. So every module that is known not to ask must be here;
  /// ModuleTableTests has the modules that Debian packages.
  private static let bystanders: Set<String> = [
    "pam_abl.so", "pam_access.so", "pam_afs_session.so", "pam_alreadyloggedin.so", "pam_apparmor.so",
    "pam_canonicalize_user.so", "pam_cap.so", "pam_cgfs.so", "pam_cgroup.so", "pam_chroot.so", "pam_ck_connector.so",
    "pam_debug.so", "pam_deny.so", "pam_echo.so", "pam_ecryptfs.so", "pam_elogind.so", "pam_encfs.so", "pam_env.so",
    "pam_exec.so", "pam_faildelay.so", "pam_faillock.so", "pam_filter.so", "pam_fscrypt.so", "pam_geoip.so",
    "pam_gnome_keyring.so", "pam_group.so", "pam_issue.so", "pam_keyinit.so", "pam_krb5_migrate.so", "pam_kwallet.so",
    "pam_kwallet5.so", "pam_lastlog.so", "pam_lastlog2.so", "pam_limits.so", "pam_listfile.so", "pam_localuser.so",
    "pam_loginuid.so", "pam_mail.so", "pam_malcontent.so", "pam_mkhomedir.so", "pam_motd.so", "pam_mount.so",
    "pam_namespace.so", "pam_newnet.so", "pam_nologin.so", "pam_oddjob_mkhomedir.so", "pam_permit.so", "pam_rhosts.so",
    "pam_securetty.so", "pam_selinux.so", "pam_sepermit.so", "pam_setquota.so", "pam_shells.so", "pam_shield.so",
    "pam_slurm.so", "pam_slurm_adopt.so", "pam_snapper.so", "pam_ssh_add.so", "pam_sss_gss.so", "pam_succeed_if.so",
    "pam_systemd.so",
    "pam_systemd_loadkey.so", "pam_tally.so", "pam_tally2.so", "pam_time.so", "pam_timestamp.so", "pam_tmpdir.so",
    "pam_tty_audit.so", "pam_umask.so", "pam_usernet.so", "pam_usertype.so", "pam_warn.so", "pam_wheel.so",
    "pam_xauth.so", "pam_zfs_key.so", rootModule,
  ]

  /// Modules that ask for a password, or for something else that a person has or is, and check it.
  private static let checking: Set<String> = directories.union(things).union([
    "pam_pwdfile.so", "pam_systemd_home.so", "pam_tcb.so", passwordModule, "pam_unix2.so", "pam_userdb.so",
  ])

  /// The checking modules that check something other than a password.
  private static let things: Set<String> = [
    "pam_fprintd.so", "pam_google_authenticator.so", "pam_oath.so", "pam_opie.so", "pam_otpw.so", "pam_p11.so",
    "pam_pkcs11.so", "pam_ssh_agent_auth.so", "pam_u2f.so", "pam_yubico.so",
  ]

  /// The module for which `nullok` says that empty passwords are accepted.
  ///
  /// For other modules it says that accounts without a setup are accepted. Debian's stacks always have it for this module.
  private static let passwordModule = "pam_unix.so"

  /// Arguments with which a module returns success or "ignore" for accounts for which it is not set up.
  private static let unsetArguments: Set<String> = ["nouserok", "nullok"]

  /// Modules that by default return success for some people, or while they reach no server, without asking for anything.
  ///
  /// pam_duo does so while Duo cannot be reached (`failmode = safe`), and for people outside its `groups`.
  private static let trusting: Set<String> = ["pam_duo.so"]

  /// The argument of pam_google_authenticator with which it asks nobody who has logged in a short time before.
  private static let grace = "grace_period="

  /// Arguments with which a module returns "ignore" for some accounts, or if it reaches no server.
  private static let asideArguments: Set<String> = [
    "ignore_authinfo_unavail", "ignore_root", "ignore_unknown_user", "localifdown", "unknown_ok",
  ]

  /// The module that succeeds if the program that calls PAM has the real uid 0, whoever is logging in.
  static let rootModule = "pam_rootok.so"

  /// Services of programs that keep the real uid of the user who starts them.
  ///
  /// In these programs, pam_rootok lets in only root, who needs no passcode to be root. sshd, login, display managers and cron
  /// run as root for other people, and so does polkit's helper if systemd starts it. In those, pam_rootok lets in everybody.
  private static let callersOwn: Set<String> = [
    "chage", "chfn", "chgpasswd", "chpasswd", "chsh", "groupadd", "groupdel", "groupmems", "groupmod", "newusers",
    "passwd", "runuser", "runuser-l", "su", "su-l", "sudo", "sudo-i", "useradd", "userdel", "usermod",
  ]

  /// Whether pam_rootok lets in only root in a service; false for an unknown service.
  static func isRootsOwn(_ service: String) -> Bool { callersOwn.contains(service) }

  /// Modules that accept some people and refuse others without asking anything.
  private static let conditions: Set<String> = [
    "pam_access.so", "pam_listfile.so", "pam_localuser.so", "pam_succeed_if.so", "pam_time.so", "pam_usertype.so",
    "pam_wheel.so",
  ]

  /// Modules that check a password with a directory service, which does not know the local accounts.
  private static let directories: Set<String> = [
    "pam_krb5.so", "pam_ldap.so", "pam_radius_auth.so", "pam_sss.so", "pam_tacplus.so", "pam_winbind.so",
  ]

  /// Programs that succeed whatever pam_exec(8) passes to them.
  private static let programsWithoutCheck: Set<String> = [
    "cat", "date", "echo", "logger", "printf", "sleep", "tee", "true", "wall",
  ]

  /// Whether the line lets in everybody, whatever is entered: a module with `alwaysok`, or pam_exec with a program that checks
  /// nothing.
  private static func acceptsEverything(_ line: PAMLine) -> Bool {
    if line.moduleName == "pam_exec.so" {
      let program = line.arguments.first { $0.hasPrefix("/") }?.split(separator: "/").last
      return program.map { programsWithoutCheck.contains(String($0)) } ?? false
    }
    return things.contains(line.moduleName) && line.arguments.contains("alwaysok")
  }

  /// Whether the line is not pam_uaf and may ask the person for something.
  package static func authenticates(_ line: PAMLine) -> Bool {
    guard line.isWellFormed, !line.asksOwnModule, !line.isInclusion, !acceptsEverything(line) else { return false }
    // The program that pam_exec runs may check a password that it is given.
    return !bystanders.contains(line.moduleName)
      || line.moduleName == "pam_exec.so" && line.arguments.contains("expose_authtok")
  }

  /// Whether the line asks everybody for something, as far as it is known.
  static func asks(_ line: PAMLine) -> Bool { authenticates(line) && !acceptsUnset(line) }

  /// Whether a success of the line is certain to mean that the module asked for something, and that the entry was right.
  static func vouches(_ line: PAMLine) -> Bool { asks(line) && checking.contains(line.moduleName) }

  /// Whether the line is certain to check a password.
  static func checksPassword(_ line: PAMLine) -> Bool { vouches(line) && !things.contains(line.moduleName) }

  /// Whether the line accepts the empty password of an account that has one.
  package static func acceptsEmpty(_ line: PAMLine) -> Bool {
    line.isWellFormed && line.moduleName == passwordModule
      && line.arguments.contains { ["nullok", "nullok_secure"].contains($0) }
  }

  /// Whether the line accepts a person for whom it is not set up, or whom it asks for nothing for another reason.
  private static func acceptsUnset(_ line: PAMLine) -> Bool {
    trusting.contains(line.moduleName)
      || line.moduleName != passwordModule
        && line.arguments.contains { unsetArguments.contains($0) || $0.hasPrefix(grace) && $0 != grace + "0" }
  }

  /// Whether the line may return "ignore".
  ///
  /// A module that asks for something does not return that for a wrong entry.
  static func mayStandAside(_ line: PAMLine) -> Bool {
    !asks(line) || line.arguments.contains { asideArguments.contains($0) || $0.hasPrefix("minimum_uid=") }
  }

  /// Whether a result is an acceptance.
  static func isAcceptance(_ result: String) -> Bool { result == "success" || result == "new_authtok_reqd" }

  /// Whether the line accepts some people and refuses others without asking anything.
  static func isCondition(_ line: PAMLine) -> Bool { line.isWellFormed && conditions.contains(line.moduleName) }

  /// Whether the line may be there to keep out a person who has the right password.
  ///
  /// Modules that count tries are left out, because pam_uaf counts tries itself.
  static func restricts(_ line: PAMLine) -> Bool {
    isCondition(line)
      || line.isWellFormed && !authenticates(line)
        && ["pam_exec.so", "pam_nologin.so", "pam_securetty.so", "pam_shells.so"].contains(line.moduleName)
  }

  private static let all = PAMControl.names.filter { $0 != "default" }

  /// Whether a success of the line is meant to bypass pam_uaf: for the rescue group, and root in su.
  static func isMeantToPass(_ line: PAMLine, in service: String) -> Bool {
    line.isForRescuers(in: service) || isRoots(line, in: service)
  }

  /// Whether the line lets in only root.
  static func isRoots(_ line: PAMLine, in service: String) -> Bool {
    line.moduleName == rootModule && isRootsOwn(service)
  }

  /// The results that anybody may cause.
  static func possible(_ line: PAMLine) -> [String] {
    // libpam does not call the module, and uses this result.
    guard line.isWellFormed else { return ["perm_denied"] }
    switch line.moduleName {
    case "pam_deny.so": return ["auth_err"]
    case "pam_permit.so": return ["success"]
    default: return all
    }
  }

  /// The results that are possible for a person who has nothing that any line asks for.
  static func ofNothing(_ line: PAMLine) -> [String] {
    possible(line).filter { result in
      if result == "ignore" { return mayStandAside(line) }
      return !isAcceptance(result) || !asks(line)
    }
  }

  /// The results for the right password of a local account if pam_uaf refuses everybody.
  ///
  /// A required condition is assumed to be true, and an unknown module is assumed to accept.
  static func ofRightPassword(_ line: PAMLine, asRescuer: Bool, in service: String) -> [String] {
    guard line.isWellFormed else { return ["perm_denied"] }
    if line.isForRescuers(in: service) { return [asRescuer ? "success" : "auth_err"] }
    let name = line.moduleName
    // The password is assumed to be a local account's.
    if name == "pam_localuser.so", line.arguments.allSatisfy({ $0 == "debug" }) { return ["success"] }
    if conditions.contains(name) { return line.action(of: "auth_err").refuses ? ["success"] : ["success", "auth_err"] }
    if directories.contains(name) { return ["user_unknown", "authinfo_unavail"] }
    switch name {
    case PAMLine.ownModule: return ["auth_err", "authinfo_unavail", "system_err"]
    case "pam_deny.so": return ["auth_err"]
    case rootModule: return [isRootsOwn(service) ? "auth_err" : "success"]
    case "pam_faillock.so", "pam_tally2.so":
      // With `authfail` the module counts a failure. It then returns "ignore", which most stacks turn into a refusal.
      return line.arguments.contains("authfail") ? ["auth_err", "ignore"] : ["success"]
    case "pam_cap.so", "pam_echo.so", "pam_faildelay.so", "pam_gnome_keyring.so", "pam_issue.so", "pam_kwallet5.so",
      "pam_motd.so", "pam_nologin.so", "pam_warn.so":
      return ["success", "ignore"]
    default: return ["success"]
    }
  }

  /// Modules that accept everybody who has the right password: for each group, the results that they return.
  ///
  /// Each was tried with libpam.
  ///
  /// In a group that a module does not implement, it returns "module_unknown", which is a refusal.
  private static let agreeing: [String: [String: [String]]] = [
    "auth": [
      passwordModule: ["success"], "pam_permit.so": ["success"], "pam_cap.so": ["success", "ignore"],
      "pam_echo.so": ["success", "ignore"], "pam_env.so": ["ignore"], "pam_faildelay.so": ["ignore"],
      "pam_group.so": ["ignore"], "pam_keyinit.so": ["ignore"], "pam_mail.so": ["ignore"],
      "pam_nologin.so": ["success", "ignore"], "pam_warn.so": ["ignore"],
    ],
    "password": [
      passwordModule: ["success"], "pam_permit.so": ["success"], PAMLine.ownModule: ["ignore"],
      // They refuse until the new password is good enough.
      "pam_cracklib.so": ["success"], "pam_passwdqc.so": ["success"], "pam_pwhistory.so": ["success"],
      "pam_pwquality.so": ["success"],
    ],
    "session": [
      passwordModule: ["success"], "pam_permit.so": ["success"], "pam_env.so": ["success"],
      "pam_keyinit.so": ["success", "ignore"], "pam_limits.so": ["success"], "pam_loginuid.so": ["success", "ignore"],
      "pam_mail.so": ["success", "ignore"], "pam_motd.so": ["ignore"], "pam_selinux.so": ["success"],
      "pam_umask.so": ["success"], "pam_warn.so": ["ignore"],
    ],
  ]

  /// The results that the line certainly returns for a person whose password is right and whom no condition keeps out; nil if
  /// that is not known.
  static func ofCertainPassword(_ line: PAMLine, in service: String, _ group: String) -> [String]? {
    let name = line.moduleName
    switch (group, name) {
    case ("auth", "pam_deny.so"): return ["auth_err"]
    case ("password", "pam_deny.so"): return ["authtok_err"]
    case ("session", "pam_deny.so"): return ["session_err"]
    case ("auth", PAMLine.ownModule), ("auth", rootModule), ("auth", "pam_faillock.so"):
      return ofRightPassword(line, asRescuer: false, in: service)
    case ("session", "pam_loginuid.so") where line.arguments.contains("require_auditd"): return nil
    case _ where directories.contains(name) && group != "session":
      let aside = ["ignore_unknown_user", "ignore_authinfo_unavail"].contains(where: line.arguments.contains)
      return ["user_unknown", "authinfo_unavail"] + (aside ? ["ignore"] : [])
    default: return agreeing[group]?[name]
    }
  }

  /// Whether the line's arguments make its module ask for nothing and use what the person entered for an earlier module.
  static func takesAnothersPassword(_ line: PAMLine, in group: String) -> Bool {
    line.arguments.contains(group == "password" ? "use_authtok" : "use_first_pass")
  }
}

extension PAMLine {
  /// The group whose members bypass pam_uaf and use their password (pam.d/README.md).
  package static let rescueGroup = "uaf-rescue"

  /// Whether the line's success is meant for the rescue group.
  ///
  /// With `use_uid`, the module examines the user who runs the program. If root runs it for everybody, the line accepts
  /// everybody or nobody.
  func isForRescuers(in service: String) -> Bool {
    moduleName == "pam_succeed_if.so" && (!arguments.contains("use_uid") || ModuleResults.isRootsOwn(service))
      && zip(arguments, arguments.dropFirst()).contains { $0 == "ingroup" && $1 == Self.rescueGroup }
  }
}

extension PAMAction {
  /// Whether it makes the stack refuse.
  var refuses: Bool { self == .bad || self == .die }
}
