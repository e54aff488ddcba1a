import Glibc

/// The user and group that the program changes to when it is started as root.
///
/// Numbers and not a name: looking a name up would load name service plug-ins while still root, and the
/// account need not exist. 60990 lies in the range that Debian's policy (60000-64999) allots and that
/// systemd, adduser and useradd leave alone; nothing on the disk belongs to it.
enum UnprivilegedIdentity {
  static let user: uid_t = 60_990
  static let group: gid_t = 60_990
}
