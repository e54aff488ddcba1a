import Glibc
import Sandbox

/// What the network program can do: look a name up, speak TLS with a server, answer its socket, and end.
enum FetchSandbox {
  /// Gives up everything else permanently, after `ProcessPrivileges`.
  ///
  /// - Returns: what this kernel, or this container, has no means for.
  static func enter() -> SandboxReport {
    var report = SandboxReport()
    var paths = PathRules(mayConnect: true)
    for path in readable { paths.allow(.reading, path) }
    report.note(.landlock, paths.enter())
    // The last, because it forbids the calls that the other needs.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// What name services, libcurl and OpenSSL read.
  ///
  /// Links are followed at the start: a resolv.conf that is put in its place later is read by the next call.
  static let readable = [
    // Plug-ins of the name services, OpenSSL's and their libraries.
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache",
    // Names.
    "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf", "/run/systemd/resolve",
    "/run/nscd", "/var/run/nscd",
    // Authorities, and the distribution's rules for TLS.
    "/etc/ssl", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/etc/pki", "/etc/crypto-policies",
    "/usr/share/crypto-policies",
  ]

  /// The calls, each with what it is needed for.
  static let calls: [CallRule] =
    CommonCalls.ofItself + CommonCalls.plugIns + sockets + [
      CommonCalls.reading, CommonCalls.waiting,
      .allowed(["write", "writev"], why: "what a resolver's thread and libcurl tell each other"),
      // Name look-ups run in a thread, so that a hanging resolver is given up. A thread is no process, has no new
      // namespace, and inherits all of this.
      .allowedIf(
        "clone", [CallCondition(0, mask: threadFlag | namespaceFlags, is: threadFlag)], why: "libcurl's resolver thread"
      ),
      .allowed(["set_robust_list", "rseq", "set_tid_address"], why: "the start of a thread"),
      .allowedIf("prctl", [CallCondition(0, isWord: 15)], why: "the name of a thread (PR_SET_NAME)"),
      .allowedIf("ioctl", [CallCondition(1, isWord: 0x541B)], why: "the resolver asks how much there is (FIONREAD)"),
      .allowedIf("ioctl", [CallCondition(1, isWord: 0x5421)], why: "a socket that does not wait (FIONBIO)"),
      .allowed(
        ["pipe", "pipe2", "eventfd2", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "select", "pselect6"],
        why: "waiting for several things at once, in libcurl and in name services"),
    ]

  private static let sockets: [CallRule] =
    [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK].map {
      .allowedIf("socket", [CallCondition(0, isWord: UInt32($0))], why: "TCP, DNS, systemd-resolved, own addresses")
    } + [
      .allowedIf("socketpair", [CallCondition(0, isWord: UInt32(AF_UNIX))], why: "how libcurl wakes itself"),
      .allowed(
        ["connect", "bind", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown"],
        why: "connections; bind is how netlink is asked, and Landlock refuses it for TCP"),
      .allowed(
        ["sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg"], why: "TLS, DNS, and packets of the core"),
    ]

  // CLONE_THREAD, and NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
  private static let threadFlag: UInt64 = 0x0001_0000
  private static let namespaceFlags: UInt64 = 0x7E02_0080
}
