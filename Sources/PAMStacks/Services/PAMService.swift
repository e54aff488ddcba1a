/// A PAM service that `uafctl pam` can have ask for the passcode.
package struct PAMService: Equatable {
  /// Its name, which is its file's in the folder of services.
  package let name: String

  /// Lockers answer every question with the one string that was typed: they share one template.
  static let lockers: Set<String> = [
    "cinnamon-screensaver", "gtklock", "hyprlock", "i3lock", "kde", "mate-screensaver", "physlock", "slock", "swaylock",
    "vlock", "waylock", "xlock", "xscreensaver", "xsecurelock",
  ]
  private static let templates: [String: String] = [
    "sudo": "sudo", "sudo-i": "sudo", "sshd": "sshd", "login": "login", "remote": "login", "su": "su",
    "su-l": "su", "polkit-1": "polkit-1", "gdm-password": "display-manager", "lightdm": "display-manager",
    "sddm": "sddm", passwd: passwd,
  ]
  private static let passwd = "passwd"
  // Longer names do not exist, and would leave no room for what is written beside the file.
  private static let longestName = 64

  /// - Throws: ``StackError``: `badService` for what is no name of a service, or for a file that services share.
  package init(_ name: String) throws(StackError) {
    guard Self.isName(name) else { throw .badService(name, .noName) }
    guard !name.hasPrefix(Self.prefix) else { throw .badService(name, .ours) }
    guard !name.hasPrefix("common-"), name != "other" else { throw .badService(name, .shared) }
    self.name = name
  }

  /// Whether a display manager has the service for its greeter, or for a login without a question: with a prompt in it, nothing
  /// would appear on the screen.
  private var asksNobody: Bool {
    name == "gdm-launch-environment" || name.hasSuffix("-autologin") || name.hasSuffix("-greeter")
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

  /// What the names of our files begin with.
  package static let prefix = "uaf-"

  /// Whether the file is only there to be included by services: one that distributions have for it, or a stack of ours.
  package static func isPart(_ name: String) -> Bool {
    name.hasPrefix("common-") || name.hasPrefix(prefix)
      || [
        "fingerprint-auth", "password-auth", "postlogin", "smartcard-auth", "system-auth", "system-local-login",
        "system-login", "system-remote-login", "system-services",
      ].contains(name)
  }

  /// The file that its line is changed to include.
  var stackName: String { Self.prefix + name }
  /// What the service's file is kept as while another line stands in it; hidden, so that nothing takes it for a service.
  var backupName: String { ".\(name).before-uaf" }
  /// What a stack that was edited is kept as.
  var savedName: String { ".\(stackName).saved" }

  /// Whether it is the one that changes passwords, and lets nobody in.
  var changesPasswords: Bool { name == Self.passwd }

  /// The template that belongs to it; nil if none is known.
  var knownTemplate: String? { Self.templates[name] ?? (Self.lockers.contains(name) ? "locker" : nil) }

  /// What `--shape` is where it is left out: over the network a pulled cable must not make a password enough, and SDDM cannot ask
  /// for a password after the passcode.
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
