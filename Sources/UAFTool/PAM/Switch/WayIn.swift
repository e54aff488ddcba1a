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

  /// What to do where there is none.
  static let hint = """
    groupadd --system \(rescueGroup); usermod --append --groups \(rescueGroup) ADMINISTRATOR, who has a password and may \
    use sudo
    """

  /// The way in, in words.
  ///
  /// - Parameters:
  ///   - leadsRescuePast: whether the new stack has a line that leads members of the group past pam_uaf.
  ///   - consoleIsFree: whether `login` asks the password alone, now and afterwards.
  ///   - sudoIsOpen: whether there is a sudo that members of the group get through by their password.
  /// - Throws: ``StackError/noWayIn(_:)``.
  func find(leadsRescuePast: Bool, consoleIsFree: Bool, sudoIsOpen: Bool) throws(StackError) -> String {
    var reasons: [String] = []
    if leadsRescuePast {
      switch rescuer(sudoIsOpen: sudoIsOpen) {
      case .success(let name): return "\(name), by the password, as one of \(Self.rescueGroup)"
      case .failure(let objection): reasons += objection.reasons
      }
    } else {
      reasons.append("the stack leads nobody of \(Self.rescueGroup) past pam_uaf")
    }
    if consoleIsFree {
      let state = passwords.password(of: "root")
      if state == .usable { return "root, by the password at the console, where pam_uaf is not asked" }
      reasons.append("root's password is \(Self.word(state))")
    } else {
      reasons.append("the console (login) asks pam_uaf as well, or is not there")
    }
    throw .noWayIn(Objection(reasons: reasons))
  }

  /// Somebody of the rescue group with a password who can become root.
  func rescuer(sudoIsOpen: Bool) -> Result<String, Objection> {
    guard let members = passwords.members(ofGroup: Self.rescueGroup) else {
      return .failure(.init(reasons: ["there is no group \(Self.rescueGroup)"]))
    }
    guard !members.isEmpty else { return .failure(.init(reasons: ["the group \(Self.rescueGroup) is empty"])) }
    var reasons: [String] = []
    for name in members {
      if let reason = objection(to: name, sudoIsOpen: sudoIsOpen) {
        reasons.append("\(ShownText.line(name)) of \(Self.rescueGroup) \(reason)")
      } else {
        return .success(ShownText.line(name))
      }
    }
    return .failure(.init(reasons: reasons))
  }

  private func objection(to name: String, sudoIsOpen: Bool) -> String? {
    guard let account = accounts.account(named: name) else { return "is no account" }
    let state = passwords.password(of: name)
    guard state == .usable else { return "has a password that is \(Self.word(state))" }
    if account.userID == 0 { return nil }
    guard Self.administrators.contains(where: { passwords.members(ofGroup: $0)?.contains(name) ?? false }) else {
      return "is in none of the groups \(Self.administrators.joined(separator: ", "))"
    }
    return sudoIsOpen ? nil : "cannot become root by a password: sudo is not there, or leads nobody past pam_uaf"
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
