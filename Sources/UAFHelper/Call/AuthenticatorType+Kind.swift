import Authenticator
import FidoResults

extension AuthenticatorType {
  /// As texts name its value.
  var kind: ValueKind {
    switch self {
    case .passcode: .passcode
    case .pattern: .pattern
    }
  }
}
