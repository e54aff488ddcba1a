import Authenticator

/// `[biometric]`: how the machine's fingerprint sensor is used.
public struct BiometricSettings: Equatable, Sendable {
  /// When the sensor is used.
  public enum Mode: String, CaseIterable, Sendable {
    /// While the value is asked for: whichever comes first counts.
    case together
    /// Before the value is asked for.
    case first
  }

  /// Whether a fingerprint is offered only where the device key is bound to a chip.
  public internal(set) var requiresChip = true
  /// Whether other enrolled prints make the fingerprint unusable until the value was entered.
  public internal(set) var isBoundToPrints = true
  /// How many touches that do not match one call allows.
  public internal(set) var maximumTries = 3
  /// How long the sensor waits.
  public internal(set) var timeout = Duration.seconds(30)
  /// When the sensor is used.
  public internal(set) var mode = Mode.together

  static var settings: [Setting<BiometricSettings>] {
    [
      .boolean("require_tpm", \.requiresChip), .boolean("invalidate_on_new_biometrics", \.isBoundToPrints),
      .integer("max_tries", \.maximumTries, 1...10), .seconds("timeout", \.timeout, 5...120), .choice("mode", \.mode),
    ]
  }
}
