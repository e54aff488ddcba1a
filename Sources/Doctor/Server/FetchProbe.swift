import ChildProcess
import Glibc
import SecretMemory
import UAFWire

/// One exchange through uaf-fetch, started as the core starts it.
struct FetchProbe {
  let path: String

  // Added to the time of the exchange: the time to start the program and its sandbox.
  private static let patienceMilliseconds: UInt32 = 5000

  /// The outcome; nil if the program cannot be started, ends early, or sends something that is not in PROTOCOL.md.
  func exchange(_ request: FetchRequest) -> FetchAnswer? {
    guard let ends = try? PacketSocket.pair() else { return nil }
    guard let socket = try? PacketSocket(takingOver: ends.mine) else { return nil }
    let started = try? ChildProcess(starting: path, socket: ends.theirs)
    close(ends.theirs)
    guard let started else { return nil }
    let answer = try? Self.exchange(request, over: socket)
    _ = consume socket
    started.reap()
    return answer
  }

  private static func exchange(_ request: FetchRequest, over socket: borrowing PacketSocket) throws -> FetchAnswer {
    for packet in try request.packets() { try socket.send(packet) }
    var buffer = try Secret(capacity: WireLimit.packet + 1)
    let timeout = Int32(clamping: request.timeoutMilliseconds + patienceMilliseconds)
    let head = try socket.receive(into: &buffer, timeoutMilliseconds: timeout)
    var answer = FetchAnswer(
      response: try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in try FetchResponse(head, bytes) })
    let total = Int(answer.response.bodyLength)
    while answer.body.count < total {
      let chunk = try socket.receive(into: &buffer, timeoutMilliseconds: Int32(patienceMilliseconds))
      try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in
        try FetchChunk.append(chunk, bytes, to: &answer.body, total: total)
      }
    }
    return answer
  }
}
