import CProcess
import Glibc
import Sandbox
import SecretMemory
import UAFCrypto
import UAFWire

/// The program from its start to its end.
///
/// For each request it makes a copy of itself, which answers and ends.
///
/// The chip is open only while a copy is working. A device or a socket may serve only one program at a time; this way, it is free
/// while a person types. The program itself opens nothing, and reads no part of a request.
enum ChipProgram {
  static let usage = """
    usage: uaf-chip --version
    Seals or opens the device key with a TPM for uaf-helper, which starts it with a packet socket at descriptor 3. Not for \
    use by hand.

    """

  /// Waits for requests, and has a copy of itself answer each, until the core closes its socket.
  static func run(_ arguments: [String]) -> ChipExitStatus {
    if let hasVersion = SocketProgram.answer(arguments, name: "uaf-chip", version: ChipVersion.current, usage: usage) {
      return hasVersion ? .done : .usage
    }
    guard let networkFailure = ChipPrivileges.prepare() else { return .confinement }
    // Read before the sandbox hides it, and before a request comes: the core is still busy.
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
      // One at a time: the core sends the next request only when it has the answer.
      guard reap(copy) == ChipExitStatus.done.rawValue else { return .malformedPacket }
    }
  }

  /// What is waiting at the socket.
  private enum Awaited { case request, end, noSocket }

  /// Waits for a request, and leaves it there.
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

  /// Waits for the end of a copy; returns how it ended, or -1 if a signal killed it.
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

/// How the program ends, as numbers of sysexits.h; the core ignores them.
enum ChipExitStatus: Int32 {
  /// The request was answered, the socket ended, or the version was asked for.
  case done = 0
  /// Arguments, or no packet socket at descriptor 3.
  case usage = 64
  /// There is no memory.
  case unavailable = 69
  /// A privilege could not be given up.
  case confinement = 71
  /// What came over the socket does not follow the protocol.
  case malformedPacket = 76
}

/// The version that `--version` prints.
enum ChipVersion {
  static let current = "0.2.0"
}

/// What the program can do once its chip is open: compute, speak over its two descriptors, and end.
enum ChipSandbox {
  /// Gives up everything else permanently.
  ///
  /// - Parameter networkFailure: the result of leaving the network.
  /// - Returns: the parts that this kernel or container does not support.
  static func enter(network networkFailure: CInt) -> SandboxReport {
    var report = SandboxReport()
    report.note(.network, networkFailure)
    report.note(.landlock, PathRules(mayConnect: false).enter())
    // This comes last, because it forbids the calls that the other part needs.
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

/// What the process gives up in addition to its sandbox.
enum ChipPrivileges {
  /// Drops the environment, dumps, new privileges and the machine's network, and locks what memory it can.
  ///
  /// - Returns: the result of leaving the network: an error number, or 0; nil if the process cannot be confined at all.
  static func prepare() -> CInt? {
    // tpm2-tss reads TSS2_LOG and TSS2_LOGFILE, OpenSSL OPENSSL_CONF.
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

  /// Sets what a copy of this process does not inherit: that it ends with its parent, and that its memory is locked.
  ///
  /// - Returns: whether the copy will end with its parent.
  static func prepareCopy() -> Bool {
    guard process_control(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 else { return false }
    lockMemory()
    return true
  }

  /// Keeps the key from the swap while the libraries hold it; if the system refuses, the program continues.
  ///
  /// If the limit is not raised first, locked memory cannot be allocated at all.
  private static func lockMemory() {
    var all = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
    // RLIMIT_MEMLOCK is 8. SAFETY: `all` is an rlimit.
    guard unsafe setrlimit(__rlimit_resource_t(8), &all) == 0 else { return }
    // MCL_CURRENT, MCL_FUTURE and MCL_ONFAULT: only pages that are used are read in.
    _ = mlockall(7)
  }

  /// Drops every capability, once the chip is open: its device belongs to a different user.
  ///
  /// The uid stays: if other programs had the same uid, they could reach this process.
  ///
  /// - Returns: whether no capability is left.
  static func dropCapabilities() -> Bool {
    guard process_control(PR_CAP_AMBIENT, UInt(PR_CAP_AMBIENT_CLEAR_ALL)) == 0, process_clear_capabilities() == 0 else {
      return false
    }
    return process_has_no_capabilities() == 1
  }
}
