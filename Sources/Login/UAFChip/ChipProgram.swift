import CProcess
import Glibc
import Sandbox
import SecretMemory
import UAFCrypto
import UAFWire

/// The program from its start to its end.
///
/// For each request it forks a copy of itself, which answers the request and ends.
///
/// The chip is open only while a copy is working. The chip's device or socket may serve only one program at a time, and this
/// way it is free while a person types. The parent process does not open the chip, and does not read the requests.
enum ChipProgram {
  static let usage = """
    usage: uaf-chip --version
    Seals or opens the device key with a TPM for uaf-helper, which starts it with a packet socket at descriptor 3. Not for \
    use by hand.

    """

  /// Until the core closes its socket, waits for requests and lets a copy of this process answer each of them.
  static func run(_ arguments: [String]) -> ChipExitStatus {
    if let hasVersion = SocketProgram.answer(arguments, name: "uaf-chip", version: ChipVersion.current, usage: usage) {
      return hasVersion ? .done : .usage
    }
    guard let networkFailure = ChipPrivileges.prepare() else { return .confinement }
    // Loaded now because the sandbox will hide the file, and because no time is lost: the core has not sent a request yet.
    OpenSSLConfiguration.load()
    while true {
      switch awaitRequest(at: SocketProgram.socket) {
      case .request: break
      case .end: return .done
      case .noSocket: return answer(network: networkFailure)
      }
      let copy = process_copy()
      guard copy >= 0 else { return .unavailable }
      guard copy > 0 else { return ChipPrivileges.prepareCopy() ? answer(network: networkFailure) : .confinement }
      // There is only one copy at a time: the core sends the next request only after it has received the answer.
      guard reap(copy) == ChipExitStatus.done.rawValue else { return .malformedPacket }
    }
  }

  /// What awaits the program at the socket.
  private enum Awaited { case request, end, noSocket }

  /// Waits for a request, without reading it from the socket.
  private static func awaitRequest(at socket: CInt) -> Awaited {
    var byte: UInt8 = 0
    while true {
      // SAFETY: one byte is lent for the call.
      let count = unsafe recv(socket, &byte, 1, CInt(MSG_PEEK))
      if count > 0 { return .request }
      if count == 0 { return .end }
      if errno != EINTR { return errno == ECONNRESET ? .end : .noSocket }
    }
  }

  /// Waits until a copy has ended; returns its exit status, or -1 if a signal killed it.
  private static func reap(_ copy: pid_t) -> Int32 {
    var status: CInt = 0
    // SAFETY: `status` lives for the call, and the process ID belongs to this child alone until it is reaped.
    while unsafe waitpid(copy, &status, 0) < 0 {
      guard errno == EINTR else { return -1 }
    }
    return status & 0x7f == 0 ? status >> 8 & 0xff : -1
  }

  /// Answers one request.
  private static func answer(network networkFailure: CInt) -> ChipExitStatus {
    do throws(PacketSocketError) {
      return try serve(try PacketSocket(takingOver: SocketProgram.socket), network: networkFailure)
    } catch {
      switch error {
      case .closed: return .done
      case .notASocket:
        SocketProgram.say(usage)
        return .usage
      default: return .malformedPacket
      }
    }
  }

  private static func serve(
    _ socket: borrowing PacketSocket, network networkFailure: CInt
  ) throws(PacketSocketError) -> ChipExitStatus {
    guard var buffer = try? Secret(capacity: WireLimit.packet + 1) else { return .unavailable }
    let packet = try socket.receive(into: &buffer, timeoutMilliseconds: -1)
    let request = try buffer.withBytes { (span: Span<UInt8>) throws(PacketSocketError) in
      do throws(PacketError) { return try ChipRequest(packet, span) } catch { throw .malformed(error) }
    }
    var work = ChipWork(request, network: networkFailure)
    do throws(ChipFailure) {
      try work.perform(
        sealing: try? ChipRequest.key(packet, in: buffer), with: try? ChipRequest.values(packet, in: buffer))
    } catch { work.fail(error) }
    guard let answer = try? work.packet() else { return .unavailable }
    try socket.send(answer)
    return .done
  }
}

