/// A type of authenticator as the configuration may name it, whether this version can verify it or not (features 2).
public enum ConfiguredAuthenticator: String, CaseIterable, Sendable {
  /// A text or a PIN.
  case passcode
  /// A stroke over the 3x3 grid.
  case pattern
  /// Whatever biometry the system has.
  case biometric
  /// The system's fingerprint reader.
  case fingerprint
  /// The system's face recognition.
  case face

  static var namesForPeople: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
