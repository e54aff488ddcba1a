import Glibc

/// An account of the machine.
struct Account: Equatable {
  /// Its number.
  let userID: uid_t
  /// Its canonical name.
  let name: [UInt8]
}
