import Glibc
import SecretMemory

/// The state of one account: one SQLite file, so that what is frozen, full or damaged is one
/// person's problem.
public final class AccountFile {
  /// Whose state it is.
  public let identity: AccountIdentity
  /// Called once for each lock that was found to be over, when that is on the disk.
  public var lockEnded: ((AuthenticatorType, AttemptOrigin) -> Void)?
  let records: SealedRecords
  /// That the server has refused, where it could not be written into the file; nil for a file in memory.
  let refusalMark: RefusalMark?

  /// Whether an account's file exists, or did once: the one question `nouserok` asks.
  ///
  /// A file that cannot be looked at throws, and is then no "never".
  ///
  /// - Throws: ``StateError``.
  public static func exists(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    try directory.accounts.hasFile(fileName(uid), owner: directory.owner)
  }

  /// Opens the file of an account.
  ///
  /// - Parameters:
  ///   - uid: the account's number.
  ///   - name: its canonical name; nil where the caller may not tell (then it is not compared).
  ///   - serverUserName: what root's configuration maps the name to; nil as above.
  /// - Returns: nil if nothing was ever registered, or only a tombstone is left.
  /// - Throws: ``StateError``: `identityMismatch` for another account's file, `serverNameChanged`, `damaged`, `unsafe` ...
  public static func open(
    in directory: borrowing StateDirectory, uid: UInt32, name: [UInt8]?, serverUserName: (String) -> String?
  ) throws(StateError) -> AccountFile? {
    guard let records = try openRecords(in: directory, uid: uid) else { return nil }
    guard let body = try records.body(.identity, of: nil) else {
      // Either everything was deregistered, or somebody removed the row: the tombstone tells.
      guard try records.body(.tombstone, of: nil) == Tombstone.buried.record else { throw .damaged }
      return nil
    }
    let identity = try AccountIdentity(record: body)
    guard identity.uid == uid, name.map({ $0 == identity.name }) ?? true else { throw .identityMismatch }
    if let known = String(validating: identity.name, as: UTF8.self), let mapped = serverUserName(known) {
      guard mapped == identity.serverUserName else {
        throw .serverNameChanged(registered: identity.serverUserName, configured: mapped)
      }
    }
    return AccountFile(
      identity: identity, records: records, refusalMark: RefusalMark(of: identity.uid, in: directory.accounts))
  }

  /// Makes the file of an account that has none, or brings one back from its tombstone, with its first keys in it.
  ///
  /// In one step either way: an account that is not registered whole is as it was before.
  ///
  /// - Throws: ``StateError``; `superseded` if another call does the same, or was faster.
  @discardableResult
  public static func create(
    in directory: borrowing StateDirectory, identity: AccountIdentity, storing registrations: [NewRegistration]
  ) throws(StateError) -> AccountFile {
    let change = try FileChange(of: identity.uid, in: directory.slots)
    defer { withExtendedLifetime(change) {} }
    try removeLeftovers(of: identity.uid, in: directory)
    if let records = try openRecords(in: directory, uid: identity.uid) {
      guard try records.body(.identity, of: nil) == nil else { throw .superseded }
      guard try records.body(.tombstone, of: nil) == Tombstone.buried.record else { throw .damaged }
      try records.preallocateJournal()
      try AccountFile(identity: identity, records: records).begin(with: registrations)
    } else {
      try makeFile(in: directory, identity: identity, storing: registrations)
    }
    guard let records = try openRecords(in: directory, uid: identity.uid) else { throw .absent }
    return AccountFile(
      identity: identity, records: records, refusalMark: RefusalMark(of: identity.uid, in: directory.accounts))
  }

  /// Removes the file of an account, tombstone and all: root's `uafctl forget`.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StateError``; `superseded` while another call makes the file.
  public static func forget(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    let change = try FileChange(of: uid, in: directory.slots)
    defer { withExtendedLifetime(change) {} }
    try removeLeftovers(of: uid, in: directory)
    let removed = try directory.accounts.removeFile(fileName(uid))
    // The file for good before its journal: without it a file that was being written would be neither old nor new. A journal
    // that is left without a file is nobody's, and a new file brings its own.
    try directory.accounts.synchronise()
    try directory.accounts.removeFile(journalName(uid))
    try directory.accounts.synchronise()
    return removed
  }

  init(identity: AccountIdentity, records: SealedRecords, refusalMark: RefusalMark? = nil) {
    self.identity = identity
    self.records = records
    self.refusalMark = refusalMark
  }

  static func fileName(_ uid: UInt32) -> String { "\(uid).db" }

  static func journalName(_ uid: UInt32) -> String { fileName(uid) + "-journal" }

  private static func openRecords(
    in directory: borrowing StateDirectory, uid: UInt32
  ) throws(StateError) -> SealedRecords? {
    guard try exists(in: directory, uid: uid) else { return nil }
    // A journal that is not ours could roll anything back into the file.
    _ = try directory.accounts.hasFile(journalName(uid), owner: directory.owner)
    let database = try Database(path: directory.accounts.path + "/" + fileName(uid))
    return try SealedRecords(database: database, uid: uid, deviceSecret: directory.deviceSecret)
  }
}
