import ServiceNames
import Wording

/// A PAM service that `uafctl pam` can change to ask for the passcode.
package struct PAMService: Equatable {
  /// Its name, which is also the name of its file in the folder of services.
  package let name: String

  /// Screen lockers.
  ///
  /// They answer every prompt of PAM with the one string that was typed, so they share one template.
  static let lockers: Set<String> = [
    "cinnamon-screensaver", "gtklock", "hyprlock", "i3lock", "kde", "mate-screensaver", "physlock", "slock", "swaylock",
    "vlock", "waylock", "xlock", "xscreensaver", "xsecurelock",
  ]
  private static let templates: [String: String] = [
    "sudo": "sudo", "sudo-i": "sudo", "sshd": "sshd", "login": "login", "remote": "login", "su": "su",
    "su-l": "su", "polkit-1": "polkit-1", "gdm-password": "display-manager", "gdm-switchable-auth": "display-manager",
    "lightdm": "display-manager",
    // greetd hands each prompt to its greeter, and COSMIC's greeter names its own service to greetd.
    "greetd": "display-manager", "cosmic-greeter": "display-manager",
    // These answer each prompt with the one string that was typed. plasmalogin comes from SDDM.
    "sddm": "sddm", "plasmalogin": "sddm", "ly": "sddm", passwd: passwd,
  ]
  private static let passwd = "passwd"
  // No service has a longer name. It would leave no room for the longer names of the files that are written next to the
  // service's file.
  private static let longestName = 64

  /// - Throws: ``StackError``: `badService` for what is not a name of a service, or for a file that services share.
  package init(_ name: String) throws(StackError) {
    guard Self.isName(name) else { throw .badService(name, .noName) }
    guard !name.hasPrefix(Self.prefix) else { throw .badService(name, .ours) }
    guard !name.hasPrefix("common-"), name != "other" else { throw .badService(name, .shared) }
    self.name = name
  }

  /// Whether a display manager uses the service for its greeter or for a login without a prompt: a prompt of pam_uaf would
  /// leave the screen empty.
  private var asksNobody: Bool {
    // COSMIC's greeter asks people under the name that other display managers give to the session of their greeter.
    guard name != "cosmic-greeter" else { return false }
    return name == "gdm-launch-environment" || name.hasSuffix("-autologin") || name.hasSuffix("-greeter")
  }

  /// The name by which libpam looks for a service: the part after the last slash, in small letters.
  package static func nameForLibPAM(_ name: String) -> String {
    let last = name.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let small = last.utf8.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    // No service has an empty name: the whole text shows better what is wrong.
    return last.isEmpty ? name : String(decoding: small, as: UTF8.self)
  }

  /// Whether it could be the name of a service, or of a template.
  static func isName(_ name: String) -> Bool {
    let first = name.utf8.first.map { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") } ?? false
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return first && isPlain && name.utf8.count <= longestName && !name.contains(".dpkg-")
  }

  /// The beginning of the names of our files.
  package static let prefix = "uaf-"

  /// Whether the file exists only to be included by services: a shared file of a distribution, or a stack of ours.
  package static func isPart(_ name: String) -> Bool {
    name.hasPrefix("common-") || name.hasPrefix(prefix)
      || [
        "fingerprint-auth", "password-auth", "postlogin", "smartcard-auth", "system-auth", "system-local-login",
        "system-login", "system-remote-login", "system-services",
      ].contains(name)
  }

  /// The name of the stack's file, which the service's changed line includes.
  var stackName: String { Self.prefix + name }
  /// The name of the copy of the service's file while it is changed; hidden, so that no program mistakes it for a service.
  var backupName: String { ".\(name).before-uaf" }
  /// The name under which an edited stack is kept.
  var savedName: String { ".\(stackName).saved" }

  /// Whether it is the service that changes passwords, which logs nobody in.
  var changesPasswords: Bool { name == Self.passwd }

  /// The template that belongs to it; nil if none is known.
  var knownTemplate: String? { Self.templates[name] ?? (Self.lockers.contains(name) ? "locker" : nil) }

  /// The default of `--shape`.
  ///
  /// With `fallback`, the password takes the place of the server's success if the connection to the server is cut. That must
  /// not be possible in a login over the network. SDDM cannot ask for a password after the passcode.
  static func defaultShape(template: String) -> PAMShape {
    ["sshd", "sddm"].contains(template) ? .instead : .fallback
  }

  /// A template's file below the folder of templates.
  ///
  /// - Throws: ``StackError``: `badService` for a service that asks nobody, `noTemplateKnown`, `noShape`.
  package func template(_ given: String?, shape: PAMShape?) throws(StackError) -> String {
    guard !asksNobody else { throw .badService(name, .unattended) }
    guard let template = given ?? knownTemplate, Self.isName(template) else { throw .noTemplateKnown(name) }
    if template == Self.passwd {
      guard shape == nil else { throw .noShape }
      return template
    }
    return "\((shape ?? Self.defaultShape(template: template)).rawValue)/\(template)"
  }
}

/// The role of the passcode next to the password in a stack of `pam.d/`.
package enum PAMShape: String, CaseIterable {
  /// The passcode replaces the password.
  case instead
  /// The passcode. If no TLS handshake with the server could be completed, the password as well. If the person may choose the
  /// password and does, the password alone.
  case fallback
  /// The password and then the passcode.
  case secondFactor = "second-factor"

  /// Whether a template, such as `fallback/sudo`, has this shape.
  func isOf(_ template: String) -> Bool { template.hasPrefix(rawValue + "/") }
}

/// The PAM services that sshd uses: `sshd`, or those that its configuration names (`PAMServiceName` of OpenSSH 9.8).
package struct SSHServices: Equatable {
  /// The service for most people.
  package let main: String
  /// The services of Match blocks.
  package let others: [String]
  /// A file that was not read, and that may name further services; nil if all files were read.
  package let unread: String?

  /// - Parameters:
  ///   - main: the service, as in sshd_config.
  ///   - others: those of Match blocks; a name may occur more than once.
  ///   - unread: a file that was not read.
  package init(main: String = "sshd", others: [String] = [], unread: String? = nil) {
    self.unread = unread
    let main = PAMService.nameForLibPAM(main)
    var found: [String] = []
    for name in others.map(PAMService.nameForLibPAM) where name != main && !found.contains(name) { found.append(name) }
    self.main = main
    self.others = found
  }

  /// All of them, the main one first.
  package var names: [String] { [main] + others }
}

/// The display managers of this machine, as far as their version decides which PAM services they ask.
package struct DisplayManagers: Equatable {
  /// GDM's major version; nil if GDM is not installed, or does not tell.
  private let gdm: Int?

  /// - Parameter gdm: what `gdm3 --version` prints, such as "GDM 43.0"; nil if there is no such program.
  package init(gdm: String? = nil) {
    let number = gdm?.split(whereSeparator: \.isWhitespace).last?.prefix { $0.isASCII && $0.isNumber }
    self.gdm = number.flatMap { Int($0) }
  }

  /// The service names that no program here asks: whether there are files for them does not matter.
  var unasked: Set<String> {
    // gdm-switchable-auth came with GDM 50.
    (gdm ?? 0) < 50 ? ["gdm-switchable-auth"] : []
  }
}

/// Finds the services that let people in without the passcode while others ask for it.
package struct ServiceDoors {
  /// The folder of the services, and those in which libpam looks for a file that it does not have.
  let reader: PAMDirectory

  /// A service name of a program under which the program does not ask for the passcode, although it does so under another name.
  package struct OpenMember: Equatable {
    /// The name.
    package let name: String
    /// The name that asks for the passcode.
    package let asking: String
    /// Set if the name has no `auth` lines, so that libpam uses those of `other`.
    package var fallen: FallenName?
    /// Whether it lets people in without asking for anything.
    package var asksNobody = false
    /// The program's ready stack, if the service's name does not determine it.
    var template: String?

    /// The command that makes it ask for the passcode.
    package var command: String {
      "uafctl pam enable \(ShownText.line(name))" + (template.map { " --template \($0)" } ?? "")
    }
  }

  /// The settings of sudo that decide whom it asks, and how.
  private let sudo: SudoSettings
  /// The PAM services that sshd uses.
  private let ssh: SSHServices
  /// The display managers of this machine.
  private let displayManagers: DisplayManagers

  /// Reads a folder of services, and the folders that libpam looks into after it.
  package init(
    folder: String, vendors: [String], sudo: SudoSettings, ssh: SSHServices, displayManagers: DisplayManagers
  ) {
    self.sudo = sudo
    self.ssh = ssh
    self.displayManagers = displayManagers
    reader = PAMDirectory(path: folder, vendors: vendors)
  }

  /// The service of polkit, which pkexec and run0 ask.
  private static let polkit = "polkit-1"

  /// Programs that give a session or another account's rights, in addition to those of ``ServiceFamily``.
  ///
  /// `other` is used for every service without a file. `runuser` is not in the list: it asks nothing and works only for root.
  private static let others = [
    "cockpit", "cosmic-greeter", "doas", "emptty", "gdm-authd", "gdm-fingerprint", "gdm-password", "gdm-smartcard",
    "greetd", "kde-fingerprint", "kde-smartcard", "lightdm", "lxdm", "ly", "other", "plasmalogin", polkit, "sddm",
    "sddm-fingerprint", "slim", "sshd", "wdm", "xdm", "xrdp-sesman",
  ]

  /// Names that somebody may have forgotten: the same program asks for the passcode under a different name.
  ///
  /// The service that ``openSudo()`` finds is not among them.
  package func openMembers() -> [OpenMember] {
    families.flatMap { family -> [OpenMember] in
      guard let asking = family.names.first(where: asks) else { return [] }
      return family.names.filter { $0 != openSudo() }.compactMap { name in
        let fallen = fallen(name, of: family)
        return isOpen(name) || fallen != nil
          ? OpenMember(
            name: name, asking: asking, fallen: fallen, asksNobody: asksNobody(name),
            template: (try? PAMService(name))?.knownTemplate == nil ? template(of: family) : nil) : nil
      }
    }
  }

  /// Every program with several names; sshd is one if sshd_config names a different service.
  ///
  /// A name that no program here asks counts only if there is a file for it: a later version of the program may ask it.
  private var families: [ServiceFamily] {
    let unasked = displayManagers.unasked.filter { reader.place(of: $0) == nil }
    let known = sudo.families.map { family in
      ServiceFamily(main: family.main, members: family.members.filter { !unasked.contains($0) })
    }
    return known + (ssh.names == SSHServices().names ? [] : [ServiceFamily(main: ssh.main, members: ssh.others)])
  }

  /// The first name of the program of `service` that has no `auth` lines of its own while `other` lets people in without the
  /// passcode; nil if there is none.
  ///
  /// - Parameter isAlone: whether the other names of the program do not matter.
  func fallenName(of service: String, isAlone: Bool) -> FallenName? {
    let isSudo = ServiceFamily.of(service)?.main == "sudo"
    guard let family = isSudo ? sudo.family : families.first(where: { $0.names.contains(service) }) else {
      return nil
    }
    return family.names.filter { !isAlone || $0 == service }.lazy.compactMap { fallen($0, of: family) }.first
  }

  private func fallen(_ name: String, of family: ServiceFamily) -> FallenName? {
    // Only util-linux's login uses this service, for daemons that root starts with `login -h`. Most machines have no such
    // daemon.
    guard name != "remote", reader.entries(of: name, in: "auth").isEmpty,
      StackReading(reader.entries(of: "other", in: "auth"), of: name).letsInWithoutAsking
    else { return nil }
    let models = (family.names + [family.main == ssh.main ? "sshd" : "sudo"]).filter { $0 != name }
    return FallenName(
      name: name, path: reader.path + "/" + name, isThere: reader.place(of: name) != nil,
      model: models.lazy.compactMap(model).first ?? reader.path + "/other", template: template(of: family))
  }

  /// The ready stack of a program.
  private func template(of family: ServiceFamily) -> String {
    (try? PAMService(family.main))?.knownTemplate ?? (family.main == ssh.main ? "sshd" : "sudo")
  }

  /// A file with the lines that a service has when it does not ask for the passcode.
  private func model(_ name: String) -> String? {
    let before = (try? PAMService(name))?.backupName
    return before.flatMap { reader.bytes(of: $0) == nil ? nil : reader.path + "/" + $0 } ?? reader.place(of: name)
  }

  /// polkit's service, if it does not ask for the passcode although sudo does; nil otherwise.
  ///
  /// With pkexec and run0, the people who may use sudo on Debian then become root with only their password.
  package func openPolkit() -> OpenMember? {
    guard let asking = sudo.family.names.first(where: asks), isOpen(Self.polkit) else { return nil }
    return OpenMember(name: Self.polkit, asking: asking, asksNobody: asksNobody(Self.polkit))
  }

  /// The service that sudo uses instead of `sudo`, if it does not ask for the passcode although `sudo` does; nil otherwise.
  package func openSudo() -> String? {
    guard let service = sudo.replacement(of: "sudo"), asks("sudo") else { return nil }
    return isOpen(service) || fallen(service, of: sudo.family) != nil ? service : nil
  }

  /// The service that sshd uses instead of `sshd`, if it does not ask for the passcode although `sshd` does; nil otherwise.
  package func openSSH() -> String? {
    guard !ssh.names.contains("sshd"), asks("sshd"), isOpen(ssh.main) else { return nil }
    return ssh.main
  }

  /// A file of sshd's configuration that was not read and may make sshd use a different service; nil if sshd does not ask for
  /// the passcode.
  package func unreadSSH() -> String? { ssh.names.contains(where: asks) ? ssh.unread : nil }

  /// Whose passcode sudo asks for, if it asks for one other than its caller's.
  package func askedBySudo() -> [SudoSettings.Question] {
    sudo.family.names.contains(where: asks) ? sudo.asked : []
  }

  /// The people that sudo asks for nothing, if it asks others for the passcode.
  package func unaskedBySudo() -> [SudoSettings.Unasked] {
    sudo.family.names.contains(where: asks) ? sudo.unasked : []
  }

  /// The parts of sudoers that were not read, if sudo asks for the passcode under a known name.
  package func sudoersGaps() -> [SudoersGap] {
    sudo.family.names.contains(where: asks) ? sudo.gaps : []
  }

  /// Further services that exist and do not ask for the passcode, in order.
  ///
  /// Perhaps they need not ask for it.
  package func openOthers() -> [String] {
    let forgotten =
      (openMembers() + [openPolkit()].compactMap(\.self)).map(\.name)
      + [openSudo(), openSSH()].compactMap(\.self)
    let known = families.flatMap(\.names) + Self.others + PAMService.lockers
    // The file with sshd's usual name is not used if sshd uses other services.
    let unused = ssh.names.contains("sshd") ? [] : ["sshd"]
    return Set(known).subtracting(unused).filter { !forgotten.contains($0) && isOpen($0) }.sorted()
  }

  /// Whether the service asks pam_uaf.
  func asks(_ service: String) -> Bool {
    reader.authentication(of: service).contains(where: \.asksOwnModule)
  }

  /// Whether the service lets people in without pam_uaf; root needs no authentication.
  func isOpen(_ service: String) -> Bool { !asks(service) && reading(service).letsInWithoutAsking }

  /// Whether the service lets people in without asking for anything.
  package func asksNobody(_ service: String) -> Bool { !asks(service) && reading(service).asksNobody }

  private func reading(_ service: String) -> StackReading {
    StackReading(reader.entries(of: service, in: "auth"), of: service)
  }
}

/// A name of a program without `auth` lines: libpam uses those of `other`, which let people in without the passcode.
package struct FallenName: Error, Equatable {
  /// The name.
  let name: String
  /// Its file.
  let path: String
  /// Whether the file exists, but has no `auth` lines.
  let isThere: Bool
  /// A file whose lines it can copy.
  let model: String
  /// The ready stack that belongs to the program.
  let template: String
}

extension FallenName: Catalogued {
  /// What libpam does, and what to do, in English.
  package var english: FindingText {
    let (name, path) = (ShownText.line(name), ShownText.line(path))
    return FindingText(
      "\(isThere ? "\(path) has no auth lines" : "there is no \(path)"): for \(name) libpam takes the lines of 'other', which let "
        + "somebody in without the passcode",
      do: !PAMService.isName(self.name)
        ? SudoersProblem.enabling(self.name).english
        : isThere
          ? "write '@include common-auth' into it, then \(command)"
          : "cp \(ShownText.line(model)) \(path), then \(command)")
  }

  /// What libpam does, and what to do, in Korean.
  package var korean: FindingText {
    let (name, path) = (ShownText.line(name), ShownText.line(path))
    return FindingText(
      "\(isThere ? "\(path)에 auth 줄이 없어" : "\(path) 파일이 없어") \(name)에는 'other'의 줄이 쓰이고, 패스코드 없이 로그인될 수 있습니다",
      do: !PAMService.isName(self.name)
        ? SudoersProblem.enabling(self.name).korean
        : isThere
          ? "그 파일에 '@include common-auth'를 넣은 다음 \(command)"
          : "cp \(ShownText.line(model)) \(path) 명령으로 만든 다음 \(command)")
  }

  private var command: String { "uafctl pam enable \(ShownText.line(name)) --template \(template)" }
}
