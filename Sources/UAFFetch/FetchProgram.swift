import CProcess
import Glibc
import Sandbox
import UAFWire

/// The program from its start to its end.
enum FetchProgram {
  /// Where the starting program leaves the socket.
  static let socket: CInt = 3

  static let usage = """
    usage: uaf-fetch --version
    Performs HTTPS exchanges for uaf-helper, which starts it with a packet socket at descriptor 3. Not for use by hand.

    """

  /// Gives up every privilege, waits for the first packet, enters its sandbox, and serves until the socket ends.
  ///
  /// Nothing of the network is touched before that, and nothing is read but what belongs to the system's libraries. A core
  /// that is kept ready sends the first packet late. The sandbox follows the links of resolv.conf, which must be today's.
  static func run(_ arguments: [String]) -> FetchExitStatus {
    guard arguments.count <= 1 else {
      guard arguments.count == 2, arguments[1] == "--version" else {
        write(usage, to: STDERR_FILENO)
        return .usage
      }
      write("uaf-fetch \(Version.current)\n", to: STDOUT_FILENO)
      return .done
    }
    do throws(PrivilegeError) {
      try ProcessPrivileges.giveUp(as: .fetch)
    } catch {
      write("uaf-fetch: \(error)\n", to: STDERR_FILENO)
      return .confinement
    }
    return serve()
  }

  private static func serve() -> FetchExitStatus {
    do throws(PacketSocketError) {
      let socket = try PacketSocket(takingOver: Self.socket)
      // A parent that died before PR_SET_PDEATHSIG took effect sends no signal; its closed socket shows it.
      guard !PeerWatch.isGone(Self.socket) else { return .done }
      guard let client = HTTPSClient(watching: Self.socket) else {
        write("uaf-fetch: libcurl cannot be used: it must be 7.85 or newer and built with OpenSSL\n", to: STDERR_FILENO)
        return .unavailable
      }
      PeerWatch.awaitPacket(Self.socket) { TLSMethods.load() }
      return try FetchService.serve(socket, with: client, in: FetchSandbox.enter())
    } catch {
      if error == .closed { return .done }
      write("uaf-fetch: \(error)\n", to: STDERR_FILENO)
      return error == .notASocket ? .usage : .malformedPacket
    }
  }

  private static func write(_ text: String, to descriptor: CInt) {
    var text = text
    // SAFETY: the bytes are valid for the call. A message that cannot be written has nowhere else to go.
    text.withUTF8 { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
