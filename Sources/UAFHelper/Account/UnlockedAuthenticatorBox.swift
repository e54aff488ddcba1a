import Authenticator
import SecretMemory

/// An open authenticator that several flows of one call may use, one after the other.
@safe final class UnlockedAuthenticatorBox {
  let authenticator: UnlockedAuthenticator
  /// Whether today's rules would refuse the value that opened it.
  let valueIsStale: Bool
  /// The value, where a later step has to compare with it.
  private var value: Secret?

  init(_ authenticator: consuming UnlockedAuthenticator, valueIsStale: Bool = false, value: consuming Secret? = nil) {
    self.authenticator = authenticator
    self.valueIsStale = valueIsStale
    self.value = value
  }

  var type: AuthenticatorType { authenticator.type }

  /// Whether `other` is the value that opened it; false where that was not kept.
  func wasOpened(with other: borrowing Secret) -> Bool {
    switch value {
    case .some(let value): value.isEqual(to: other)
    case nil: false
    }
  }
}
