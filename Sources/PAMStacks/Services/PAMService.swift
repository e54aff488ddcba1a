/// A PAM service that `uafctl pam` can change to ask for the passcode.
package struct PAMService: Equatable {
  /// Its name, which is also the name of its file in the folder of services.
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
  // Longer names do not exist. They would leave no room for the names of files written beside it.
  private static let longestName = 64

  /// - Throws: ``StackError``: `badService` for what is no name of a service, or for a file that services share.
  package init(_ name: String) throws(StackError) {
    guard Self.isName(name) else { throw .badService(name, .noName) }
    guard !name.hasPrefix(Self.prefix) else { throw .badService(name, .ours) }
    guard !name.hasPrefix("common-"), name != "other" else { throw .badService(name, .shared) }
    self.name = name
  }

  /// Whether a display manager uses the service for its greeter or for a login without a question: a prompt in it would leave the
  /// screen empty.
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

  /// Whether the file exists only to be included by services: a shared file of a distribution, or a stack of ours.
  package static func isPart(_ name: String) -> Bool {
    name.hasPrefix("common-") || name.hasPrefix(prefix)
      || [
        "fingerprint-auth", "password-auth", "postlogin", "smartcard-auth", "system-auth", "system-local-login",
        "system-login", "system-remote-login", "system-services",
      ].contains(name)
  }

  /// The file that its changed line includes.
  var stackName: String { Self.prefix + name }
  /// The name of the copy of the service's file while it is changed; hidden, so that no program takes it for a service.
  var backupName: String { ".\(name).before-uaf" }
  /// The name under which an edited stack is kept.
  var savedName: String { ".\(stackName).saved" }

  /// Whether it is the service that changes passwords, and logs nobody in.
  var changesPasswords: Bool { name == Self.passwd }

  /// The template that belongs to it; nil if none is known.
  var knownTemplate: String? { Self.templates[name] ?? (Self.lockers.contains(name) ? "locker" : nil) }

  /// The default of `--shape`.
  ///
  /// Over the network, a cut connection to the server must not make a password enough. SDDM cannot ask for a password after the
  /// passcode.
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
