import Glibc
import Sandbox
import SecretMemory
import UAFWire

/// The program from its start to its end.
enum NameProgram {
  static let usage = """
    usage: uaf-name --version
    Asks the name services for uaf-helper, which starts it with a packet socket at descriptor 3. Not for use by hand.

    """

  /// Leaves the network, gives up every privilege, enters its sandbox, and answers one request.
  ///
  /// No plug-in of a name service is loaded before the program is in its sandbox. If a look-up hangs, the core kills this
  /// program.
  static func run(_ arguments: [String]) -> NameExitStatus {
    if let hasVersion = SocketProgram.answer(arguments, name: "uaf-name", version: NameVersion.current, usage: usage) {
      return hasVersion ? .done : .usage
    }
    var report = SandboxReport()
    // Services on this machine can still be reached over Unix sockets with a path, which no network namespace hides.
    report.note(.network, NetworkNamespace.leave())
    do throws(PrivilegeError) {
      try ProcessPrivileges.giveUp(as: .name)
    } catch {
      SocketProgram.say("uaf-name: \(error)\n")
      return .confinement
    }
    do throws(PacketSocketError) {
      let socket = try PacketSocket(takingOver: SocketProgram.socket)
      try answer(over: socket, in: NameSandbox.enter(report))
      return .done
    } catch {
      if error == .closed { return .done }
      SocketProgram.say("uaf-name: \(error)\n")
      return error == .notASocket ? .usage : .malformedPacket
    }
  }

  /// Reads one request, and answers it.
  private static func answer(
    over socket: borrowing PacketSocket, in sandbox: SandboxReport
  ) throws(PacketSocketError) {
    guard var buffer = try? Secret(capacity: WireLimit.packet + 1) else { throw .closed }
    let packet = try socket.receive(into: &buffer, timeoutMilliseconds: -1)
    let request = try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketSocketError) in
      do throws(PacketError) { return try NameRequest(packet, bytes) } catch { throw .malformed(error) }
    }
    var answer = NameLookup.ofTheSystem.answer(to: request.uid)
    answer.missing = sandbox.text
    let bytes: [UInt8]
    do throws(PacketError) { bytes = try answer.packet() } catch { throw .malformed(error) }
    try socket.send(bytes)
  }
}

/// The program's exit statuses, with the numbers of sysexits.h; the core ignores them.
enum NameExitStatus: Int32, Equatable {
  /// The request was answered, the socket was closed, or the version was asked for.
  case done = 0
  /// The arguments are wrong, or descriptor 3 is not a packet socket.
  case usage = 64
  /// A privilege could not be given up.
  case confinement = 71
  /// A packet from the socket does not follow the protocol.
  case malformedPacket = 76
}

/// The program's version, as `--version` prints it.
enum NameVersion {
  static let current = "0.2.0"
}

/// What the program can still do in its sandbox: load the plug-in of a name service, talk to a service of this machine over a
/// socket with a path, and answer.
enum NameSandbox {
  /// Gives up everything else permanently, after `ProcessPrivileges`.
  ///
  /// - Parameter report: the parts that were found missing so far.
  /// - Returns: the parts that this kernel or container does not support.
  static func enter(_ report: SandboxReport) -> SandboxReport {
    var report = report
    var paths = PathRules(mayConnect: false)
    for path in readable { paths.allow(.reading, path) }
    report.note(.landlock, paths.enter())
    // The filter comes last, because it forbids the calls that the other parts need.
    report.note(.seccomp, SystemCallFilter(calls).enter())
    return report
  }

  /// The files that name services read.
  ///
  /// Only files that everybody may read are readable for this program, because its uid belongs to nobody.
  static let readable = [
    // Plug-ins and their libraries, and the files that configure which of them are used.
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc",
    // Sockets and files of services: SSSD, nslcd, winbind, nscd, systemd.
    "/run", "/var/run",
    // Files with accounts: SSSD's cache, libnss-extrausers, libnss-cache and libnss-db, nscd.
    "/var/lib/sss", "/var/lib/extrausers", "/var/lib/misc", "/var/db", "/var/cache/nscd",
    // The file from which libnss-systemd gets random numbers.
    "/proc/sys/kernel/random/boot_id",
  ]

  /// The system calls, each with its purpose.
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
