/// Why the sensor no longer waits (PROTOCOL.md, *end*).
public struct FingerEnd: Equatable, Sendable {
  /// The fields of *end*.
  enum Field: UInt8, PacketField {
    case cause = 1
    case detail

    static let rules = [cause.rule(.u8, required: true), detail.rule(.text(WireLimit.fingerDetail))]
  }

  /// The causes.
  public enum Cause: UInt8, CaseIterable, Sendable {
    /// The core has ended it.
    case stopped = 0
    /// The service reported a failure.
    case failed = 1
    /// The sensor was unplugged.
    case sensorGone = 2
    /// The service ended, or its name has another owner than when the sensor was claimed.
    case serviceGone = 3
  }

  /// The cause.
  public var cause: Cause
  /// What the log says about it.
  public var detail: String?

  /// An end.
  public init(_ cause: Cause, detail: String? = nil) {
    self.cause = cause
    self.detail = detail
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` for a text that is too long.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fingerEnd)
    writer.put(Field.cause, u8: cause.rawValue)
    writer.put(Field.detail, text: detail)
    return try writer.finish()
  }

  /// Reads it.
  ///
  /// - Throws: ``PacketError``, also for an unknown cause.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fingerEnd else { throw .unexpectedType(packet.type) }
    self.init(try packet.meaning(of: Field.cause, bytes), detail: packet.text(Field.detail, bytes))
  }
}
