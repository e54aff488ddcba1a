import Glibc

/// An account of the machine.
package struct Account: Equatable {
  /// Its number.
  package let userID: uid_t
  /// Its canonical name.
  package let name: [UInt8]

  /// An account of that number and canonical name.
  package init(userID: uid_t, name: [UInt8]) {
    self.userID = userID
    self.name = name
  }
}
