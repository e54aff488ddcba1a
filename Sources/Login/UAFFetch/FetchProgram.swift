import CProcess
import Glibc
import Sandbox
import UAFWire

/// The program from its start to its end.
enum FetchProgram {
  static let usage = """
    usage: uaf-fetch --version
    Performs HTTPS exchanges for uaf-helper, which starts it with a packet socket at descriptor 3. Not for use by hand.

    """

  /// Gives up every privilege, waits for the first packet, enters its sandbox, and serves until the socket is closed.
  ///
  /// Before it enters the sandbox, it does not use the network, and reads only files of the system's libraries. It enters the
  /// sandbox only when the first packet arrives, because the sandbox follows the link /etc/resolv.conf, which must then be
  /// current; a core that is kept ready may send its first packet much later.
  static func run(_ arguments: [String]) -> FetchExitStatus {
    if let hasVersion = SocketProgram.answer(arguments, name: "uaf-fetch", version: Version.current, usage: usage) {
      return hasVersion ? .done : .usage
    }
    do throws(PrivilegeError) {
      try ProcessPrivileges.giveUp(as: .fetch)
    } catch {
      SocketProgram.say("uaf-fetch: \(error)\n")
      return .confinement
    }
    return serve()
  }

  private static func serve() -> FetchExitStatus {
    do throws(PacketSocketError) {
      let socket = try PacketSocket(takingOver: SocketProgram.socket)
      // If the parent died before PR_SET_PDEATHSIG took effect, no signal comes, but its socket is closed.
      guard !PeerWatch.isGone(SocketProgram.socket) else { return .done }
      guard let client = HTTPSClient(watching: SocketProgram.socket) else {
        SocketProgram.say("uaf-fetch: libcurl cannot be used: it must be 7.85 or newer and built with OpenSSL\n")
        return .unavailable
      }
      PeerWatch.awaitPacket(SocketProgram.socket) { TLSMethods.load() }
      return try FetchService.serve(socket, with: client, in: FetchSandbox.enter())
    } catch {
      if error == .closed { return .done }
      SocketProgram.say("uaf-fetch: \(error)\n")
      return error == .notASocket ? .usage : .malformedPacket
    }
  }
}

/// The program's exit statuses, with the numbers of sysexits.h; the core ignores them.
enum FetchExitStatus: Int32, Equatable {
  /// The socket was closed, or the version was asked for.
  case done = 0
  /// The arguments are wrong, or descriptor 3 is not a packet socket.
  case usage = 64
  /// libcurl cannot be used.
  case unavailable = 69
  /// A privilege could not be given up.
  case confinement = 71
  /// A packet from the socket does not follow the protocol.
  case malformedPacket = 76
}

/// The program's version, for `--version` and the User-Agent header.
enum Version {
  static let current = "0.2.0"
}

/// What the network program can still do in its sandbox: look a name up, speak TLS with a server, answer its socket, and exit.
enum FetchSandbox {
  /// Gives up everything else permanently, after `ProcessPrivileges`.
  ///
  /// - Returns: the parts that this kernel or container does not support.
  static func enter() -> SandboxReport {
    var report = SandboxReport()
    var paths = PathRules(mayConnect: true)
    for path in readable { paths.allow(.reading, path) }
    report.note(.landlock, paths.enter())
    // The filter comes last, because it forbids the calls that the other parts need.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The files that name services, libcurl and OpenSSL read.
  ///
  /// Links are followed when the sandbox is entered. If resolv.conf is replaced after that, only the next call reads the new
  /// file.
  static let readable = [
    // Plug-ins of the name services and of OpenSSL, and the libraries that they need.
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache",
    // For name look-ups.
    "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf", "/run/systemd/resolve",
    "/run/nscd", "/var/run/nscd",
    // Certificate authorities, and the distribution's rules for TLS.
    "/etc/ssl", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/etc/pki", "/etc/crypto-policies",
    "/usr/share/crypto-policies",
  ]

  /// The system calls, each with its purpose.
  static let calls: [CallRule] =
    CommonCalls.ofItself + CommonCalls.plugIns + sockets + [
      CommonCalls.reading, CommonCalls.waiting,
      .allowed(["write", "writev"], why: "what a resolver's thread and libcurl tell each other"),
      // Name look-ups run in a thread, so that a hanging resolver can be abandoned. The condition allows threads only: no new
      // processes and no new namespaces. A thread inherits the whole sandbox.
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
