import HostSystem

/// The local people whose password is empty.
///
/// A stack for a second factor asks for the password first. If one of its lines accepts empty ones, the password adds nothing
/// for these people.
package enum EmptyPasswords {
  /// Whether a stack accepts empty passwords.
  package static func areAccepted(by entries: [StackEntry]) -> Bool {
    entries.contains { !$0.isSubstack && ModuleResults.acceptsEmpty($0.line) }
  }

  /// The names of the local accounts whose password is empty; only root can find them.
  package static func names(_ passwords: any PasswordDirectory) -> [String] {
    passwords.localAccounts().filter { passwords.password(of: $0) == .empty }
  }
}

/// The people who now use a service with their password, and could not use it once it asks for the passcode.
///
/// People that only a directory service knows are found only in sudo's groups: no directory lists all its accounts.
package struct ServicePeople {
  private let accounts: any AccountDirectory
  private let passwords: any PasswordDirectory
  private let sudo: SudoSettings

  /// - Parameters:
  ///   - accounts: the directory in which accounts are looked up.
  ///   - passwords: the directory in which groups and the state of passwords are looked up.
  ///   - sudo: the settings of sudo that decide whom it asks.
  package init(accounts: any AccountDirectory, passwords: any PasswordDirectory, sudo: SudoSettings) {
    self.accounts = accounts
    self.passwords = passwords
    self.sudo = sudo
  }

  /// - Parameter template: the ready stack, such as `fallback/sudo`; its last part names the kind of program that asks.
  /// - Returns: names of accounts, each once. This leaves out root if root is not asked, members of the rescue group, whom each
  ///   ready stack leads past pam_uaf, and accounts whose password cannot be used to log in.
  func names(of template: String) -> [String] {
    let isExempt = Set(passwords.members(ofGroup: WayIn.rescueGroup) ?? [])
    return users(of: template).filter { !isExempt.contains($0) && hasPassword($0) }
  }

  /// The people who may use the service, each once.
  func users(of template: String) -> [String] {
    var found: [String] = []
    for name in candidates(of: template) where !found.contains(name) { found.append(name) }
    return found
  }

  private func candidates(of template: String) -> [String] {
    switch template.split(separator: "/").last {
    case "sudo": sudoers()
    // polkit's rules name the same groups.
    case "polkit-1": members(of: WayIn.administrators).filter { !isRoot($0) }
    // su asks for the password of the account that it changes to.
    case "su", "login": passwords.localAccounts()
    // A person who changes a password keeps the password.
    case "passwd": []
    // sshd accepts no password for root by default (PermitRootLogin), and neither do greeters.
    default: passwords.localAccounts().filter { !isRoot($0) }
    }
  }

  /// The people whose password sudo may ask for: those in sudoers, and those of the usual groups if some rules could not be read.
  private func sudoers() -> [String] {
    let usual = members(of: WayIn.administrators).filter { !isRoot($0) }
    guard let rules = sudo.rules(accounts: accounts, passwords: passwords) else { return usual }
    return rules.askedAccounts() + (sudo.gaps.contains(where: \.mayHideRules) ? usual : [])
  }

  private func members(of groups: [String]) -> [String] { groups.flatMap { passwords.members(ofGroup: $0) ?? [] } }

  private func isRoot(_ name: String) -> Bool { accounts.account(named: name)?.userID == 0 }

  /// Whether the account's password can be used now; for an account in a directory this is unknown, so it may.
  private func hasPassword(_ name: String) -> Bool {
    guard accounts.account(named: name) != nil else { return false }
    return switch passwords.password(of: name) {
    case .usable, .empty: true
    case .unknown: !passwords.localAccounts().contains(name)
    case .locked, .expired, .accountExpired: false
    }
  }
}
