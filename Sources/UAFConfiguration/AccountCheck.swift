/// What root asks of an account in the account stage: `account_check` in a line of /etc/pam.d.
public enum AccountCheck: Equatable, Sendable {
  /// `account_check`: an account that the server calls disabled or locked is refused; one of which nothing is known is not.
  case refusesBlocked
  /// `account_check=required`: only an account that the server calls active gets in.
  case demandsActive
}
