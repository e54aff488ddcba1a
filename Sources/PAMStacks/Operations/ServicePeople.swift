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
    case "sudo": sudoers().filter { !isRoot($0) } + (sudo.asked.isEmpty ? [] : ["root"])
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

  /// Those whom sudoers names, or members of the usual groups where it cannot be read.
  private func sudoers() -> [String] {
    guard let rules = sudo.people else { return members(of: WayIn.administrators) }
    let refused = names(of: rules.refused)
    return names(of: rules.allowed).filter { !refused.contains($0) }
  }

  private func names(of people: [SudoSettings.Person]) -> [String] {
    people.flatMap { person -> [String] in
      switch person {
      case .everybody: passwords.localAccounts()
      case .account(let name): [name]
      case .number(let number):
        accounts.account(withID: number).map { [String(decoding: $0.name, as: UTF8.self)] } ?? []
      case .group(let name): members(of: [name])
      }
    }
  }

  private func members(of groups: [String]) -> [String] { groups.flatMap { passwords.members(ofGroup: $0) ?? [] } }

  private func isRoot(_ name: String) -> Bool { accounts.account(named: name)?.userID == 0 }

  /// Whether a password may let the account in today; that of a directory's account is not known here, and may.
  private func hasPassword(_ name: String) -> Bool {
    guard accounts.account(named: name) != nil else { return false }
    return switch passwords.password(of: name) {
    case .usable, .empty: true
    case .unknown: !passwords.localAccounts().contains(name)
    case .locked, .expired: false
    }
  }
}
