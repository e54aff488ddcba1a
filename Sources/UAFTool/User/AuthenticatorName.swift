import Authenticator
import UAFConfiguration

/// What an authenticator can be called on the command line.
enum AuthenticatorName {
  /// Those that this version has, as shells complete them.
  static let shown = AuthenticatorType.allCases.map(\.rawValue)

  /// Whether `name` is a type that a configuration may name, or has the form of an AAID (`5541#0001`).
  static func isPossible(_ name: String) -> Bool {
    ConfiguredAuthenticator(rawValue: name) != nil || name.utf8.count == 9 && name.dropFirst(4).first == "#"
  }
}
