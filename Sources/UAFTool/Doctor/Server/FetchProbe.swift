import ChildProcess
import Glibc
import SecretMemory
import UAFWire

/// One exchange through uaf-fetch, started as the core starts it.
struct FetchProbe {
  let path: String

  // Beyond the exchange itself: what starting and confining the program may take.
  private static let patienceMilliseconds: UInt32 = 5000

  /// The head of the outcome; nil if the program cannot be started, ends, or says what PROTOCOL.md does not have.
  func exchange(_ request: FetchRequest) -> FetchResponse? {
    guard let ends = try? PacketSocket.pair() else { return nil }
    guard let socket = try? PacketSocket(takingOver: ends.mine) else { return nil }
    let started = try? ChildProcess(starting: path, socket: ends.theirs)
    close(ends.theirs)
    guard let started else { return nil }
    let response = Self.exchange(request, over: socket)
    _ = consume socket
    started.reap()
    return response
  }

  private static func exchange(_ request: FetchRequest, over socket: borrowing PacketSocket) -> FetchResponse? {
    guard let packet = try? request.packet(), (try? socket.send(packet)) != nil,
      var buffer = try? Secret(capacity: WireLimit.packet + 1)
    else { return nil }
    let timeout = Int32(clamping: request.timeoutMilliseconds + patienceMilliseconds)
    guard let answer = try? socket.receive(into: &buffer, timeoutMilliseconds: timeout) else { return nil }
    return buffer.withBytes { bytes in try? FetchResponse(answer, bytes) }
  }
}
