import Authenticator
import FidoResults
import UAFWire

/// Why a fingerprint cannot be used, or did not open anything.
struct FingerObstacle: Equatable {
  let result: FidoResult
  /// What the log says.
  let log: String

  init(_ result: FidoResult, log: String) {
    self.result = result
    self.log = log
  }

  /// What the sensor's state means; nil if it can be used.
  init?(_ sensor: FingerSensor) {
    let result: FidoResult
    switch sensor.state {
    case .ready: return nil
    case .noService, .noSensor: result = .biometryNotSupported
    case .busy, .denied: result = .biometryNotAvailable
    case .notEnrolled: result = .biometryNotRegistered
    case .untrusted, .failed: result = .biometryUnknown
    }
    self.init(result, log: "the sensor: \(sensor.state)" + (sensor.detail.map { " (\($0))" } ?? ""))
  }

  /// What the end of a wait means; nil for a match.
  init?(_ outcome: FingerMachine.Outcome?) {
    switch outcome {
    case .matched: return nil
    case .exhausted, .timedOut: self.init(.biometryAuthenticationFailed, log: "no touch matched")
    case .locked: self.init(.biometryLocked, log: "no touch matched; now locked")
    case .failed(.sensorGone): self.init(.biometryNotAvailable, log: "the sensor was unplugged")
    case .failed(let cause):
      self.init(.biometryUnknown, log: "the sensor: " + (cause.map { "\($0)" } ?? "uaf-finger broke off"))
    case nil: self.init(.biometryUnknown, log: "the sensor still waits")
    }
  }

  /// The same as the end of a call.
  var ending: Ending { Ending(result, log: log, types: [.fingerprint]) }
}
