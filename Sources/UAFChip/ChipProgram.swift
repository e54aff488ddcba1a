import CProcess
import Glibc
import SecretMemory
import UAFCrypto
import UAFWire

/// The program from its start to its end: a copy of it for each request, which answers and ends.
///
/// The chip is open only while a copy is at work: a device or a socket that serves one program at a time is free while a person
/// types. The program itself opens nothing and reads nothing of a request.
enum ChipProgram {
  static let usage = """
    usage: uaf-chip --version
    Seals or opens the device key with a TPM for uaf-helper, which starts it with a packet socket at descriptor 3. Not for \
    use by hand.

    """

  /// Waits for requests, and has each answered by a copy of itself, until the core closes its socket.
  static func run(_ arguments: [String]) -> ChipExitStatus {
    if let hasVersion = SocketProgram.answer(arguments, name: "uaf-chip", version: ChipVersion.current, usage: usage) {
      return hasVersion ? .done : .usage
    }
    guard let networkFailure = ChipPrivileges.prepare() else { return .confinement }
    // Read before the sandbox hides it, and before a request is there: the core is still at work.
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
      // One at a time: the core sends the next request when it has the answer.
      guard reap(copy) == ChipExitStatus.done.rawValue else { return .malformedPacket }
    }
  }

  /// What there is at the socket.
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

  /// Waits for the end of a copy; returns how it ended, or -1 if something has ended it.
  private static func reap(_ copy: pid_t) -> Int32 {
    var status: CInt = 0
    // SAFETY: `status` lives for the call, and the number belongs to this child alone until it is reaped.
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
