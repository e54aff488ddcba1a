import Glibc
import Sandbox
import UAFWire

/// The program from its start to its end.
enum FingerProgram {
  /// Where the starting program leaves the socket.
  static let socket: CInt = 3

  static let usage = """
    usage: uaf-finger --version
    Asks the fingerprint service for uaf-helper, which starts it with a packet socket at descriptor 3. Not for use by hand.

    """

  /// Leaves the network, gives up every privilege, and serves until the socket ends.
  ///
  /// The bus is connected to with the first packet, and the sandbox entered then.
  static func run(_ arguments: [String]) -> FingerExitStatus {
    guard arguments.count <= 1 else {
      guard arguments.count == 2, arguments[1] == "--version" else {
        write(usage, to: STDERR_FILENO)
        return .usage
      }
      write("uaf-finger \(FingerVersion.current)\n", to: STDOUT_FILENO)
      return .done
    }
    var report = SandboxReport()
    // The system bus is a socket with a path, which does not belong to the network.
    report.note(.network, NetworkNamespace.leave())
    do throws(PrivilegeError) {
      try ProcessPrivileges.giveUp(as: .finger)
    } catch {
      write("uaf-finger: \(error)\n", to: STDERR_FILENO)
      return .confinement
    }
    do throws(PacketSocketError) {
      try FingerService.serve(try PacketSocket(takingOver: Self.socket), on: Self.socket, in: report)
      return .done
    } catch {
      if error == .closed { return .done }
      write("uaf-finger: \(error)\n", to: STDERR_FILENO)
      return error == .notASocket ? .usage : .malformedPacket
    }
  }

  private static func write(_ text: String, to descriptor: CInt) {
    var text = text
    // SAFETY: the bytes are valid for the call. A message that cannot be written has nowhere else to go.
    text.withUTF8 { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
