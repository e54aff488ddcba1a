import Glibc

/// The files of accounts in a state folder: their names, and how one is made, opened and removed.
enum AccountFiles {
  /// Whether an account's file exists, or ever did.
  static func exists(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    try directory.accounts.hasFile(fileName(uid), owner: directory.owner)
  }

  /// The records of an account; nil if there is no file.
  static func records(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> SealedRecords? {
    guard try exists(in: directory, uid: uid) else { return nil }
    // A journal that somebody else wrote could change the file to anything.
    _ = try directory.accounts.hasFile(journalName(uid), owner: directory.owner)
    let database = try Database(path: directory.accounts.path + "/" + fileName(uid))
    return try SealedRecords(database: database, uid: uid, deviceSecret: directory.deviceSecret)
  }

  /// The identity that the file belongs to; nil if only a tombstone is left.
  ///
  /// - Parameter evenBuried: whether to return the tombstone's identity instead of nil.
  /// - Throws: ``StateError``.
  static func identity(
    in records: SealedRecords, evenBuried: Bool
  ) throws(StateError) -> AccountIdentity? {
    if let body = try records.body(.identity, of: nil) { return try AccountIdentity(record: body) }
    // If the tombstone says that everything was deregistered, the identity row is missing for that reason. Otherwise somebody
    // removed it.
    guard case .buried(let identity) = try records.tombstone() else { throw .damaged }
    return evenBuried ? identity : nil
  }

  /// Makes the file of an account that has none, or brings one back from its tombstone, with its first keys in it.
  ///
  /// - Throws: ``StateError``; `superseded` if another call is making the file, or has made it.
  static func create(
    in directory: borrowing StateDirectory, identity: AccountIdentity, storing registrations: [NewRegistration]
  ) throws(StateError) {
    let change = try FileChange(of: identity.uid, in: directory.slots)
    defer { withExtendedLifetime(change) {} }
    try removeLeftovers(of: identity.uid, in: directory)
    guard let sealed = try records(in: directory, uid: identity.uid) else {
      return try makeFile(in: directory, identity: identity, storing: registrations)
    }
    guard try sealed.body(.identity, of: nil) == nil else { throw .superseded }
    guard try sealed.tombstone()?.isBuried == true else { throw .damaged }
    try sealed.preallocateJournal()
    try AccountRecords(identity: identity, sealed: sealed).begin(with: registrations)
  }

  /// Removes the file of an account and its tombstone.
  ///
  /// - Returns: whether there was a file.
  /// - Throws: ``StateError``; `superseded` while another call makes the file.
  static func remove(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    let change = try FileChange(of: uid, in: directory.slots)
    defer { withExtendedLifetime(change) {} }
    try removeLeftovers(of: uid, in: directory)
    let removed = try directory.accounts.removeFile(fileName(uid))
    // The file is removed before its journal: without the journal, a half-written file could not be repaired. A journal without
    // its file is never used, because a new file comes with a new journal.
    try directory.accounts.synchronise()
    try directory.accounts.removeFile(journalName(uid))
    try directory.accounts.synchronise()
    return removed
  }

  /// The accounts that have a file, by uid.
  static func numbers(in directory: borrowing StateDirectory) throws(StateError) -> [UInt32] {
    var numbers: [UInt32] = []
    _ = try directory.accounts.contains { name in
      if name.hasSuffix(".db"), let uid = UInt32(name.dropLast(3)), fileName(uid) == name { numbers.append(uid) }
      return false
    }
    return numbers.sorted()
  }

  /// The accounts other than this one that are registered at the server under a name, by uid.
  ///
  /// A file that cannot be read is skipped: one damaged file must not prevent all other accounts from registering.
  static func holders(
    of serverUserName: String, besides uid: UInt32, in directory: borrowing StateDirectory
  ) throws(StateError) -> [AccountIdentity] {
    var holders: [AccountIdentity] = []
    for number in try numbers(in: directory) where number != uid {
      guard let records = try? records(in: directory, uid: number),
        let identity = try? identity(in: records, evenBuried: false), identity.serverUserName == serverUserName
      else { continue }
      holders.append(identity)
    }
    return holders
  }

  /// Whether a file in the accounts' folder is not an account's own file: a killed call left it, or it is useless without the
  /// account's file.
  static func isLeftover(_ name: String) -> Bool {
    name.hasSuffix(".db-journal")
      || name.hasPrefix(".") && [".new", ".new-journal", ".refused"].contains { name.hasSuffix($0) }
  }

  /// Removes what killed registrations left behind for an account.
  ///
  /// Call it only inside a ``FileChange``: otherwise the file could belong to a registration that is under way.
  private static func removeLeftovers(
    of uid: UInt32, in directory: borrowing StateDirectory
  ) throws(StateError) {
    try directory.accounts.removeFiles { $0.hasPrefix(".\(uid).") && isLeftover($0) }
  }

  /// Makes the file and its journal under a temporary name, and renames them when they are complete.
  ///
  /// So after an interrupted registration, the account counts as one that was never registered.
  private static func makeFile(
    in directory: borrowing StateDirectory, identity: AccountIdentity, storing registrations: [NewRegistration]
  ) throws(StateError) {
    let temporary = ".\(identity.uid).new"
    close(try directory.accounts.makeFile(temporary, mode: 0o600))
    defer { try? removeLeftovers(of: identity.uid, in: directory) }
    try fill(temporary, in: directory, identity: identity, storing: registrations)
    // The journal is renamed and synchronised first: SQLite would roll an older journal back into the new file.
    try directory.accounts.rename(temporary + "-journal", to: journalName(identity.uid))
    try directory.accounts.synchronise()
    try directory.accounts.rename(temporary, toNew: fileName(identity.uid))
    try directory.accounts.synchronise()
  }

  /// Closes the database before it returns, because the file is renamed next and SQLite must not notice that.
  private static func fill(
    _ temporary: String, in directory: borrowing StateDirectory, identity: AccountIdentity,
    storing registrations: [NewRegistration]
  ) throws(StateError) {
    let database = try Database(path: directory.accounts.path + "/" + temporary)
    try database.execute(SealedRecords.schema)
    let sealed = try SealedRecords(database: database, uid: identity.uid, deviceSecret: directory.deviceSecret)
    try sealed.preallocateJournal()
    try AccountRecords(identity: identity, sealed: sealed).begin(with: registrations)
  }

  private static func fileName(_ uid: UInt32) -> String { "\(uid).db" }

  private static func journalName(_ uid: UInt32) -> String { fileName(uid) + "-journal" }
}

/// The names that an account has on this machine.
///
/// These are the name that it was registered under, and the names that root has since let take over the registration.
///
/// Every seal contains the registered name, even after a renaming. A renamed account opens its keys with that name, and keeps
/// its name at the server.
struct AccountNames: Equatable {
  /// How many names may be added to the registered one; if there are more, the oldest is dropped.
  private static let most = 8

