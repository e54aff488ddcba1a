import Glibc

/// An account of the machine.
package struct Account: Equatable {
  /// Its number.
  package let userID: uid_t
  /// Its canonical name.
  package let name: [UInt8]
}
