/// A call of libpam that the tests' host makes.
enum Stage: String {
  case auth, account, password
  /// Authentication; from then on the host has no conversation function.
  case alone
  /// The password stage for an expired password (PAM_CHANGE_EXPIRED_AUTHTOK).
  case expired
}
