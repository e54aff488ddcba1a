/// The two messages of a front end that have no fields.
public enum FrontEndSignal: Sendable {
  case cancelled, resume

  /// The packet.
  public var packet: [UInt8] {
    switch self {
    case .cancelled: [PacketType.cancelled.rawValue]
    case .resume: [PacketType.resume.rawValue]
    }
  }
}
