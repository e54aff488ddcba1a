/// A call of libpam that the tests' host makes.
enum Stage: String {
  case auth, account, password
  /// Authentication by a host that has no conversation function from then on.
  case alone
  /// The password stage for an expired password (PAM_CHANGE_EXPIRED_AUTHTOK).
  case expired
}
