import Glibc
import Sandbox

/// What the program can do once it is connected to the bus: speak over the two sockets that it has, and end.
enum FingerSandbox {
  /// Gives up everything else permanently, after `ProcessPrivileges`.
  ///
  /// - Parameter report: what was found missing so far.
  /// - Returns: what this kernel, or this container, has no means for.
  static func enter(_ report: SandboxReport) -> SandboxReport {
    var report = report
    report.note(.landlock, PathRules(mayConnect: false).enter())
    // The last, because it forbids the calls that the other needs.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The calls, each with what it is needed for.
  static let calls: [CallRule] =
    CommonCalls.ofItself + [
      CommonCalls.waiting,
      .allowedIf("mmap", [CallCondition(2, mask: UInt64(PROT_EXEC), is: 0)], why: "memory; nothing is loaded any more"),
      .allowed(["close", "fstat", "newfstatat", "fcntl"], why: "the end of a message's descriptors"),
      .allowed(
        ["sendmsg", "recvmsg", "recvfrom", "getsockopt", "shutdown"], why: "messages of the bus, packets of the core"),
      .allowedIf("sendto", [CallCondition(4, is: 0)], why: "packets; to nobody but the peer"),
    ]
}
