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
    return try PacketWriter(.answer).finish(endingWith: Field.value, value)
  }

  /// The value of an *answer* in the buffer it was received into, as a secret of its own.
  ///
  /// - Throws: ``PacketError`` for any other packet, or if there is no memory (`size`).
  public static func value(_ packet: Packet, in buffer: borrowing Secret) throws(PacketError) -> Secret {
    guard packet.type == .answer, let value = try packet.secret(Field.value, in: buffer) else {
      throw .unexpectedType(packet.type)
    }
    return value
  }
}
