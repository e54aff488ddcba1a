import SecretMemory
import UAFCrypto
import UAFWire

/// The program from its start to its end: one request, one answer.
enum ChipProgram {
  static let usage = """
    usage: uaf-chip --version
    Seals or opens the device key with a TPM for uaf-helper, which starts it with a packet socket at descriptor 3. Not for \
    use by hand.

    """

  /// Waits for its request, opens the chip, enters its sandbox, answers, and ends.
  static func run(_ arguments: [String]) -> ChipExitStatus {
    if let hasVersion = SocketProgram.answer(arguments, name: "uaf-chip", version: ChipVersion.current, usage: usage) {
      return hasVersion ? .done : .usage
    }
    guard let networkFailure = ChipPrivileges.prepare() else { return .confinement }
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
    // Read before the sandbox hides it, and before the request is there: the core is still at work.
    OpenSSLConfiguration.load()
    guard var buffer = try? Secret(capacity: WireLimit.packet + 1) else { return .unavailable }
    let packet = try socket.receive(into: &buffer, timeoutMilliseconds: -1)
    let request = try buffer.withBytes { (span: Span<UInt8>) throws(PacketSocketError) in
      do throws(PacketError) { return try ChipRequest(packet, span) } catch { throw .malformed(error) }
    }
    var work = ChipWork(request, network: networkFailure)
    do throws(ChipFailure) { try work.perform(sealing: try? ChipRequest.key(packet, in: buffer)) } catch {
      work.fail(error)
    }
    guard let answer = try? work.packet() else { return .unavailable }
    try socket.send(answer)
    return .done
  }
}
