import Authenticator

/// A type of authenticator that the configuration may name, also one that this version cannot verify.
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

  /// The type of a name, or of the AAID of one that this version can verify; nil if there is none.
  init?(nameOrAAID text: String) {
    guard let type = Self(rawValue: AuthenticatorType(nameOrAAID: text)?.rawValue ?? text) else { return nil }
    self = type
  }

  static var namesForPeople: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
