/// The messages of a front end that say nothing but themselves.
public enum FrontEndSignal: Sendable {
  case cancelled, resume
  /// Cancelled, because the host has no conversation function: there is nobody to ask.
  case noConversation

  /// The packet.
  public var packet: [UInt8] {
    switch self {
    case .cancelled: [PacketType.cancelled.rawValue]
    case .noConversation: [PacketType.cancelled.rawValue, 1, 0, 1, 1]
    case .resume: [PacketType.resume.rawValue]
    }
  }

  /// Whether a packet says ``noConversation``; `bytes` are those it was read from.
  public static func saysNoConversation(_ packet: Packet, _ bytes: Span<UInt8>) -> Bool {
    packet.type == .cancelled && packet.flag(1, bytes) == true
  }
}
