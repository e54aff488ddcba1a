import UAFWire

/// Why the sensor cannot be used.
struct SensorTrouble: Error, Equatable {
  let state: FingerSensor.State
  let detail: String?

  init(_ state: FingerSensor.State, detail: String? = nil) {
    self.state = state
    self.detail = detail
  }

  /// What an error of the bus or of the service means.
  init(_ error: BusError) {
    self.init(Self.state(of: error), detail: "\(error)")
  }

  private static func state(of error: BusError) -> FingerSensor.State {
    guard case .answered(let name, _) = error else { return .failed }
    if name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") { return .noService }
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked":
      return .noService
    case "net.reactivated.Fprint.Error.NoSuchDevice": return .noSensor
    case "net.reactivated.Fprint.Error.NoEnrolledPrints": return .notEnrolled
    case "net.reactivated.Fprint.Error.AlreadyInUse": return .busy
    case "net.reactivated.Fprint.Error.PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied": return .denied
    default: return .failed
    }
  }

  /// The report of it.
  var report: FingerSensor { FingerSensor(state, detail: detail) }
}