  private(set) var names: [[UInt8]]

  /// The names of an account.
  ///
  /// - Throws: ``StateError``.
  init(of identity: AccountIdentity, in records: SealedRecords) throws(StateError) {
    names = [identity.name]
    guard let body = try records.body(.names, of: identity) else { return }
    var reader = try RecordReader(body, version: 1)
    for _ in 0..<(try reader.integer(UInt8.self)) { names.append(try reader.data()) }
    try reader.finish()
  }

  /// Adds a name that may use the registration.
  ///
  /// The earlier names stay: an account may have two names at the same time.
  mutating func add(_ name: [UInt8]) {
    guard !names.contains(name) else { return }
    names.append(name)
    if names.count > Self.most + 1 { names.remove(at: 1) }
  }

  /// Stores the names; inside `write`.
  func put(of identity: AccountIdentity, in records: SealedRecords) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(UInt8(truncatingIfNeeded: names.count - 1))
    for name in names.dropFirst() { writer.put(name) }
    try records.put(.names, body: writer.bytes, of: identity)
  }
}

/// Which accounts have a file on this machine.
public enum AccountNumbers {
  /// Their uids, the lowest first.
  ///
  /// - Throws: ``StateError``.
  public static func all(in directory: borrowing StateDirectory) throws(StateError) -> [UInt32] {
    try AccountFiles.numbers(in: directory)
  }
}

/// The record that something was registered for this account; it stays as long as the account's file does.
///
/// `nouserok` looks for it, so an account does not count as never registered after a deregistration, or after somebody removed
/// a row.
enum Tombstone: Equatable {
  /// The account has an identity row; if it is missing, somebody removed it.
  case registered
  /// Everything was deregistered or reset. The identity is nil if an earlier version wrote the tombstone.
  ///
  /// With this identity and the machine secret, the account stage still asks the server for the account's state.
  case buried(AccountIdentity?)

  /// - Throws: ``StateError/damaged``.
  init(record: [UInt8]) throws(StateError) {
    guard record.first == 2 else {
      var reader = try RecordReader(record, version: 1)
      switch try reader.integer(UInt8.self) {
      case 1: self = .registered
      case 2: self = .buried(nil)
      default: throw .damaged
      }
      try reader.finish()
      return
    }
    var reader = try RecordReader(record, version: 2)
    self = .buried(try AccountIdentity(record: try reader.data()))
    try reader.finish()
  }

  var record: [UInt8] {
    switch self {
    case .registered, .buried(nil):
      var writer = RecordWriter(version: 1)
      writer.put(UInt8(self == .registered ? 1 : 2))
      return writer.bytes
    case .buried(let identity?):
      var writer = RecordWriter(version: 2)
      writer.put(identity.record)
      return writer.bytes
    }
  }

  /// Whether everything was deregistered or reset.
  var isBuried: Bool { self != .registered }
}
