/// Codes for PAM, with the numbers of Linux-PAM's `_pam_types.h`.
///
/// Written as numbers because no target of the login path but the shim knows libpam.
public enum PAMCode: Int32, CaseIterable, Sendable {
  /// PAM_SUCCESS.
  case success = 0
  /// PAM_SERVICE_ERR: root's configuration or module arguments are wrong, and nothing else. Only root can cause it.
  case serviceError = 3
  /// PAM_SYSTEM_ERR: this machine failed.
  case systemError = 4
  /// PAM_AUTH_ERR: refused.
  case authenticationError = 7
  /// PAM_AUTHINFO_UNAVAIL: no connection to the server was made, and this machine lacked nothing that a connection needs.
  case authenticationInformationUnavailable = 9
  /// PAM_USER_UNKNOWN.
  case userUnknown = 10
  /// PAM_MAXTRIES: locked.
  case maximumTries = 11
  /// PAM_NEW_AUTHTOK_REQD: a stale secret was verified.
  case newTokenRequired = 12
  /// PAM_CRED_UNAVAIL: the person chose to log in another way.
  case credentialsUnavailable = 15
  /// PAM_CONV_ERR: the conversation ended.
  case conversationError = 19
  /// PAM_AUTHTOK_ERR: a secret was not changed.
  case tokenError = 20
  /// PAM_IGNORE: `nouserok`, and the account never registered here.
  case ignore = 25
}
