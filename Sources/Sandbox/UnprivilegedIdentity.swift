import Glibc

/// The user and group that a program changes to when it is started as root.
///
/// Numbers and not a name: looking a name up would load name service plug-ins while still root, and the
/// account need not exist. The numbers lie in the range that Debian's policy (60000-64999) allots and that
/// systemd, adduser and useradd leave alone; nothing on the disk belongs to them.
public struct UnprivilegedIdentity: Sendable {
  let user: uid_t
  let group: gid_t

  /// The network program's.
  public static let fetch = UnprivilegedIdentity(user: 60_990, group: 60_990)
  /// That of the program that speaks with the fingerprint service.
  public static let finger = UnprivilegedIdentity(user: 60_991, group: 60_991)
  /// That of the program that asks the name services.
  public static let name = UnprivilegedIdentity(user: 60_992, group: 60_992)
}
