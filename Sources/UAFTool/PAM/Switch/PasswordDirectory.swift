/// Where groups and the state of passwords are looked up.
protocol PasswordDirectory {
  /// The names a group lists; nil if there is no such group.
  func members(ofGroup name: String) -> [String]?
  /// Whether the account's password can be used today.
  func password(of name: String) -> PasswordState
}
