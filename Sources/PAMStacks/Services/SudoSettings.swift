import Glibc
import ServiceNames
import Wording

/// What sudoers says about sudo's questions: by which services it asks, and whose passcode it asks for (sudoers(5)).
package struct SudoSettings: Equatable {
  /// Whose passcode is asked for, where it is not that of whoever calls sudo.
  package enum Asked: String, CaseIterable {
    /// The account that the command will run as.
    case target = "targetpw"
    case root = "rootpw"
    /// The account of `runas_default`.
    case usual = "runaspw"
  }

  /// Whom a rule of sudoers is for; netgroups and groups by their number are left out.
  package enum Person: Equatable {
    case everybody
    case account(String)
    case number(uid_t)
    case group(String)
  }

  /// Whom sudo asks for a password, on any host and for any command, and who is excepted.
  package struct People: Equatable {
    package var allowed: [Person]
    package var refused: [Person]

    package init(allowed: [Person], refused: [Person]) {
      self.allowed = allowed
      self.refused = refused
    }
  }

  /// The service of `sudo`, and then those of some people, hosts or commands.
  package let services: [String]
  /// The same for `sudo -i`.
  package let loginServices: [String]
  /// Whose passcode is asked for, everywhere or for some.
  package let asked: [Asked]
  /// Who may use sudo; nil where sudoers could not be read.
  package let people: People?

  /// - Parameters:
  ///   - services: the service of `sudo`, and then those of some people, hosts or commands.
  ///   - loginServices: the same for `sudo -i`.
  ///   - asked: whose passcode is asked for.
  ///   - people: who may use sudo; nil where that is not known.
  package init(
    services: [String] = ["sudo"], loginServices: [String] = ["sudo-i"], asked: [Asked] = [], people: People? = nil
  ) {
    self.services = services
    self.loginServices = loginServices
    self.asked = asked
    self.people = people
  }

  /// The service of most people's `sudo`.
  var main: String { services.first ?? "sudo" }

  /// sudo's names as Debian builds it, with what sudoers has in their place.
  var family: ServiceFamily {
    var members: [String] = []
    for name in services + loginServices where name != main && !members.contains(name) { members.append(name) }
    return ServiceFamily(main: main, members: members)
  }

  /// Every program with several names.
  var families: [ServiceFamily] {
    ServiceFamily.all.map { $0.main == "sudo" ? family : $0 }
  }

  /// The service that sudo asks for in place of a name that it is known by; nil if it asks for that.
  func replacement(of name: String) -> String? {
    guard ServiceFamily.of(name)?.main == "sudo", !family.names.contains(name) else { return nil }
    return name == "sudo" ? services.first : loginServices.first
  }
}

extension SudoSettings.Asked: Catalogued {
  /// It in English.
  package var english: String {
    switch self {
    case .target: "the account that the command will run as"
    case .root: "root"
    case .usual: "the account of runas_default"
    }
  }

  /// It in Korean.
  package var korean: String {
    switch self {
    case .target: "명령을 실행할 계정"
    case .root: "root"
    case .usual: "runas_default의 계정"
    }
  }
}
