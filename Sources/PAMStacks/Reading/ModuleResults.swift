/// What modules may answer, as far as it is known; of all others it is assumed that they may answer anything.
package enum ModuleResults {
  /// Modules that are in stacks and authenticate nobody.
  private static let bystanders: Set<String> = [
    "pam_deny.so", "pam_permit.so", "pam_env.so", "pam_faildelay.so", "pam_nologin.so", "pam_securetty.so",
    "pam_group.so", "pam_cap.so", "pam_warn.so", "pam_echo.so", "pam_exec.so", "pam_faillock.so", "pam_tally2.so",
    "pam_succeed_if.so", "pam_access.so", "pam_time.so", "pam_listfile.so", "pam_gnome_keyring.so", "pam_kwallet5.so",
    "pam_mount.so", "pam_selinux.so", "pam_shells.so", "pam_issue.so", "pam_motd.so", "pam_debug.so", "pam_umask.so",
    "pam_localuser.so", "pam_usertype.so",
  ]

  /// Modules that say yes to some people and no to others, and ask nothing.
  private static let conditions: Set<String> = [
    "pam_access.so", "pam_listfile.so", "pam_localuser.so", "pam_succeed_if.so", "pam_time.so", "pam_usertype.so",
    "pam_wheel.so",
  ]

  /// Modules that ask a directory, which does not have a local account.
  private static let directories: Set<String> = [
    "pam_krb5.so", "pam_ldap.so", "pam_radius_auth.so", "pam_sss.so", "pam_tacplus.so", "pam_winbind.so",
  ]

  /// Whether the line asks the person for something, and is not pam_uaf.
  package static func authenticates(_ line: PAMLine) -> Bool {
    line.isWellFormed && !line.asksOwnModule && !line.isInclusion && !bystanders.contains(line.moduleName)
  }

  private static let all = PAMControl.names.filter { $0 != "default" }

  /// Whether a success of the line is there to lead past pam_uaf: root in su, and the rescue group.
  static func isMeantToPass(_ line: PAMLine) -> Bool { line.isForRescuers || line.moduleName == "pam_rootok.so" }

  /// Whatever anybody may bring about.
  static func possible(_ line: PAMLine) -> [String] {
    // libpam does not ask it, and takes that for this result.
    guard line.isWellFormed else { return ["perm_denied"] }
    switch line.moduleName {
    case "pam_deny.so": return ["auth_err"]
    case "pam_permit.so": return ["success"]
    default: return all
    }
  }

  /// What a right password of a local account brings about, where pam_uaf refuses everybody.
  ///
  /// Of a condition that has to hold it is assumed that it does, and of a module that is not known that it agrees.
  static func ofRightPassword(_ line: PAMLine, asRescuer: Bool) -> [String] {
    guard line.isWellFormed else { return ["perm_denied"] }
    if line.isForRescuers { return [asRescuer ? "success" : "auth_err"] }
    let name = line.moduleName
    if conditions.contains(name) { return line.action(of: "auth_err").refuses ? ["success"] : ["success", "auth_err"] }
    if directories.contains(name) { return ["user_unknown", "authinfo_unavail"] }
    switch name {
    case PAMLine.ownModule: return ["auth_err", "authinfo_unavail", "system_err"]
    case "pam_deny.so", "pam_rootok.so": return ["auth_err"]
    case "pam_faillock.so", "pam_tally2.so":
      // After a failure it counts, and says "ignore", which most stacks make a refusal of.
      return line.arguments.contains("authfail") ? ["auth_err", "ignore"] : ["success"]
    case "pam_cap.so", "pam_echo.so", "pam_faildelay.so", "pam_gnome_keyring.so", "pam_issue.so", "pam_kwallet5.so",
      "pam_motd.so", "pam_nologin.so", "pam_warn.so":
      return ["success", "ignore"]
    default: return ["success"]
    }
  }
}

extension PAMLine {
  /// The group whose members are led past pam_uaf to their password (pam.d/README.md).
  package static let rescueGroup = "uaf-rescue"

  /// Whether its success is that of the rescue group.
  var isForRescuers: Bool {
    moduleName == "pam_succeed_if.so"
      && zip(arguments, arguments.dropFirst()).contains { $0 == "ingroup" && $1 == Self.rescueGroup }
  }
}

extension PAMAction {
  /// Whether it makes a refusal of the stack.
  var refuses: Bool { self == .bad || self == .die }
}
