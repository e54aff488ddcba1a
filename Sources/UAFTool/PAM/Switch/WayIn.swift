/// How an administrator still gets in when pam_uaf refuses everybody, whatever the reason.
struct WayIn {
  let accounts: any AccountDirectory
  let passwords: any PasswordDirectory

  /// The group whose members are led past pam_uaf to their password (pam.d/README.md).
  static let rescueGroup = "uaf-rescue"
  /// The groups whose members become root by sudo: Debian's, Fedora's, and that of old Ubuntus.
  ///
  /// What sudoers says besides cannot be known here.
  private static let administrators = ["sudo", "wheel", "admin"]

  /// Why none was found.
  struct Objection: Error, Equatable, CustomStringConvertible {
    /// What is missing, one phrase each.
    let reasons: [String]
    var description: String { reasons.joined(separator: "; ") }
  }

  /// Who gets in, and how.
  struct Way: Equatable, CustomStringConvertible {
    /// One of the rescue group, whom the services lead past pam_uaf; nil: root, at a console that does not ask it.
    let rescuer: String?
    var description: String {
      rescuer.map { "\(ShownText.line($0)), by the password at the console, as one of \(WayIn.rescueGroup)" }
        ?? "root, by the password at the console, where pam_uaf is not asked"
    }
  }

  /// What the services make of it.
  struct Services: Equatable {
    /// Whether the new stack has a line that leads members of the group past pam_uaf.
    var leadsRescuePast: Bool
    /// Whether `login` asks the password alone, now and afterwards.
    var consoleIsFree: Bool
    /// Whether there is a `login` that members of the group get through by their password.
    var consoleIsOpen: Bool
    /// Whether there is a sudo that members of the group get through by their password.
    var sudoIsOpen: Bool
  }

  /// What to do where there is none.
  static let hint = """
    groupadd --system \(rescueGroup); usermod --append --groups \(rescueGroup) ADMINISTRATOR, who has a password and may \
    use sudo
    """

  /// The way in.
  ///
  /// It begins at the console (`login`): a session that is open already, or a public key, may not be there when it is needed.
  ///
  /// - Throws: ``StackError/noWayIn(_:)``.
  func find(_ services: Services) throws(StackError) -> Way {
    var reasons: [String] = []
    if services.leadsRescuePast {
      switch rescuer(services) {
      case .success(let name): return Way(rescuer: name)
      case .failure(let objection): reasons += objection.reasons
      }
    } else {
      reasons.append("the stack leads nobody of \(Self.rescueGroup) past pam_uaf")
    }
    if services.consoleIsFree {
      let state = passwords.password(of: "root")
      if state == .usable { return Way(rescuer: nil) }
      reasons.append("root's password is \(Self.word(state))")
    } else {
      reasons.append("the console (login) asks pam_uaf as well, or is not there")
    }
    throw .noWayIn(Objection(reasons: reasons))
  }

  /// Somebody of the rescue group with a password who gets a shell and can become root.
  private func rescuer(_ services: Services) -> Result<String, Objection> {
    guard let members = passwords.members(ofGroup: Self.rescueGroup) else {
      return .failure(.init(reasons: ["there is no group \(Self.rescueGroup)"]))
    }
    guard !members.isEmpty else { return .failure(.init(reasons: ["the group \(Self.rescueGroup) is empty"])) }
    var reasons: [String] = []
    for name in members {
      if let reason = objection(to: name, services) {
        reasons.append("\(ShownText.line(name)) of \(Self.rescueGroup) \(reason)")
      } else {
        return .success(name)
      }
    }
    return .failure(.init(reasons: reasons))
  }

  private func objection(to name: String, _ services: Services) -> String? {
    guard let account = accounts.account(named: name) else { return "is no account" }
    let state = passwords.password(of: name)
    guard state == .usable else { return "has a password that is \(Self.word(state))" }
    guard services.consoleIsOpen else {
      return "cannot log in by a password: the console (login) is not there, or leads nobody past pam_uaf"
    }
    if account.userID == 0 { return nil }
    guard Self.administrators.contains(where: { passwords.members(ofGroup: $0)?.contains(name) ?? false }) else {
      return "is in none of the groups \(Self.administrators.joined(separator: ", "))"
    }
    if services.sudoIsOpen { return nil }
    return "cannot become root by a password: sudo is not there, or leads nobody past pam_uaf"
  }

  private static func word(_ state: PasswordState) -> String {
    switch state {
    case .usable: "usable"
    case .unknown: "not set"
    case .empty: "empty"
    case .locked: "locked"
    case .expired: "expired"
    }
  }
}
