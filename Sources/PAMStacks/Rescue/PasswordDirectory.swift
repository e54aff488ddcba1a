/// Where groups and the state of passwords are looked up.
package protocol PasswordDirectory {
  /// The names that a group lists, and those of local accounts with this primary group; nil if there is no such group.
  func members(ofGroup name: String) -> [String]?
  /// The names of the local accounts, which need no directory server.
  func localAccounts() -> [String]
  /// Whether the account's password can be used today.
  func password(of name: String) -> PasswordState
}
