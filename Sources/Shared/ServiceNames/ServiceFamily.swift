// Purpose of this target: the names of the PAM services that programs use. The configuration and the editor of PAM's services
// need the same list, but share nothing else. It may import nothing.

/// The PAM services that one program uses: a login through any of them gives the same access.
public struct ServiceFamily: Equatable, Sendable {
  /// The name that people know the program by.
  public let main: String
  /// Its other names, each a file of its own in PAM's folder.
  public let members: [String]

  /// - Parameters:
  ///   - main: the name that people know the program by.
  ///   - members: its other names.
  public init(main: String, members: [String]) {
    self.main = main
    self.members = members
  }

  /// All names, the best known first.
  public var names: [String] { [main] + members }

  /// All programs that are known to have several names.
  public static let all = [
    // sudo uses the service sudo-i for `sudo -i` if it was built to do so, as on Debian.
    ServiceFamily(main: "sudo", members: ["sudo-i"]),
    // util-linux's su uses the service su-l for `su -` and `su -l`.
    ServiceFamily(main: "su", members: ["su-l"]),
    // util-linux's login uses the service remote for `login -h`.
    ServiceFamily(main: "login", members: ["remote"]),
    // GDM 50 asks gdm-switchable-auth where earlier versions ask gdm-password, for the login and for the lock screen.
    ServiceFamily(main: "gdm-password", members: ["gdm-switchable-auth"]),
  ]

  /// Services without a person who could answer a prompt: they run scheduled jobs, or jobs that belong to a session.
  public static let unattended: Set<String> = ["cron", "crond", "anacron", "atd", "at", "systemd-user"]

  /// The family that contains a name; nil for a service with one name.
  public static func of(_ service: String) -> ServiceFamily? { all.first { $0.names.contains(service) } }
}
