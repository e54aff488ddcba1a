/// A request of the core to uaf-finger (docs/protocol.md, *ask*).
public struct FingerAsk: Equatable, Sendable {
  /// The fields of *ask*.
  enum Field: UInt8, PacketField {
    case wish = 1
    case account, service

    static let rules = [
      wish.rule(.u8, required: true), account.rule(.text(WireLimit.fingerAccount), required: true),
      service.rule(.text(WireLimit.fingerService)),
    ]
  }

  /// What the core requests.
  public enum Wish: UInt8, CaseIterable, Sendable {
    /// Report whether there is a sensor, and whether the account has fingers enrolled, without claiming the sensor.
    case look = 1
    /// Claim the sensor for the account, if it is not claimed yet, and compare one touch.
    case compare = 2
  }

  /// What the core requests.
  public var wish: Wish
  /// The account's name; not empty, at most ``WireLimit/fingerAccount`` bytes.
  public var account: String
  /// The name of the service on the system bus; nil for fprintd.
  ///
  /// It is not empty, and has at most ``WireLimit/fingerService`` bytes.
  public var service: String?

  /// Makes a request.
  public init(_ wish: Wish, account: String, service: String? = nil) {
    self.wish = wish
    self.account = account
    self.service = service
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` for a name that is too long.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fingerAsk)
    writer.put(Field.wish, u8: wish.rawValue)
    writer.put(Field.account, text: account)
    writer.put(Field.service, text: service)
    return try writer.finish()
  }

  /// Reads the request.
  ///
  /// - Throws: ``PacketError``, including for an unknown wish or an empty name.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fingerAsk else { throw .unexpectedType(packet.type) }
    let wish: Wish = try packet.meaning(of: Field.wish, bytes)
    guard let account = packet.text(Field.account, bytes), !account.isEmpty else {
      throw .invalidValue(.fingerAsk, tag: Field.account.tag)
    }
    let service = packet.text(Field.service, bytes)
    guard service?.isEmpty != true else { throw .invalidValue(.fingerAsk, tag: Field.service.tag) }
    self.init(wish, account: account, service: service)
  }

  /// The packet with which the core ends a comparison and releases the sensor (docs/protocol.md, *stop*).
  ///
  /// - Throws: nothing in practice.
  public static func stop() throws(PacketError) -> [UInt8] { try PacketWriter(.fingerStop).finish() }
}

/// The result of a touch (docs/protocol.md, *touch*).
public enum FingerTouch: UInt8, CaseIterable, Sendable {
  /// The field of *touch*.
  enum Field: UInt8, PacketField {
    case outcome = 1

    static let rules = [outcome.rule(.u8, required: true)]
  }

  /// The finger is one of the account's enrolled fingers.
  case matched = 0
  /// The finger is not one of the account's enrolled fingers.
  case notMatched = 1
  /// The finger could not be read, so no comparison was made, and the sensor keeps waiting.
  case scanAgain = 2
  /// As `scanAgain`, because the swipe was too short.
  case tooShort = 3
  /// As `scanAgain`, because the finger was not in the middle.
  case notCentred = 4
  /// As `scanAgain`, because the finger must be lifted first.
  case liftFirst = 5
  /// As `scanAgain`, because the finger was lifted too soon.
  case tooFast = 6

  /// Whether a comparison was made.
  public var isCompared: Bool { self == .matched || self == .notMatched }

  /// The packet.
  ///
  /// - Throws: nothing in practice.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.fingerTouch)
    writer.put(Field.outcome, u8: rawValue)
    return try writer.finish()
  }

  /// Reads the touch.
  ///
  /// - Throws: ``PacketError``, including for an unknown outcome.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fingerTouch else { throw .unexpectedType(packet.type) }
    self = try packet.meaning(of: Field.outcome, bytes)
  }
}

/// Why the sensor no longer waits (docs/protocol.md, *end*).
public struct FingerEnd: Equatable, Sendable {
  /// The fields of *end*.
  enum Field: UInt8, PacketField {
    case cause = 1
    case detail

    static let rules = [cause.rule(.u8, required: true), detail.rule(.text(WireLimit.fingerDetail))]
  }

  /// The reasons.
  public enum Cause: UInt8, CaseIterable, Sendable {
    /// The core ended the wait.
    case stopped = 0
    /// The service reported a failure.
    case failed = 1
    /// The sensor was unplugged.
    case sensorGone = 2
    /// The service ended, or the owner of its name has changed since the sensor was claimed.
    case serviceGone = 3
  }

  /// The cause.
  public var cause: Cause
  /// The text for the log.
  public var detail: String?

  /// Makes a report about the end.
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

  /// Reads a report about the end.
  ///
  /// - Throws: ``PacketError``, including for an unknown cause.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fingerEnd else { throw .unexpectedType(packet.type) }
    self.init(try packet.meaning(of: Field.cause, bytes), detail: packet.text(Field.detail, bytes))
  }
}

/// The state of the sensor for an account (docs/protocol.md, *sensor*).
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
    /// The sensor can be used, or is already waiting for a touch.
    case ready = 0
    /// There is no fingerprint service on this machine, or it cannot be started.
    case noService = 1
    /// The service knows no sensor.
    case noSensor = 2
    /// Another program has claimed the sensor.
    case busy = 3
    /// The account has no finger enrolled.
    case notEnrolled = 4
    /// The service does not permit this program to act for the account: a polkit rule is missing.
    case denied = 5
    /// The process that owns the service's name on the bus does not run as root.
    case untrusted = 6
    /// Any other failure.
    case failed = 7
  }

  /// The state.
  public var state: State
  /// The enrolled fingers, as the service names them.
  public var fingers: [String]
  /// The text for the log.
  public var detail: String?
  /// The parts of uaf-finger's sandbox that are not in force.
  public var missing: String?

  /// Makes a report.
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
  /// - Throws: ``PacketError``, including for an unknown state.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .fingerSensor else { throw .unexpectedType(packet.type) }
    self.init(
      try packet.meaning(of: Field.state, bytes), fingers: packet.texts(Field.finger, bytes),
      detail: packet.text(Field.detail, bytes), missing: packet.text(Field.missing, bytes))
  }
}
