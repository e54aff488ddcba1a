/// Where groups and the state of passwords are looked up.
package protocol PasswordDirectory {
  /// The names a group lists, and those of the local accounts that have it as their own; nil if there is no such group.
  func members(ofGroup name: String) -> [String]?
  /// Whether the account's password can be used today.
  func password(of name: String) -> PasswordState
}
