import Glibc

/// Where accounts are looked up.
package protocol AccountDirectory {
  /// The account of that name; nil if there is none.
  func account(named name: String) -> Account?
  /// The account of that number; nil if there is none.
  func account(withID userID: uid_t) -> Account?
}
