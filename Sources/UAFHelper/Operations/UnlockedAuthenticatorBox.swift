import Authenticator

/// An open authenticator that two flows of one call may use, one after the other.
@safe final class UnlockedAuthenticatorBox {
  let authenticator: UnlockedAuthenticator

  init(_ authenticator: consuming UnlockedAuthenticator) { self.authenticator = authenticator }

  var type: AuthenticatorType { authenticator.type }
}
