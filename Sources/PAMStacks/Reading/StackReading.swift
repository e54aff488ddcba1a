/// The `auth` lines of a stack, with included lines in their places, and which of them a person reaches.
package struct StackReading {
  /// The lines, in order.
  package let lines: [PAMLine]

  /// The reading of a service's `auth` lines.
  package init(lines: [PAMLine]) { self.lines = lines }

  /// Modules that are in stacks and authenticate nobody.
  private static let bystanders: Set<String> = [
    "pam_deny.so", "pam_permit.so", "pam_env.so", "pam_faildelay.so", "pam_nologin.so", "pam_securetty.so",
    "pam_group.so", "pam_cap.so", "pam_warn.so", "pam_echo.so", "pam_exec.so", "pam_faillock.so", "pam_tally2.so",
    "pam_succeed_if.so", "pam_access.so", "pam_time.so", "pam_listfile.so", "pam_gnome_keyring.so", "pam_kwallet5.so",
    "pam_mount.so", "pam_selinux.so", "pam_shells.so", "pam_issue.so", "pam_motd.so", "pam_debug.so", "pam_umask.so",
  ]

  /// Whether the line asks the person for something, and is not pam_uaf.
  package static func authenticates(_ line: PAMLine) -> Bool {
    line.isWellFormed && !line.asksOwnModule && !bystanders.contains(line.moduleName)
  }

  /// Whether a success of the line at `start` jumps over every later line of pam_uaf, while another line still authenticates.
  package func leadsPast(from start: Int) -> Bool {
    let landing = start + lines[start].skippedBySuccess + 1
    guard let last = lines.lastIndex(where: \.asksOwnModule), start < last, landing > last, landing <= lines.count
    else { return false }
    return lines[landing...].contains(where: Self.authenticates)
      || lines[..<start].contains(where: Self.authenticates)
  }

  /// Whether members of `group` are led past pam_uaf.
  package func leadsPast(group: String) -> Bool {
    lines.indices.contains { index in
      let line = lines[index]
      guard line.moduleName == "pam_succeed_if.so", leadsPast(from: index) else { return false }
      return zip(line.arguments, line.arguments.dropFirst()).contains { $0 == "ingroup" && $1 == group }
    }
  }
}
