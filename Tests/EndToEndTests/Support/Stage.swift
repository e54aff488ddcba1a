/// A call of libpam that the tests' host makes.
enum Stage: String {
  case auth, account, password
  /// The authentication of a host that has no conversation function from then on.
  case alone
  /// The password stage for a value that must be changed (PAM_CHANGE_EXPIRED_AUTHTOK).
  case expired
}
