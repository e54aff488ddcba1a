import CProcess
import Sandbox
import UAFWire

/// The program from its start to its end.
enum FetchProgram {
  static let usage = """
    usage: uaf-fetch --version
    Performs HTTPS exchanges for uaf-helper, which starts it with a packet socket at descriptor 3. Not for use by hand.

    """

  /// Gives up every privilege, waits for the first packet, enters its sandbox, and serves until the socket ends.
  ///
  /// Nothing of the network is touched before that, and nothing is read but what belongs to the system's libraries. A core
  /// that is kept ready sends the first packet late. The sandbox follows the links of resolv.conf, which must be today's.
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
      // A parent that died before PR_SET_PDEATHSIG took effect sends no signal; its closed socket shows it.
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
