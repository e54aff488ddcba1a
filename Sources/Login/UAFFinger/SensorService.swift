import UAFWire

/// A service of the system bus that compares people, in the form that fprintd has: the names of everything follow from its own.
struct SensorService: Equatable {
  /// Its name on the bus.
  let name: String
  /// The method that lists what an account has enrolled; nil if the service has none.
  let listing: String?

  private init(name: String, listing: String?) {
    self.name = name
    self.listing = listing
  }

  /// The fingerprint service.
  static let fprintd = SensorService(name: "net.reactivated.Fprint", listing: "ListEnrolledFingers")

  /// The service that a request of the core names; nil stands for fprintd.
  ///
  /// Only fprintd lists what is enrolled: the form that other services share has no such method.
  init(named name: String?) { self = name.map { SensorService(name: $0, listing: nil) } ?? .fprintd }

  /// The interface of a sensor.
  var deviceInterface: String { "\(name).Device" }

  /// The call that answers with the path of the default sensor.
  var defaultDevice: BusCall {
    let path = "/" + name.split(separator: ".").joined(separator: "/") + "/Manager"
    return BusCall(
      destination: name, path: path, interface: "\(name).Manager", member: "GetDefaultDevice", arguments: [])
  }

  /// The name of one of its errors.
  func error(_ name: String) -> String { "\(self.name).Error.\(name)" }
}

/// A sensor of the service, and the connection whose signals about it are accepted.
///
/// This type does no input or output: the meaning of a signal depends only on its members.
struct SensorClaim: Equatable {
  /// The service that the sensor belongs to.
  let service: SensorService
  /// The unique name of the bus connection that owned the service's name when the sensor was found.
  let owner: String
  /// The object path of the sensor.
  let path: String

  /// The meaning of a signal.
  enum Meaning: Equatable {
    /// A touch. After a touch that was compared, the service must be told to end the comparison.
    case touch(FingerTouch)
    /// The sensor no longer waits for a finger.
    case end(FingerEnd.Cause)
  }

  /// What a signal means; nil if it has no meaning here, or does not come from the service.
  func meaning(of signal: BusSignal) -> Meaning? {
    if signal.interface == "org.freedesktop.DBus", signal.member == "NameOwnerChanged" {
      guard signal.sender == "org.freedesktop.DBus", signal.texts.first == service.name else { return nil }
      return signal.texts.last == owner ? nil : .end(.serviceGone)
    }
    guard signal.sender == owner, signal.path == path, signal.interface == service.deviceInterface,
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

  /// A call to the sensor.
  ///
  /// It is addressed to the connection, not to the service's name, so a later owner of that name never receives it.
  func call(_ member: String, _ arguments: String...) -> BusCall {
    BusCall(destination: owner, path: path, interface: service.deviceInterface, member: member, arguments: arguments)
  }

  /// Match rules for the signals that the bus should send to this program.
  var matches: [String] {
    [
      "type='signal',sender='\(owner)',path='\(path)',interface='\(service.deviceInterface)'",
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
        + "arg0='\(service.name)'",
    ]
  }
}

/// Why the sensor cannot be used.
struct SensorTrouble: Error, Equatable {
  let state: FingerSensor.State
  let detail: String?

  init(_ state: FingerSensor.State, detail: String? = nil) {
    self.state = state
    self.detail = detail
  }

  /// The trouble that an error of the bus or of a service stands for.
  init(_ error: BusError, of service: SensorService) {
    self.init(Self.state(of: error, service), detail: "\(error)")
  }

  private static func state(of error: BusError, _ service: SensorService) -> FingerSensor.State {
    guard case .answered(let name, _) = error else { return .failed }
    if name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") { return .noService }
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked":
      return .noService
    case service.error("NoSuchDevice"): return .noSensor
    case service.error("NoEnrolledPrints"): return .notEnrolled
    case service.error("AlreadyInUse"): return .busy
    case service.error("PermissionDenied"), "org.freedesktop.DBus.Error.AccessDenied": return .denied
    default: return .failed
    }
  }

  /// The trouble, as a report to the core.
  var report: FingerSensor { FingerSensor(state, detail: detail) }
}
