import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFWire

/// Has uaf-name ask the machine's name services, and waits for the answer for a limited time.
struct NameProcess {
  /// The program's path.
  let program: String
  /// How long the answer is waited for, in milliseconds: a directory that is away is no reason to keep a person waiting longer.
  var patience: Int32 = 5000
  /// Told which parts of the program's sandbox are missing.
  var report: (String) -> Void = { _ in }

  /// The name of a number.
  ///
  /// The program is ended before this returns, whatever it does: a plug-in may hang in it.
  func name(of uid: UInt32) -> DirectoryName {
    do {
      let ends = try PacketSocket.pair()
      let socket = try PacketSocket(takingOver: ends.mine)
      let process: ChildProcess
      do {
        defer { close(ends.theirs) }
        process = try ChildProcess(starting: program, socket: ends.theirs)
      }
      defer { process.end() }
      return try ask(uid, over: socket)
    } catch { return .failed("uaf-name: \(error)") }
  }

  /// Asks over a socket that a program answers.
  func ask(_ uid: UInt32, over socket: borrowing PacketSocket) throws -> DirectoryName {
    var buffer = try Secret(capacity: WireLimit.packet + 1)
    try socket.send(NameRequest(uid: uid).packet())
    let packet: Packet
    do throws(PacketSocketError) {
      packet = try socket.receive(into: &buffer, timeoutMilliseconds: patience)
    } catch {
      guard error == .timedOut else { throw error }
      return .failed("the name services did not answer in \(patience) ms")
    }
    let answer = try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in try NameAnswer(packet, bytes) }
    if let missing = answer.missing { report(missing) }
    switch answer.outcome {
    case .found: return answer.name.map(DirectoryName.found) ?? .unknown
    case .unknown: return .unknown
    case .ambiguous: return .ambiguous
    case .failed: return .failed("a name service failed: errno \(answer.number ?? 0)")
    }
  }
}
