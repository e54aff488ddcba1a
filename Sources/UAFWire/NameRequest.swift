/// What the core asks of uaf-name (PROTOCOL.md, *name request*).
public struct NameRequest: Equatable, Sendable {
  /// The field of *name request*.
  enum Field: UInt8, PacketField {
    case uid = 1

    static let rules = [uid.rule(.u32, required: true)]
  }

  /// The number whose name is asked for, which the core has from the kernel.
  public var uid: UInt32

  /// A question.
  public init(uid: UInt32) { self.uid = uid }

  /// The packet.
  ///
  /// - Throws: never in fact.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.nameRequest)
    writer.put(Field.uid, u32: uid)
    return try writer.finish()
  }

  /// Reads the question.
  ///
  /// - Throws: ``PacketError``.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .nameRequest else { throw .unexpectedType(packet.type) }
    guard let uid = packet.number(Field.uid, bytes) else { throw .invalidValue(.nameRequest, tag: Field.uid.tag) }
    self.init(uid: uid)
  }
}
