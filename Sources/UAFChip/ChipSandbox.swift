import Glibc
import Sandbox

/// What the program can do once its chip is open: compute, speak over its two descriptors, and end.
enum ChipSandbox {
  /// Gives up everything else permanently.
  ///
  /// - Parameter networkFailure: how leaving the network went.
  /// - Returns: what this kernel, or this container, has no means for.
  static func enter(network networkFailure: CInt) -> SandboxReport {
    var report = SandboxReport()
    report.note(.network, networkFailure)
    report.note(.landlock, PathRules(mayConnect: false).enter())
    // The last, because it forbids the calls that the other needs.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The calls, each with what it is needed for.
  static let calls: [CallRule] =
    CommonCalls.ofItself + [
      CommonCalls.waiting,
      .allowedIf("mmap", [CallCondition(2, mask: UInt64(PROT_EXEC), is: 0)], why: "memory"),
      .allowed(["read", "write", "close"], why: "commands and responses of the chip; no path can be opened"),
      .allowed(["recvmsg", "getsockopt"], why: "the packet of the core"),
      .allowedIf("sendto", [CallCondition(4, is: 0)], why: "the answer to the core, and commands to a socket"),
    ]
}
