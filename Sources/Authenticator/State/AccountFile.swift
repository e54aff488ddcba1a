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
  /// - Throws: ``StateError``: `identityMismatch` for another account's file, `damaged`, `unsafe` ...
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
      guard mapped == identity.serverUserName else { throw .identityMismatch }
    }
    return AccountFile(identity: identity, records: records)
  }

  /// Makes the file of an account that has none, or brings one back from its tombstone.
  ///
  /// - Throws: ``StateError``.
  public static func create(
    in directory: borrowing StateDirectory, identity: AccountIdentity
  ) throws(StateError) -> AccountFile {
    if try !exists(in: directory, uid: identity.uid) { try createFile(in: directory, uid: identity.uid) }
    guard let records = try openRecords(in: directory, uid: identity.uid) else { throw .absent }
    try records.preallocateJournal()
    try records.write { () throws(StateError) in
      guard try records.body(.identity, of: nil) == nil else { throw .superseded }
      if let tombstone = try records.body(.tombstone, of: nil), tombstone != Tombstone.buried.record { throw .damaged }
      try records.put(.identity, body: identity.record, of: nil)
      try records.put(.tombstone, body: Tombstone.registered.record, of: nil)
    }
    return AccountFile(identity: identity, records: records)
  }

  /// Removes the file of an account, tombstone and all: root's `uafctl forget`.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func forget(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    let name = fileName(uid)
    // SAFETY: the names live for the calls, and hold digits alone.
    let removed = unsafe unlinkat(directory.accounts.descriptor, name, 0) == 0
    guard removed || errno == ENOENT else {
      throw .cannotOpen(path: directory.accounts.path + "/" + name, errno: errno)
    }
    _ = unsafe unlinkat(directory.accounts.descriptor, name + "-journal", 0)
    try directory.accounts.synchronise()
    return removed
  }

  init(identity: AccountIdentity, records: SealedRecords) {
    self.identity = identity
    self.records = records
  }

  private static func fileName(_ uid: UInt32) -> String { "\(uid).db" }

  private static func openRecords(
    in directory: borrowing StateDirectory, uid: UInt32
  ) throws(StateError) -> SealedRecords? {
    guard try exists(in: directory, uid: uid) else { return nil }
    // A journal that is not ours could roll anything back into the file.
    _ = try directory.accounts.hasFile(fileName(uid) + "-journal", owner: directory.owner)
    let database = try Database(path: directory.accounts.path + "/" + fileName(uid))
    return try SealedRecords(database: database, uid: uid, deviceSecret: directory.deviceSecret)
  }

  /// Made under another name and linked when whole, so that an interrupted creation leaves nothing
  /// that looks like a damaged account.
  private static func createFile(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) {
    let descriptor = directory.accounts.descriptor
    let name = fileName(uid)
    let temporary = ".\(uid).\(getpid()).new"
    let path = directory.accounts.path + "/" + temporary
    // SAFETY: the names live for the calls; the descriptor is closed at once.
    for leftover in [temporary, temporary + "-journal"] { _ = unsafe unlinkat(descriptor, leftover, 0) }
    let file = unsafe openat(descriptor, temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .cannotOpen(path: path, errno: errno) }
    close(file)
    defer { for leftover in [temporary, temporary + "-journal"] { _ = unsafe unlinkat(descriptor, leftover, 0) } }
    try Database(path: path).execute(SealedRecords.schema)
    guard unsafe linkat(descriptor, temporary, descriptor, name, 0) == 0 || errno == EEXIST else {
      throw .cannotOpen(path: directory.accounts.path + "/" + name, errno: errno)
    }
    guard unsafe unlinkat(descriptor, temporary, 0) == 0 else { throw .cannotOpen(path: path, errno: errno) }
    try directory.accounts.synchronise()
  }
}
