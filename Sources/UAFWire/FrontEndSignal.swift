/// The messages of a front end that carry no secret.
public enum FrontEndSignal: Sendable {
  /// The fields of *cancelled*.
  enum Field: UInt8, PacketField {
    case noConversation = 1
    case denied

    static let rules = [
      noConversation.rule(.mark),
      denied.rule(.mark),
    ]
  }

  case cancelled, resume
  /// Cancelled, because the host has no conversation function: there is nobody to ask.
  case noConversation
  /// Cancelled, because the person denies the text to approve.
  case denied

  /// The packet.
  public var packet: [UInt8] {
    switch self {
    case .cancelled: [PacketType.cancelled.rawValue]
    case .noConversation: [PacketType.cancelled.rawValue, Field.noConversation.tag, 0, 1, 1]
    case .denied: [PacketType.cancelled.rawValue, Field.denied.tag, 0, 1, 1]
    case .resume: [PacketType.resume.rawValue]
    }
  }

  /// What a packet says; `bytes` are those it was read from.
  ///
  /// - Throws: ``PacketError`` for another type, and for two reasons to cancel.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    switch (packet.type, packet.flag(Field.noConversation, bytes), packet.flag(Field.denied, bytes)) {
    case (.resume, _, _): self = .resume
    case (.cancelled, nil, nil): self = .cancelled
    case (.cancelled, true, nil): self = .noConversation
    case (.cancelled, nil, true): self = .denied
    case (.cancelled, _, _): throw .unexpectedField(.cancelled, tag: Field.denied.tag)
    default: throw .unexpectedType(packet.type)
    }
  }
}
