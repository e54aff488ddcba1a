import ServiceNames

/// Which services let somebody in without the passcode, while others ask for it.
package struct ServiceDoors {
  /// The folder of the services, and behind it those that libpam looks into where it has no file of a name.
  let readers: [PAMDirectory]

  /// A name of a program that asks without the passcode, while the program asks for it by another name.
  package struct OpenMember: Equatable {
    /// The name.
    package let name: String
    /// The name that asks for the passcode.
    package let asking: String
  }

  /// The doors of a folder of services, and of the folders libpam looks into behind it.
  package init(folder: String, vendors: [String]) {
    readers = ([folder] + vendors).map(PAMDirectory.init(path:))
  }

  /// Programs that lead to a session or to another account's rights, beside those of ``ServiceFamily``.
  ///
  /// `other` is whatever has no file. `runuser` is none of them: it asks nobody, and lets in root alone.
  private static let others = [
    "cockpit", "doas", "gdm-fingerprint", "gdm-password", "gdm-smartcard", "greetd", "lightdm", "lxdm", "other",
    "polkit-1", "sddm", "slim", "sshd", "wdm", "xdm", "xrdp-sesman",
  ]

  /// Names that were forgotten: the same program asks for the passcode by another name.
  package func openMembers() -> [OpenMember] {
    ServiceFamily.all.flatMap { family -> [OpenMember] in
      guard let asking = family.names.first(where: asks) else { return [] }
      return family.names.filter(isOpen).map { OpenMember(name: $0, asking: asking) }
    }
  }

  /// Further services that are there and ask without the passcode, in order: nobody has said that they should ask for it.
  package func openOthers() -> [String] {
    let forgotten = openMembers().map(\.name)
    let known = ServiceFamily.all.flatMap(\.names) + Self.others + PAMService.lockers
    return Set(known).filter { !forgotten.contains($0) && isOpen($0) }.sorted()
  }

  /// Whether the service asks pam_uaf.
  func asks(_ service: String) -> Bool { authentication(of: service).contains(where: \.asksOwnModule) }

  /// Whether the service asks for something, and not pam_uaf.
  func isOpen(_ service: String) -> Bool {
    let lines = authentication(of: service)
    // pam_rootok lets in root, who needs no authentication here.
    return !asks(service) && lines.contains { StackReading.authenticates($0) && $0.moduleName != "pam_rootok.so" }
  }

  /// The `auth` lines of a service.
  ///
  /// What a vendor's file includes is looked for in the first folder, as libpam does.
  private func authentication(of service: String) -> [PAMLine] {
    guard let first = readers.first else { return [] }
    if first.bytes(of: service) != nil { return first.authentication(of: service) }
    guard let vendor = readers.dropFirst().first(where: { $0.bytes(of: service) != nil }) else { return [] }
    return vendor.ownLines(of: service).filter { $0.isPart(of: "auth") || $0.group == "@include" }.flatMap { line in
      guard line.isInclusion, first.bytes(of: line.module) != nil else { return [line] }
      return first.authentication(of: line.module)
    }
  }
}
