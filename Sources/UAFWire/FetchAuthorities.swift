/// Authorities of the next request that are too long for it (PROTOCOL.md, *authorities*).
public enum FetchAuthorities {
  /// The field of *authorities*.
  enum Field: UInt8, PacketField {
    case bytes = 1

    static let rules = [
      bytes.rule(.chunk, required: true)
    ]
  }

  /// The packets that carry the bytes of authorities, each full except the last.
  ///
  /// - Throws: ``PacketError/size`` above ``WireLimit/longAuthorities``.
  static func packets(_ bytes: [UInt8]) throws(PacketError) -> [[UInt8]] {
    guard bytes.count <= WireLimit.longAuthorities else { throw .size }
    var packets: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: WireLimit.chunk) {
      var writer = PacketWriter(.fetchAuthorities)
      writer.put(Field.bytes, bytes[start..<min(start + WireLimit.chunk, bytes.count)])
      packets.append(try writer.finish())
    }
    return packets
  }

  /// Appends a packet to what has come before it.
  ///
  /// - Throws: ``PacketError`` for another packet, and for more than ``WireLimit/longAuthorities``.
  public static func append(
    _ packet: Packet, _ bytes: Span<UInt8>, to authorities: inout [UInt8]
  ) throws(PacketError) {
    guard packet.type == .fetchAuthorities, let range = packet.range(Field.bytes) else {
      throw .unexpectedType(packet.type)
    }
    guard range.count <= WireLimit.longAuthorities - authorities.count else { throw .size }
    authorities += range.map { bytes[$0] }
  }
}
