import Glibc
import HostSystem

/// root, alice (1000), bob (1001) and nobody.
package struct FakeAccounts: AccountDirectory {
  private let accounts = [
    Account(userID: 0, name: Array("root".utf8)), Account(userID: 1000, name: Array("alice".utf8)),
    Account(userID: 1001, name: Array("bob".utf8)), Account(userID: 65534, name: Array("nobody".utf8)),
  ]

  package init() {}

  /// Names are found in any case, as a directory service may do; the canonical name is in lower case.
  package func account(named name: String) -> Account? { accounts.first { $0.name == Array(name.lowercased().utf8) } }

  package func account(withID userID: uid_t) -> Account? { accounts.first { $0.userID == userID } }
}
