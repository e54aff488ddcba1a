import Glibc

extension AccountFile {
  /// Whether a file among the accounts' is none of an account: what a call that was killed has left, or what is worth nothing
  /// without the account's.
  static func isLeftover(_ name: String) -> Bool {
    name.hasSuffix(".db-journal")
      || name.hasPrefix(".") && [".new", ".new-journal", ".refused"].contains { name.hasSuffix($0) }
  }

  /// Removes what killed registrations have left of an account.
  ///
  /// Only inside a ``FileChange``: the file could otherwise be that of a registration under way.
  static func removeLeftovers(of uid: UInt32, in directory: borrowing StateDirectory) throws(StateError) {
    try directory.accounts.removeFiles { $0.hasPrefix(".\(uid).") && isLeftover($0) }
  }

  /// Makes the file under another name, with everything that belongs in it and in its journal, and renames it when it is
  /// whole: an interrupted registration leaves an account that never registered.
  static func makeFile(
    in directory: borrowing StateDirectory, identity: AccountIdentity, storing registrations: [NewRegistration]
  ) throws(StateError) {
    let temporary = ".\(identity.uid).new"
    close(try directory.accounts.makeFile(temporary, mode: 0o600))
    defer { try? removeLeftovers(of: identity.uid, in: directory) }
    try fill(temporary, in: directory, identity: identity, storing: registrations)
    // The journal first, and for good: the file must never stand beside an older one's, which could be rolled back into it.
    try directory.accounts.rename(temporary + "-journal", to: journalName(identity.uid))
    try directory.accounts.synchronise()
    try directory.accounts.rename(temporary, toNew: fileName(identity.uid))
    try directory.accounts.synchronise()
  }

  /// Closed again on return, because SQLite must not find its file renamed.
  private static func fill(
    _ temporary: String, in directory: borrowing StateDirectory, identity: AccountIdentity,
    storing registrations: [NewRegistration]
  ) throws(StateError) {
    let database = try Database(path: directory.accounts.path + "/" + temporary)
    try database.execute(SealedRecords.schema)
    let records = try SealedRecords(database: database, uid: identity.uid, deviceSecret: directory.deviceSecret)
    try records.preallocateJournal()
    try AccountFile(identity: identity, records: records).begin(with: registrations)
  }

  /// Writes the first records of an account.
  func begin(with registrations: [NewRegistration]) throws(StateError) {
    try records.write { () throws(StateError) in
      guard try records.body(.identity, of: nil) == nil else { throw .superseded }
      try records.put(.identity, body: identity.record, of: nil)
      try records.put(.tombstone, body: Tombstone.registered.record, of: nil)
      try put(registrations)
    }
  }
}
