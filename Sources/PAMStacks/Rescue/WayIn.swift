import HostSystem

/// How an administrator still gets in when pam_uaf refuses everybody, for any reason.
package struct WayIn {
  let accounts: any AccountDirectory
  let passwords: any PasswordDirectory

  /// The group whose members are led past pam_uaf to their password (pam.d/README.md).
  package static let rescueGroup = PAMLine.rescueGroup
  /// The groups whose members become root by sudo: Debian's, Fedora's, and that of old Ubuntu versions.
  ///
  /// Other rules of sudoers are not known here.
  static let administrators = ["sudo", "wheel", "admin"]

  /// Why none was found.
  package struct Objection: Error, Equatable {
    /// What is missing.
    let lacks: [Lack]
  }

  /// Who gets in, and how.
  package struct Way: Equatable {
    /// A member of the rescue group, whom the services lead past pam_uaf; nil: root, at a console that does not ask pam_uaf.
    let rescuer: String?
  }

  /// What the services allow.
  struct Services: Equatable {
    /// Whether the new stack has a line that leads members of the group past pam_uaf.
    var leadsRescuePast: Bool
    /// Whether `login` asks only for the password, before and after the change.
    var consoleIsFree: Bool
    /// Whether there is a `login` that accepts the password of members of the group.
    var consoleIsOpen: Bool
    /// Whether there is a sudo that accepts the password of members of the group.
    var sudoIsOpen: Bool
    /// The line of one of them that refuses a right password; nil if none does.
    var refusing: StackLinePlace?
  }

  /// The way in.
  ///
  /// It begins at the console (`login`): an open session or a public key may be missing when it is needed.
  ///
  /// - Throws: ``Objection``.
  func find(_ services: Services) throws(Objection) -> Way {
    var lacks: [Lack] = []
    if services.leadsRescuePast {
      switch rescuer(services) {
      case .success(let name): return Way(rescuer: name)
      case .failure(let objection): lacks += objection.lacks
      }
    } else {
      lacks.append(.leadsNobodyPast)
    }
    if services.consoleIsFree {
      let state = passwords.password(of: "root")
      if state == .usable { return Way(rescuer: nil) }
      lacks.append(.rootsPassword(state))
    } else {
      lacks.append(.noConsole)
    }
    // The other lacks may follow from it.
    throw Objection(lacks: services.refusing.map { [.refused($0)] } ?? lacks)
  }

  /// A member of the rescue group with a password who gets a shell and can become root.
  private func rescuer(_ services: Services) -> Result<String, Objection> {
    guard let members = passwords.members(ofGroup: Self.rescueGroup) else {
      return .failure(.init(lacks: [.noGroup]))
    }
    guard !members.isEmpty else { return .failure(.init(lacks: [.emptyGroup])) }
    var lacks: [Lack] = []
    for name in members {
      if let lack = objection(to: name, services) {
        lacks.append(.member(name, lack))
      } else {
        return .success(name)
      }
    }
    return .failure(.init(lacks: lacks))
  }

  private func objection(to name: String, _ services: Services) -> Member? {
    guard let account = accounts.account(named: name) else { return .noAccount }
    let state = passwords.password(of: name)
    guard state == .usable else { return .password(state) }
    guard services.consoleIsOpen else {
      return .noConsole
    }
    if account.userID == 0 { return nil }
    guard Self.administrators.contains(where: { passwords.members(ofGroup: $0)?.contains(name) ?? false }) else {
      return .noAdministrator(groups: Self.administrators)
    }
    if services.sudoIsOpen { return nil }
    return .noSudo
  }
}
