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

  /// The first version of the protocol in which a person can deny.
  private static let firstVersionWithDenial: UInt16 = 3

  /// What a packet says; `bytes` are those it was read from.
  ///
  /// - Parameter version: the version that the front end speaks.
  /// - Throws: ``PacketError`` for another type, for two reasons to cancel, and for a field that the version does not have.
  public init(
    _ packet: Packet, _ bytes: Span<UInt8>, version: UInt16 = Begin.currentVersion
  ) throws(PacketError) {
    switch (packet.type, packet.flag(Field.noConversation, bytes), packet.flag(Field.denied, bytes)) {
    case (.resume, _, _): self = .resume
    case (.cancelled, nil, nil): self = .cancelled
    case (.cancelled, true, nil): self = .noConversation
    case (.cancelled, nil, true) where version >= Self.firstVersionWithDenial: self = .denied
    case (.cancelled, _, _): throw .unexpectedField(.cancelled, tag: Field.denied.tag)
    default: throw .unexpectedType(packet.type)
    }
  }
}
