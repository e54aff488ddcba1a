import Sandbox
import UAFWire

/// The program from its start to its end.
enum FingerProgram {
  static let usage = """
    usage: uaf-finger --version
    Asks the fingerprint service for uaf-helper, which starts it with a packet socket at descriptor 3. Not for use by hand.

    """

  /// Leaves the network, gives up every privilege, and serves until the socket ends.
  ///
  /// The bus is connected to with the first packet, and the sandbox entered then.
  static func run(_ arguments: [String]) -> FingerExitStatus {
    if let hasVersion = SocketProgram.answer(
      arguments, name: "uaf-finger", version: FingerVersion.current, usage: usage)
    {
      return hasVersion ? .done : .usage
    }
    var report = SandboxReport()
    // The system bus is a socket with a path, which does not belong to the network.
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
