import CProcess
import Glibc

/// The first half of the sandbox of a helper program: it changes the user, the capabilities and the environment of the process.
public enum ProcessPrivileges {
  /// Clears the environment, gives up root if any user ID of the process is root's, drops the capabilities, and disables core
  /// dumps.
  ///
  /// - Parameter identity: the user that root becomes.
  /// - Throws: ``PrivilegeError``; what was given up before the error stays given up.
  public static func giveUp(as identity: UnprivilegedIdentity) throws(PrivilegeError) {
    // OpenSSL, libcurl, sd-bus and the resolver would read SSL_CERT_FILE, OPENSSL_CONF, https_proxy, SSLKEYLOGFILE, RES_OPTIONS
    // and more.
    // They find an empty environment, whichever program started this one.
    clearenv()
    umask(0o077)
    // Writes over TLS may raise SIGPIPE, which libcurl cannot always prevent.
    _ = signal(SIGPIPE, SIG_IGN)
    let hadRoot = hasRoot()
    try require(.ambient, process_control(PR_CAP_AMBIENT, UInt(PR_CAP_AMBIENT_CLEAR_ALL)))
    if hadRoot {
      try clearBoundingSet()
      try leaveRoot(as: identity)
    }
    try require(.capabilities, process_clear_capabilities())
    guard process_has_no_capabilities() == 1 else { throw PrivilegeError(step: .capabilities, number: 0) }
    if hadRoot { try proveNoWayBack(from: identity) }
    try require(.newPrivileges, process_control(PR_SET_NO_NEW_PRIVS, 1))
    try forbidDumps()
    // This must come after the change of user, because the kernel would undo it then.
    try require(.parentDeath, process_control(PR_SET_PDEATHSIG, UInt(SIGKILL)))
  }

  private static func require(_ step: PrivilegeError.Step, _ result: CInt) throws(PrivilegeError) {
    guard result == 0 else { throw PrivilegeError(step: step, number: errno) }
  }

  /// Whether any of the process's user IDs is root's.
  private static func hasRoot() -> Bool { identities().prefix(3).contains(0) }

  private static func identities() -> [UInt32] {
    var numbers: [UInt32] = [0, 0, 0, 0, 0, 0]
    // SAFETY: each call writes three IDs, of which there is room for six.
    unsafe numbers.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      _ = unsafe getresuid(base, base + 1, base + 2)
      _ = unsafe getresgid(base + 3, base + 4, base + 5)
    }
    return numbers
  }

  /// Drops every capability that the kernel knows from the bounding set.
  ///
  /// Root without CAP_SETPCAP, as in some containers, is not permitted to do this. The set then stays, but it has no effect
  /// once `no_new_privs` is set.
  private static func clearBoundingSet() throws(PrivilegeError) {
    var capability: UInt = 0
    while process_control(PR_CAPBSET_READ, capability) >= 0, capability < 64 {
      if process_control(PR_CAPBSET_DROP, capability) != 0, errno != EPERM {
        throw PrivilegeError(step: .bounding, number: errno)
      }
      capability += 1
    }
  }

  private static func leaveRoot(as identity: UnprivilegedIdentity) throws(PrivilegeError) {
    try require(.groups, setgroups(0, nil))
    let (user, group) = (identity.user, identity.group)
    try require(.identity, setresgid(group, group, group))
    try require(.identity, setresuid(user, user, user))
  }

  private static func proveNoWayBack(from identity: UnprivilegedIdentity) throws(PrivilegeError) {
    let numbers =
      [UInt32](repeating: identity.user, count: 3)
      + [UInt32](repeating: identity.group, count: 3)
    // With a buffer size of 0, getgroups only returns the number of groups.
    let groups = getgroups(0, nil)
    // Each of these calls must fail: otherwise root could be regained. -1 leaves the other two IDs unchanged.
    let isBack =
      setresuid(uid_t.max, 0, uid_t.max) == 0 || setresuid(0, uid_t.max, uid_t.max) == 0
      || setresgid(gid_t.max, 0, gid_t.max) == 0
    guard identities() == numbers, groups == 0, !isBack else { throw PrivilegeError(step: .noWayBack, number: 0) }
  }

  private static func forbidDumps() throws(PrivilegeError) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // SAFETY: `none` is an rlimit.
    try require(.dumps, unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none))
    try require(.dumps, process_control(PR_SET_DUMPABLE, 0))
  }
}

/// A privilege that could not be given up; the program then refuses to work.
public struct PrivilegeError: Error, Equatable {
  /// The step that failed.
  public let step: Step
  /// The system's error number; 0 if the call succeeded but had no effect.
  public let number: CInt

  /// The steps, in the order in which they are taken.
  public enum Step: String, Sendable {
    case groups = "leave the supplementary groups"
    case ambient = "clear the ambient capabilities"
    case bounding = "clear the capability bounding set"
    case identity = "become the unprivileged user"
    case capabilities = "clear the capabilities"
    case noWayBack = "make sure that the program cannot become root again"
    case newPrivileges = "forbid new privileges"
    case dumps = "forbid core dumps"
    case parentDeath = "end with the parent"
  }
}

extension PrivilegeError: CustomStringConvertible {
  /// The step that failed, the reason, and what to check.
  public var description: String {
    // SAFETY: strerror returns a NUL-terminated text for every number.
    let reason = number == 0 ? "no effect" : unsafe String(cString: strerror(number))
    // The kernel returns EINVAL for an id that the user namespace does not have.
    let remedy =
      step == .identity && number == EINVAL
      ? "this user namespace has no ids 60990 to 60992; give the container 65536 ids"
      : "look for a filter of system calls around the login"
    return "cannot \(step.rawValue): \(reason). The program ends; \(remedy)."
  }
}

/// The user and group that a program changes to when it is started as root.
///
/// They are numeric IDs, not names: looking up a name would load name service plug-ins while the process is still root, and
/// this way no such account has to exist. The IDs are in the range 60000 to 64999, which Debian's policy reserves and which
/// systemd, adduser and useradd do not use. No file on the disk belongs to them.
public struct UnprivilegedIdentity: Sendable {
  let user: uid_t
  let group: gid_t

  /// The identity of the network program.
  public static let fetch = UnprivilegedIdentity(user: 60_990, group: 60_990)
  /// The identity of the program that talks to the fingerprint service.
  public static let finger = UnprivilegedIdentity(user: 60_991, group: 60_991)
  /// The identity of the program that asks the name services.
  public static let name = UnprivilegedIdentity(user: 60_992, group: 60_992)
}

/// The network namespace of this process.
public enum NetworkNamespace {
  /// Leaves the machine's network for an empty one; sockets that are open keep working.
  ///
  /// - Returns: the system's error number, or 0. It needs `CAP_SYS_ADMIN`.
  public static func leave() -> CInt { process_leave_network() == 0 ? 0 : errno }
}
