import Glibc
import Sandbox

/// The sandbox of the core: it can use its state folder and its open sockets, compute, and end.
enum HelperSandbox {
  /// Leaves the machine's network permanently: the first part, which needs nothing of a call.
  ///
  /// - Returns: the system's error number, or 0.
  static func leaveNetwork() -> CInt { NetworkNamespace.leave() }

  /// Gives up everything else permanently.
  ///
  /// - Parameters:
  ///   - stateDirectory: the folder beneath which files can still be opened, read, written, made and removed.
  ///   - prints: a folder that can still be read; nil for none.
  ///   - networkFailure: how leaving the network went.
  /// - Returns: what this kernel, or this container, has no means for.
  static func enter(
    keeping stateDirectory: String, reading prints: String?, network networkFailure: CInt
  ) -> SandboxReport {
    // Reads the time zone's file now, because it cannot be read later and the log needs it.
    tzset()
    var report = SandboxReport()
    report.note(.network, networkFailure)
    var paths = PathRules(mayConnect: false)
    paths.allow(.keeping, stateDirectory)
    if let prints { paths.allow(.reading, prints) }
    report.note(.landlock, paths.enter())
    // The last, because it forbids the calls that the others need.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The calls, each with what it is needed for.
  static let calls: [CallRule] =
    CommonCalls.ofItself + [
      CommonCalls.reading, CommonCalls.waiting,
      .allowedIf(
        "mmap", [CallCondition(2, mask: UInt64(PROT_EXEC), is: 0)],
        why: "memory; nothing is loaded any more, so that no page becomes code"),
      .allowed(
        ["write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "fallocate", "flock"],
        why: "the account's file, SQLite's journal, the slots"),
      .allowed(
        ["unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "mkdir", "mkdirat"],
        why: "a file that is there whole or not at all, what is forgotten, the folders of init"),
      .allowed(["fchown", "fchmod", "umask"], why: "SQLite gives its journal the owner and the mode of the file"),
      .allowed(["recvfrom", "recvmsg", "getsockopt", "shutdown"], why: "packets of the front end and of uaf-fetch"),
      // With an address, the log's socket could send to any socket of the machine. The same holds for sendmsg, whose address
      // a filter cannot read.
      .allowedIf("sendto", [CallCondition(4, is: 0)], why: "packets, and lines of the log"),
    ]
}
