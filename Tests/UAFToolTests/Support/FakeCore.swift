import Glibc
import SecretMemory
import UAFWire

@testable import UAFTool

/// A core whose messages are in the socket before uafctl asks.
///
/// What uafctl has sent is checked afterwards.
///
/// After the messages comes the end of the stream, so that uafctl cannot hang if it waits for one more.
final class FakeCore: CoreSource {
  /// The messages for each connection.
  ///
  /// The last entry also serves all further connections.
  private var scripts: [[[UInt8]]]
  private let refusal: ToolError?
  /// Whether the core closes its end immediately, without reading everything.
  private let isGone: Bool
  private var theirs: CInt = -1
  /// For each connection, whether uafctl demanded a core of its own.
  private(set) var startedOwn: [Bool] = []

  init(_ script: [CoreMessage], isGone: Bool = false) {
    scripts = [script.compactMap { try? $0.packet() }]
    refusal = nil
    self.isGone = isGone
  }

  init(each scripts: [[CoreMessage]]) {
    self.scripts = scripts.map { $0.compactMap { try? $0.packet() } }
    refusal = nil
    isGone = false
  }

  init(raw packets: [[UInt8]]) {
    scripts = [packets]
    refusal = nil
    isGone = false
  }

  init(refusing error: ToolError) {
    scripts = []
    refusal = error
    isGone = false
  }

  deinit { if theirs >= 0 { close(theirs) } }

  func connect(startsOwn: Bool) throws(ToolError) -> CoreConnection {
    startedOwn.append(startsOwn)
    if let refusal { throw refusal }
    let packets = scripts.count > 1 ? scripts.removeFirst() : scripts.first ?? []
    if theirs >= 0 { close(theirs) }
    do throws(PacketSocketError) {
      let ends = try PacketSocket.pair()
      theirs = ends.theirs
      for packet in packets {
        // SAFETY: the array lives for the call.
        _ = unsafe send(theirs, packet, packet.count, CInt(MSG_NOSIGNAL))
      }
      if isGone {
        close(theirs)
        theirs = -1
      } else {
        shutdown(theirs, CInt(SHUT_WR))
      }
      return CoreConnection(try PacketSocket(takingOver: ends.mine))
    } catch {
      throw .core(.absent(0))
    }
  }

  /// All packets that uafctl has sent, once it has closed its end.
  func received() -> [[UInt8]] {
    var all: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0, count: WireLimit.packet)
    while true {
      // SAFETY: the buffer is as long as announced.
      let count = unsafe recv(theirs, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      guard count > 0 else { return all }
      all.append(Array(buffer[..<count]))
    }
  }
}
