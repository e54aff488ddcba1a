import Glibc
import Sandbox

/// What the program can do: load a name service's plug-in, ask a service of this machine by its path, and answer.
enum NameSandbox {
  /// Gives up everything else permanently, after `ProcessPrivileges`.
  ///
  /// - Parameter report: what was found missing so far.
  /// - Returns: what this kernel, or this container, has no means for.
  static func enter(_ report: SandboxReport) -> SandboxReport {
    var report = report
    var paths = PathRules(mayConnect: false)
    for path in readable { paths.allow(.reading, path) }
    report.note(.landlock, paths.enter())
    // The last, because it forbids the calls that the other needs.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// What name services read, as far as everybody may read it: this program has no user number of anybody's.
  static let readable = [
    // Plug-ins and their libraries, and what says which of them are asked.
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc",
    // Sockets and files of services: SSSD, nslcd, winbind, nscd, systemd.
    "/run", "/var/run",
    // Accounts in files: SSSD's cache, libnss-extrausers, libnss-cache and libnss-db, nscd.
    "/var/lib/sss", "/var/lib/extrausers", "/var/lib/misc", "/var/db", "/var/cache/nscd",
    // What libnss-systemd takes random numbers of.
    "/proc/sys/kernel/random/boot_id",
  ]

  /// The calls, each with what it is needed for.
  static let calls: [CallRule] =
    CommonCalls.ofItself + CommonCalls.plugIns + [
      CommonCalls.reading, CommonCalls.waiting,
      .allowed(
        ["write", "writev"], why: "what a plug-in tells its service over a socket; no file can be opened to write"),
      .allowedIf("socket", [CallCondition(0, isWord: UInt32(AF_UNIX))], why: "services of this machine; no network"),
      .allowed(
        ["connect", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown"],
        why: "the connection to a service"),
      .allowed(["sendto", "sendmsg", "recvfrom", "recvmsg"], why: "what it says, and the packets of the core"),
      .allowedIf("ioctl", [CallCondition(1, isWord: 0x541B)], why: "how much there is to read (FIONREAD)"),
      .allowed(
        [
          "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "timerfd_create",
          "timerfd_settime",
          "select", "pselect6",
        ], why: "waiting for a service, in libnss-systemd and others"),
    ]
}