/// The program's exit statuses, with the numbers of sysexits.h; the core ignores them.
enum ChipExitStatus: Int32 {
  /// The request was answered, the core closed the socket, or the version was asked for.
  case done = 0
  /// The arguments are wrong, or descriptor 3 is not a packet socket.
  case usage = 64
  /// There is no memory.
  case unavailable = 69
  /// A privilege could not be given up.
  case confinement = 71
  /// A packet from the socket does not follow the protocol.
  case malformedPacket = 76
}

/// The version that `--version` prints.
enum ChipVersion {
  static let current = "0.2.0"
}

/// What the program can still do once its chip is open: compute, use its two descriptors, and exit.
enum ChipSandbox {
  /// Gives up everything else permanently.
  ///
  /// - Parameter networkFailure: the result of leaving the network: an error number, or 0.
  /// - Returns: the parts that this kernel or container does not support.
  static func enter(network networkFailure: CInt) -> SandboxReport {
    var report = SandboxReport()
    report.note(.network, networkFailure)
    report.note(.landlock, PathRules(mayConnect: false).enter())
    // The filter comes last, because it forbids the calls that the other parts need.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The system calls, each with its purpose.
  static let calls: [CallRule] =
    CommonCalls.ofItself + [
      CommonCalls.waiting,
      .allowedIf("mmap", [CallCondition(2, mask: UInt64(PROT_EXEC), is: 0)], why: "memory"),
      .allowed(["read", "write", "close"], why: "commands and responses of the chip; no path can be opened"),
      .allowed(["recvmsg", "getsockopt"], why: "the packet of the core"),
      .allowedIf("sendto", [CallCondition(4, is: 0)], why: "the answer to the core, and commands to a socket"),
    ]
}

/// What the process gives up in addition to its sandbox.
enum ChipPrivileges {
  /// Clears the environment, disables core dumps and new privileges, leaves the machine's network, and locks as much memory as
  /// it can.
  ///
  /// - Returns: the result of leaving the network: an error number, or 0; nil if the process cannot be confined at all.
  static func prepare() -> CInt? {
    // tpm2-tss reads TSS2_LOG and TSS2_LOGFILE, and OpenSSL reads OPENSSL_CONF.
    clearenv()
    // SAFETY: the texts are copied.
    _ = unsafe setenv("TSS2_LOG", "all+NONE", 1)
    umask(0o077)
    _ = signal(SIGPIPE, SIG_IGN)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // SAFETY: `none` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0,
      process_control(PR_SET_DUMPABLE, 0) == 0, process_control(PR_SET_NO_NEW_PRIVS, 1) == 0, prepareCopy()
    else { return nil }
    return process_leave_network() == 0 ? 0 : errno
  }

  /// Sets two properties that a forked process does not inherit: that it ends with its parent, and that its memory is locked.
  ///
  /// - Returns: whether the copy will end with its parent.
  static func prepareCopy() -> Bool {
    guard process_control(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 else { return false }
    lockMemory()
    return true
  }

  /// Locks the memory, so that the key is not swapped out while a library holds it.
  ///
  /// If the system refuses, the program continues.
  ///
  /// The limit is raised first: otherwise, once MCL_FUTURE is set, allocations beyond the limit would fail.
  private static func lockMemory() {
    var all = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
    // RLIMIT_MEMLOCK is 8. SAFETY: `all` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(8), &all) == 0 else { return }
    // MCL_CURRENT, MCL_FUTURE and MCL_ONFAULT: pages are locked only once they are used.
    _ = mlockall(7)
  }

  /// Drops every capability.
  ///
  /// This comes after the chip was opened, because its device belongs to a different user.
  ///
  /// The uid stays root's: under a uid that other programs share, those programs could attach to this process.
  ///
  /// - Returns: whether no capability is left.
  static func dropCapabilities() -> Bool {
    guard process_control(PR_CAP_AMBIENT, UInt(PR_CAP_AMBIENT_CLEAR_ALL)) == 0, process_clear_capabilities() == 0 else {
      return false
    }
    return process_has_no_capabilities() == 1
  }
}
