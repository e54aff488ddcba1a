import HostSystem

/// The people who answer a service's question by their password today, and could not once it asks for the passcode.
///
/// Whom only a directory service knows is found in sudo's groups alone: no directory lists all its accounts.
struct ServicePeople {
  let accounts: any AccountDirectory
  let passwords: any PasswordDirectory
  let sudo: SudoSettings

  /// - Parameter template: the ready stack, such as `fallback/sudo`; its last part says what kind of program asks.
  /// - Returns: names of accounts, each once. Left out are root where root is not asked, members of the rescue group, whom each
  ///   ready stack leads past the question, and accounts whose password lets nobody in.
  func names(of template: String) -> [String] {
    let isExempt = Set(passwords.members(ofGroup: WayIn.rescueGroup) ?? [])
    var found: [String] = []
    for name in candidates(of: template) where !found.contains(name) && !isExempt.contains(name) {
      if hasPassword(name) { found.append(name) }
    }
    return found
  }

  private func candidates(of template: String) -> [String] {
    switch template.split(separator: "/").last {
    case "sudo": sudoers()
    // polkit's rules name the same groups.
    case "polkit-1": members(of: WayIn.administrators).filter { !isRoot($0) }
    // su asks for the password of the account that it changes to.
    case "su", "login": passwords.localAccounts()
    // Whoever changes a password keeps it.
    case "passwd": []
    // sshd takes no password of root's by default (PermitRootLogin), and neither do greeters.
    default: passwords.localAccounts().filter { !isRoot($0) }
    }
  }

  /// Those whose password sudo may ask for: by sudoers, and of the usual groups where rules may not have been read.
  private func sudoers() -> [String] {
    let usual = members(of: WayIn.administrators).filter { !isRoot($0) }
    guard let rules = sudo.rules(accounts: accounts, passwords: passwords) else { return usual }
    return rules.askedAccounts() + (sudo.gaps.contains(where: \.mayHideRules) ? usual : [])
  }

  private func members(of groups: [String]) -> [String] { groups.flatMap { passwords.members(ofGroup: $0) ?? [] } }

  private func isRoot(_ name: String) -> Bool { accounts.account(named: name)?.userID == 0 }

  /// Whether a password may let the account in today; that of a directory's account is not known here, and may.
  private func hasPassword(_ name: String) -> Bool {
    guard accounts.account(named: name) != nil else { return false }
    return switch passwords.password(of: name) {
    case .usable, .empty: true
    case .unknown: !passwords.localAccounts().contains(name)
    case .locked, .expired, .accountExpired: false
    }
  }
}
