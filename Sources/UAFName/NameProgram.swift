import Sandbox
import SecretMemory
import UAFWire

/// The program from its start to its end.
enum NameProgram {
  static let usage = """
    usage: uaf-name --version
    Asks the name services for uaf-helper, which starts it with a packet socket at descriptor 3. Not for use by hand.

    """

  /// Leaves the network, gives up every privilege, enters its sandbox, and answers one question.
  ///
  /// No plug-in of a name service is loaded before. A look-up may hang: the core ends this program then.
  static func run(_ arguments: [String]) -> NameExitStatus {
    if let hasVersion = SocketProgram.answer(arguments, name: "uaf-name", version: NameVersion.current, usage: usage) {
      return hasVersion ? .done : .usage
    }
    var report = SandboxReport()
    // Services that are asked over a socket with a path do not belong to the network.
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
