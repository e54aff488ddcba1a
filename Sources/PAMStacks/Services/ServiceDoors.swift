import ServiceNames

/// Which services log somebody in without the passcode, while others ask for it.
package struct ServiceDoors {
  /// The folder of the services, and those that libpam looks into for a file that it does not have.
  let reader: PAMDirectory

  /// A name of a program that asks without the passcode, while the program asks for it by another name.
  package struct OpenMember: Equatable {
    /// The name.
    package let name: String
    /// The name that asks for the passcode.
    package let asking: String
  }

  /// What sudo asks for.
  private let sudo: SudoSettings

  /// Reads a folder of services, and the folders that libpam looks into after it.
  package init(folder: String, vendors: [String], sudo: SudoSettings) {
    self.sudo = sudo
    reader = PAMDirectory(path: folder, vendors: vendors)
  }

  /// The service of polkit, which pkexec and run0 ask.
  private static let polkit = "polkit-1"

  /// Programs that give a session or another account's rights, beside those of ``ServiceFamily``.
  ///
  /// `other` stands for every service without a file. `runuser` is not in the list: it asks nothing and works only for root.
  private static let others = [
    "cockpit", "doas", "gdm-fingerprint", "gdm-password", "gdm-smartcard", "greetd", "lightdm", "lxdm", "other",
    polkit, "sddm", "slim", "sshd", "wdm", "xdm", "xrdp-sesman",
  ]

  /// Names that somebody may have forgotten: the same program asks for the passcode by another name.
  ///
  /// ``openSudo()`` is not among them.
  package func openMembers() -> [OpenMember] {
    sudo.families.flatMap { family -> [OpenMember] in
      guard let asking = family.names.first(where: asks) else { return [] }
      return family.names.filter { isOpen($0) && $0 != openSudo() }.map { OpenMember(name: $0, asking: asking) }
    }
  }

  /// polkit's service, if it asks without the passcode while sudo asks for it; nil otherwise.
  ///
  /// pkexec and run0 then make the people whom Debian lets use sudo root by their password.
  package func openPolkit() -> OpenMember? {
    guard let asking = sudo.family.names.first(where: asks), isOpen(Self.polkit) else { return nil }
    return OpenMember(name: Self.polkit, asking: asking)
  }

  /// The service that sudo asks for in place of `sudo`, if it asks without the passcode while `sudo` asks for it; nil otherwise.
  package func openSudo() -> String? {
    guard let service = sudo.replacement(of: "sudo"), asks("sudo"), isOpen(service) else { return nil }
    return service
  }

  /// Whose passcode sudo asks for, where it asks for one and not for that of whoever calls it.
  package func askedBySudo() -> [SudoSettings.Asked] {
    sudo.family.names.contains(where: asks) ? sudo.asked : []
  }

  /// Further services that exist and do not ask for the passcode, in order.
  ///
  /// Perhaps they need not ask for it.
  package func openOthers() -> [String] {
    let forgotten = (openMembers() + [openPolkit()].compactMap(\.self)).map(\.name) + [openSudo()].compactMap(\.self)
    let known = sudo.families.flatMap(\.names) + Self.others + PAMService.lockers
    return Set(known).filter { !forgotten.contains($0) && isOpen($0) }.sorted()
  }

  /// Whether the service asks pam_uaf.
  func asks(_ service: String) -> Bool {
    reader.authentication(of: service).contains(where: \.asksOwnModule)
  }

  /// Whether the service asks for something without pam_uaf.
  func isOpen(_ service: String) -> Bool {
    let lines = reader.authentication(of: service)
    // pam_rootok lets in root, who needs no authentication here.
    return !asks(service) && lines.contains { ModuleResults.authenticates($0) && $0.moduleName != "pam_rootok.so" }
  }
}
