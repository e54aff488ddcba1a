import UAFWire

/// A sensor of the service, and whose signals about it count.
///
/// A value without input or output: what a signal means depends on nothing else.
struct SensorClaim: Equatable {
  /// The name under which the service is found.
  static let service = "net.reactivated.Fprint"
  /// The interface of a sensor.
  static let interface = "net.reactivated.Fprint.Device"

  /// The unique name of the connection that owned the service's name when the sensor was looked for.
  let owner: String
  /// The sensor.
  let path: String

  /// What a signal says.
  enum Meaning: Equatable {
    /// A touch; after one that was compared, the comparison has to be ended at the service.
    case touch(FingerTouch)
    /// The sensor waits no more.
    case end(FingerEnd.Cause)
  }

  /// What a signal means; nil if it means nothing here, or comes from anybody else.
  func meaning(of signal: BusSignal) -> Meaning? {
    if signal.interface == "org.freedesktop.DBus", signal.member == "NameOwnerChanged" {
      guard signal.sender == "org.freedesktop.DBus", signal.texts.first == Self.service else { return nil }
      return signal.texts.last == owner ? nil : .end(.serviceGone)
    }
    guard signal.sender == owner, signal.path == path, signal.interface == Self.interface,
      signal.member == "VerifyStatus", signal.texts.count == 1, let isDone = signal.flag
    else { return nil }
    return meaning(of: signal.texts[0], isDone: isDone)
  }

  private func meaning(of status: String, isDone: Bool) -> Meaning? {
    switch status {
    case "verify-match": isDone ? .touch(.matched) : nil
    case "verify-no-match": isDone ? .touch(.notMatched) : nil
    case "verify-retry-scan": .touch(.scanAgain)
    case "verify-swipe-too-short": .touch(.tooShort)
    case "verify-finger-not-centered": .touch(.notCentred)
    case "verify-remove-and-retry": .touch(.liftFirst)
    case "verify-too-fast": .touch(.tooFast)
    case "verify-disconnected": .end(.sensorGone)
    default: isDone ? .end(.failed) : nil
    }
  }

  /// A call of the sensor.
  ///
  /// It goes to the connection and not to the name, so another owner of the name never gets it.
  func call(_ member: String, _ arguments: String...) -> BusCall {
    BusCall(destination: owner, path: path, interface: Self.interface, member: member, arguments: arguments)
  }

  /// The signals that the bus has to pass on.
  var matches: [String] {
    [
      "type='signal',sender='\(owner)',path='\(path)',interface='\(Self.interface)'",
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
        + "arg0='\(Self.service)'",
    ]
  }
}
