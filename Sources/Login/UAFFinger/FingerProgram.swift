import Glibc
import Sandbox
import UAFWire

/// The program from its start to its end.
enum FingerProgram {
  static let usage = """
    usage: uaf-finger --version
    Asks the fingerprint service for uaf-helper, which starts it with a packet socket at descriptor 3. Not for use by hand.

    """

  /// Leaves the network, gives up every privilege, and serves until the socket is closed.
  ///
  /// When the first packet arrives, it connects to the bus and then enters the sandbox.
  static func run(_ arguments: [String]) -> FingerExitStatus {
    if let hasVersion = SocketProgram.answer(
      arguments, name: "uaf-finger", version: FingerVersion.current, usage: usage)
    {
      return hasVersion ? .done : .usage
    }
    var report = SandboxReport()
    // The system bus can still be reached: it is a Unix socket with a path, which no network namespace hides.
    report.note(.network, NetworkNamespace.leave())
    do throws(PrivilegeError) {
      try ProcessPrivileges.giveUp(as: .finger)
    } catch {
      SocketProgram.say("uaf-finger: \(error)\n")
      return .confinement
    }
    do throws(PacketSocketError) {
      try FingerService.serve(try PacketSocket(takingOver: SocketProgram.socket), on: SocketProgram.socket, in: report)
      return .done
    } catch {
      if error == .closed { return .done }
      SocketProgram.say("uaf-finger: \(error)\n")
      return error == .notASocket ? .usage : .malformedPacket
    }
  }
}

/// The program's exit statuses, with the numbers of sysexits.h; the core ignores them.
enum FingerExitStatus: Int32, Equatable {
  /// The socket was closed, or the version was asked for.
  case done = 0
  /// The arguments are wrong, or descriptor 3 is not a packet socket.
  case usage = 64
  /// A privilege could not be given up.
  case confinement = 71
  /// A packet from the socket does not follow the protocol.
  case malformedPacket = 76
}

/// The program's version, as `--version` prints it.
enum FingerVersion {
  static let current = "0.2.0"
}

/// What the program can still do once it is connected to the bus: use its two sockets, and exit.
enum FingerSandbox {
  /// Gives up everything else permanently, after `ProcessPrivileges`.
  ///
  /// - Parameter report: the parts that were found missing so far.
  /// - Returns: the parts that this kernel or container does not support.
  static func enter(_ report: SandboxReport) -> SandboxReport {
    var report = report
    report.note(.landlock, PathRules(mayConnect: false).enter())
    // The filter comes last, because it forbids the calls that the other parts need.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The system calls, each with its purpose.
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
