import HostSystem

/// Account and authenticator type, as `register`, `change`, `reset` and `deregister` have them: `[USER] [TYPE]`.
///
/// One name alone is the account, unless it is a type and no account is called so.
struct Names: Equatable {
  /// The account; nil: the caller's own.
  let user: String?
  /// The authenticator type or AAID; nil: the core chooses.
  let type: String?

  /// Tells the names apart.
  init(user: String?, type: String?, accounts: any AccountDirectory) {
    if type == nil, let user, AuthenticatorName.isPossible(user), accounts.account(named: user) == nil {
      self.user = nil
      self.type = user
    } else {
      self.user = user
      self.type = type
    }
  }
}
