import SecretMemory

/// The person's entry (PROTOCOL.md, *answer*).
///
/// It never leaves the memory of a `Secret`.
public enum Answer {
  /// The field of *answer*.
  enum Field: UInt8, PacketField {
    case value = 1

    static let rules = [
      value.rule(.name(WireLimit.answer), required: true)
    ]
  }

  /// The packet that carries `value`, which has at most ``WireLimit/answer`` bytes and no NUL.
  ///
  /// - Throws: ``PacketError`` if the value does not fit, or if there is no memory (`size`).
  public static func packet(_ value: borrowing Secret) throws(PacketError) -> Secret {
    guard value.count <= WireLimit.answer else { throw .invalidValue(.answer, tag: Field.value.tag) }
    let count = value.count
    guard var packet = try? Secret(capacity: count + 4) else { throw .size }
    // SAFETY: the packet has room for the header's four bytes and the value.
    unsafe packet.refill { buffer in
      let header: [UInt8] = [PacketType.answer.rawValue, Field.value.tag, UInt8(count >> 8), UInt8(count & 0xff)]
      for (index, byte) in header.enumerated() { unsafe buffer[index] = byte }
      value.withBytes { span in
        for index in span.indices { unsafe buffer[index + 4] = span[index] }
      }
      return count + 4
    }
    try packet.withBytes { (span: Span<UInt8>) throws(PacketError) in _ = try Packet(span) }
    return packet
  }

  /// The value of an *answer* in the buffer it was received into, as a secret of its own.
  ///
  /// - Throws: ``PacketError`` for any other packet, or if there is no memory (`size`).
  public static func value(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret {
    guard packet.type == .answer, let range = packet.range(Field.value) else { throw .unexpectedType(packet.type) }
    return try buffer.withBytes { (span: Span<UInt8>) throws(PacketError) -> Secret in
      guard let value = try? Secret(copying: span.extracting(range)) else { throw .size }
      return value
    }
  }
}
