/// A part of a response body (PROTOCOL.md, *chunk*).
public enum FetchChunk {
  /// The field of *chunk*.
  enum Field: UInt8, PacketField {
    case bytes = 1

    static let rules = [
      bytes.rule(.chunk, required: true)
    ]
  }

  /// The packets that carry `body`, each full except the last; none for an empty body.
  ///
  /// - Throws: ``PacketError/size`` if the body is above ``WireLimit/responseBody``.
  public static func packets(_ body: [UInt8]) throws(PacketError) -> [[UInt8]] {
    guard body.count <= WireLimit.responseBody else { throw .size }
    var packets: [[UInt8]] = []
    for start in stride(from: 0, to: body.count, by: WireLimit.chunk) {
      var writer = PacketWriter(.fetchChunk)
      writer.put(Field.bytes, body[start..<min(start + WireLimit.chunk, body.count)])
      packets.append(try writer.finish())
    }
    return packets
  }

  /// Appends a chunk to `body`, of which `total` bytes are announced.
  ///
  /// - Throws: ``PacketError`` for another packet, or a chunk that is not exactly as long as the
  ///   next one must be.
  public static func append(
    _ packet: Packet, _ bytes: Span<UInt8>, to body: inout [UInt8], total: Int
  ) throws(PacketError) {
    guard packet.type == .fetchChunk, let range = packet.range(Field.bytes) else { throw .unexpectedType(packet.type) }
    guard range.count == min(WireLimit.chunk, total - body.count) else {
      throw .invalidValue(.fetchChunk, tag: Field.bytes.tag)
    }
    body += range.map { bytes[$0] }
  }
}
