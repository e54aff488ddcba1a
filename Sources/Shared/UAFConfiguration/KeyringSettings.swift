import ServiceNames

/// `[keyring]`: whether a login hands the password of the person's keyring to the modules behind this one, and through which
/// services.
public struct KeyringSettings: Equatable, Sendable {
  /// Whether people may have the password of their keyring kept, and logins open it.
  public internal(set) var unlock = false
  /// The PAM services whose logins may open it.
  ///
  /// A module in the authentication stage cannot know whether the host will open a session, so this list says which hosts do.
  public internal(set) var services = Self.logins

  /// The greeters of desktops, and the login at a console.
  static let logins = [
    "gdm-password", "gdm-switchable-auth", "lightdm", "sddm", "plasmalogin", "greetd", "cosmic-greeter", "ly", "emptty",
    "lxdm", "login",
  ]

  /// Services that never open it, whatever root writes: no session of the person follows, or the person is elsewhere.
  static let others: Set<String> = ServiceFamily.unattended.union([
    "sudo", "sudo-i", "su", "su-l", "runuser", "runuser-l", "doas", "polkit-1", "sshd", "remote", "passwd", "chsh",
    "chfn", "uafctl", "other",
  ])

  static var settings: [Setting<KeyringSettings>] {
    [.boolean("unlock", \.unlock), .texts("services", \.services, allowed: .loginServices, service)]
  }

  private static func service(_ name: String) -> String? {
    AllowedText.serviceName(name).flatMap { others.contains($0) ? nil : $0 }
  }
}
