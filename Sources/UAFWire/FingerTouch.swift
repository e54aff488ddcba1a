/// What came of a touch (PROTOCOL.md, *touch*).
public enum FingerTouch: UInt8, CaseIterable, Sendable {
  /// The field of *touch*.
  enum Field: UInt8, PacketField {
    case outcome = 1

    static let rules = [outcome.rule(.u8, required: true)]
  }

  /// The finger is one of the account's.
  case matched = 0
  /// It is not.
  case notMatched = 1
  /// It could not be read, and no comparison was made: the sensor goes on waiting.
  case scanAgain = 2
  /// The same: the swipe was too short.
  case tooShort = 3
  /// The same: the finger did not lie in the middle.
  case notCentred = 4
  /// The same: the finger has to be lifted first.
  case liftFirst = 5
  /// The same: the finger was lifted too soon.
  case tooFast = 6

  /// Whether a comparison was made.
  public var isCompared: Bool { self == .matched || self == .notMatched }

  /// The packet.
  ///
  /// - Throws: never in fact.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fingerTouch)
    writer.put(Field.outcome, u8: rawValue)
    return try writer.finish()
  }

  /// Reads it.
  ///
  /// - Throws: ``PacketError``, also for an unknown outcome.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fingerTouch else { throw .unexpectedType(packet.type) }
    self = try packet.meaning(of: Field.outcome, bytes)
  }
}
