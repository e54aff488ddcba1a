/// How the sensor stands for an account (PROTOCOL.md, *sensor*).
public struct FingerSensor: Equatable, Sendable {
  /// The fields of *sensor*.
  enum Field: UInt8, PacketField {
    case state = 1
    case finger, detail, missing

    static let rules = [
      state.rule(.u8, required: true), finger.rule(.text(64), repeats: WireLimit.fingers),
      detail.rule(.text(WireLimit.fingerDetail)), missing.rule(.text(64)),
    ]
  }

  /// The states of a sensor.
  public enum State: UInt8, CaseIterable, Sendable {
    /// It can be used, or is waiting for a touch already.
    case ready = 0
    /// There is no fingerprint service on this machine, or it cannot be started.
    case noService = 1
    /// The service knows no sensor.
    case noSensor = 2
    /// Another program has claimed it.
    case busy = 3
    /// The account has no finger enrolled.
    case notEnrolled = 4
    /// The service does not let this program ask for the account: a polkit rule is missing.
    case denied = 5
    /// Who answers under the service's name is not root's.
    case untrusted = 6
    /// Anything else.
    case failed = 7
  }

  /// The state.
  public var state: State
  /// The enrolled fingers, as the service names them.
  public var fingers: [String]
  /// What the log says about it.
  public var detail: String?
  /// The parts of uaf-finger's sandbox that are not in force.
  public var missing: String?

  /// A report.
  public init(_ state: State, fingers: [String] = [], detail: String? = nil, missing: String? = nil) {
    self.state = state
    self.fingers = fingers
    self.detail = detail
    self.missing = missing
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` for too many or too long names.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fingerSensor)
    writer.put(Field.state, u8: state.rawValue)
    for finger in fingers { writer.put(Field.finger, text: finger) }
    writer.put(Field.detail, text: detail)
    writer.put(Field.missing, text: missing)
    return try writer.finish()
  }

  /// Reads the report.
  ///
  /// - Throws: ``PacketError``, also for an unknown state.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fingerSensor else { throw .unexpectedType(packet.type) }
    self.init(
      try packet.meaning(of: Field.state, bytes), fingers: packet.texts(Field.finger, bytes),
      detail: packet.text(Field.detail, bytes), missing: packet.text(Field.missing, bytes))
  }
}
