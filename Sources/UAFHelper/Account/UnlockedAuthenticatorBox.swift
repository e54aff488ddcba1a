import Authenticator
import SecretMemory

/// An open authenticator that several flows of one call may use, one after the other.
@safe final class UnlockedAuthenticatorBox {
  let authenticator: UnlockedAuthenticator
  /// Whether the value that opened it would be refused by today's rules.
  let valueIsStale: Bool
  /// The value, where what follows has to compare with it.
  private var value: Secret?

  init(_ authenticator: consuming UnlockedAuthenticator, valueIsStale: Bool = false, value: consuming Secret? = nil) {
    self.authenticator = authenticator
    self.valueIsStale = valueIsStale
    self.value = value
  }

  var type: AuthenticatorType { authenticator.type }

  /// Whether `other` is the value it was opened with; false where that was not kept.
  func wasOpened(with other: borrowing Secret) -> Bool {
    switch value {
    case .some(let value): value.isEqual(to: other)
    case nil: false
    }
  }
}
