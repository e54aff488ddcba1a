import Glibc

/// The PAM services that mention the module: whether somebody still gets in when it refuses, and not just anybody.
struct PAMCheck {
  let directory: String
  let moduleFolders: [String]

  private static let moduleName = "pam_uaf.so"
  /// Modules that take part in a stack and authenticate nobody.
  private static let bystanders: Set<String> = [
    "pam_deny.so", "pam_permit.so", "pam_env.so", "pam_faildelay.so", "pam_nologin.so", "pam_securetty.so",
    "pam_group.so", "pam_cap.so", "pam_warn.so", "pam_echo.so", "pam_exec.so", "pam_faillock.so", "pam_tally2.so",
    "pam_succeed_if.so", "pam_access.so", "pam_time.so", "pam_listfile.so", "pam_gnome_keyring.so", "pam_kwallet5.so",
    "pam_mount.so", "pam_selinux.so", "pam_shells.so", "pam_issue.so", "pam_motd.so", "pam_debug.so", "pam_umask.so",
  ]

  func findings() -> [Finding] {
    let folder = PAMDirectory(path: directory)
    guard let services = folder.services() else {
      return [.failure("pam: \(directory) cannot be read", do: "name the folder with --pam-directory")]
    }
    let concerned = services.filter { service in
      (folder.ownLines(of: service) + folder.authentication(of: service)).contains { $0.moduleName == Self.moduleName }
    }
    guard !concerned.isEmpty else {
      return [.warning("pam: no service in \(directory) uses \(Self.moduleName)", do: "pam.d/ has ready stacks")]
    }
    let lines = concerned.flatMap { folder.ownLines(of: $0) }.filter { $0.moduleName == Self.moduleName }
    // A part of other stacks is judged where it stands, not alone.
    let parts = Set(services.flatMap(folder.inclusions))
    let whole = concerned.filter { !parts.contains($0) }
    return modules(lines) + whole.compactMap { stack($0, folder.authentication(of: $0)) }
  }

  /// Whether what the lines name is there.
  private func modules(_ lines: [PAMLine]) -> [Finding] {
    var names: [String] = []
    for line in lines where !names.contains(line.module) { names.append(line.module) }
    return names.map { name in
      let places = name.hasPrefix("/") ? [name] : moduleFolders.map { $0 + "/" + name }
      guard let place = places.first(where: { (try? FileState.of($0).get()) != nil }) else {
        return .failure("pam: \(name) is not where PAM looks for it", do: "reinstall the pam-uaf package")
      }
      return .ok("pam: \(place)")
    }
  }

  /// A service's stack; nil if it uses the module for something else than authentication.
  private func stack(_ service: String, _ lines: [PAMLine]) -> Finding? {
    guard let position = lines.firstIndex(where: { $0.moduleName == Self.moduleName }) else { return nil }
    let own = lines[position]
    let after = lines[(position + 1)...].filter { $0.moduleName != Self.moduleName }
    let isAuthenticatedAfter = after.contains(where: authenticates)
    let name = "pam: \(directory)/\(service)"
    if own.failureGoesOn, !isAuthenticatedAfter, !after.contains(where: denies),
      !lines[..<position].contains(where: authenticates)
    {
      return .failure(
        "\(name): a refusal is followed by nothing that refuses", do: "put 'auth required pam_deny.so' behind it")
    }
    if own.failureGoesOn, isAuthenticatedAfter { return .ok("\(name): another way in stands behind it") }
    if lines[..<position].contains(where: { authenticates($0) && $0.successCanSuffice }) {
      return .ok("\(name): another way in stands before it")
    }
    if lines[..<position].indices.contains(where: { jumps(lines, from: $0, over: position) }) {
      return .ok("\(name): some are led past it to another way in")
    }
    return .warning(
      "\(name): nobody gets in where it refuses, administrators included",
      do: "keep another way in: a stack of pam.d/, or root's console without it")
  }

  /// Whether a success of the line at `start` jumps over the module to one that authenticates.
  private func jumps(_ lines: [PAMLine], from start: Int, over position: Int) -> Bool {
    let skipped = lines[start].skippedBySuccess
    guard skipped >= position - start, skipped < lines.count - start else { return false }
    return lines[(start + skipped + 1)...].contains { $0.moduleName != Self.moduleName && authenticates($0) }
  }

  private func authenticates(_ line: PAMLine) -> Bool { !Self.bystanders.contains(line.moduleName) }

  private func denies(_ line: PAMLine) -> Bool {
    line.moduleName == "pam_deny.so" && (line.control == "required" || line.control == "requisite")
  }
}
