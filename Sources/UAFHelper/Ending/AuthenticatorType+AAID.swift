import Authenticator
import UAFMessages

extension AuthenticatorType {
  /// The authenticators of some models.
  static func all(named aaids: [AAID]) -> [AuthenticatorType] {
    allCases.filter { type in aaids.contains { $0.text == type.aaid } }
  }
}
