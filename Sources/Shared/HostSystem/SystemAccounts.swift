import Glibc

/// The accounts of the system (NSS).
package struct SystemAccounts: AccountDirectory {
  /// Makes a directory that looks accounts up in NSS.
  package init() {}

  // Bytes for a passwd entry, far more than one needs. An account with a longer entry counts as missing.
  private static let room = 65_536

  /// The account with that name, as NSS finds it; nil if there is none.
  package func account(named name: String) -> Account? {
    guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
    // SAFETY: the name lives for the call; the rest is from `find`.
    return unsafe find { unsafe getpwnam_r(name, $0, $1, Self.room, $2) }
  }

  /// The account with that uid, as NSS finds it; nil if there is none.
  package func account(withID userID: uid_t) -> Account? {
    // SAFETY: everything comes from `find`.
    unsafe find { unsafe getpwuid_r(userID, $0, $1, Self.room, $2) }
  }

  private func find(
    _ search: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> CInt
  ) -> Account? {
    // SAFETY: entry, buffer and result pointer live for the call; the name points into the buffer, which is read before
    // the closure ends.
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: Self.room)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> Account? in
      guard let base = buffer.baseAddress, unsafe search(&entry, base, &found) == 0, unsafe found != nil,
        let name = unsafe entry.pw_name
      else { return nil }
      return unsafe Account(userID: entry.pw_uid, name: Array(String(cString: name).utf8))
    }
  }
}

/// An account of the machine.
package struct Account: Equatable {
  /// Its uid.
  package let userID: uid_t
  /// Its canonical name.
  package let name: [UInt8]

  /// An account with that uid and canonical name.
  package init(userID: uid_t, name: [UInt8]) {
    self.userID = userID
    self.name = name
  }
}

/// A directory in which accounts are looked up.
package protocol AccountDirectory {
  /// The account with that name; nil if there is none.
  func account(named name: String) -> Account?
  /// The account with that uid; nil if there is none.
  func account(withID userID: uid_t) -> Account?
}
