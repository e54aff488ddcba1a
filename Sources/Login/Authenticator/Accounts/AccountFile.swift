import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// The state of one account in one SQLite file, so that a frozen, full or damaged file concerns only one person.
public final class AccountFile {
  /// The account that this state belongs to.
  public let identity: AccountIdentity
  /// Called once for each lock that has ended, after the end is on the disk: with the authenticator type, the origin of the
  /// attempts, and the account.
  public typealias LockEnded = (AuthenticatorType, AttemptOrigin, AccountIdentity) -> Void

  let records: SealedRecords
  let contents: AccountRecords
  /// The marker file for a refusal of the server that could not be written to this file; nil for an account in memory.
  let refusalMark: RefusalMark?
  /// The counter for the next signature, reserved from the end of an attempt until the signature.
  let counter = ReservedCounter()
  let lockEnded: LockEnded?

  init(_ contents: AccountRecords, refusalMark: RefusalMark?, lockEnded: LockEnded? = nil) {
    identity = contents.identity
    records = contents.sealed
    self.contents = contents
    self.refusalMark = refusalMark
    self.lockEnded = lockEnded
  }

  // MARK: The file

  /// Whether an account's file exists, or ever did; `nouserok` depends on this.
  ///
  /// A file that cannot be examined throws, and never counts as an account that was never registered.
  ///
  /// - Throws: ``StateError``.
  public static func exists(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    try AccountFiles.exists(in: directory, uid: uid)
  }

  /// Opens the file of an account.
  ///
  /// - Parameters:
  ///   - uid: the account's number.
  ///   - name: its canonical name; nil if the caller must not state it; then it is not compared.
  ///   - serverUserName: the name at the server to which root's configuration maps the canonical name; it returns nil if the
  ///     caller must not state it.
  ///   - isForState: whether to open even an account whose keys were all deregistered or reset here. Such an account can only
  ///     ask the server for its state.
  ///   - lockEnded: called for each lock that has ended.
  /// - Returns: nil if nothing was ever registered, or only a tombstone is left.
  /// - Throws: ``StateError``: `identityMismatch` if the account was neither registered under this name nor renamed to it,
  ///   `serverNameChanged`, `damaged`, `unsafe` ...
  public static func open(
    in directory: borrowing StateDirectory, uid: UInt32, name: [UInt8]?, serverUserName: (String) -> String?,
    isForState: Bool = false, lockEnded: LockEnded? = nil
  ) throws(StateError) -> AccountFile? {
    guard let records = try AccountFiles.records(in: directory, uid: uid),
      let identity = try AccountFiles.identity(in: records, evenBuried: isForState)
    else { return nil }
    guard identity.uid == uid else { throw .identityMismatch }
    if let name {
      guard try AccountNames(of: identity, in: records).names.contains(name) else { throw .identityMismatch }
    }
    if let known = String(validating: identity.name, as: UTF8.self), let mapped = serverUserName(known) {
      guard mapped == identity.serverUserName else {
        throw .serverNameChanged(registered: identity.serverUserName, configured: mapped)
      }
    }
    let contents = AccountRecords(identity: identity, sealed: records, in: directory)
    let mark = RefusalMark(of: identity.uid, in: directory.accounts)
    return AccountFile(contents, refusalMark: mark, lockEnded: lockEnded)
  }

  /// Makes the file of an account that has none, or brings one back from its tombstone, with its first keys in it.
  ///
  /// Both are atomic: after an interrupted registration, the account is as it was before.
  ///
  /// - Throws: ``StateError``; `superseded` if another call is making the file, or has made it.
  @discardableResult
  public static func create(
    in directory: borrowing StateDirectory, identity: AccountIdentity, storing registrations: [NewRegistration]
  ) throws(StateError) -> AccountFile {
    try AccountFiles.create(in: directory, identity: identity, storing: registrations)
    guard let records = try AccountFiles.records(in: directory, uid: identity.uid) else { throw .absent }
    let contents = AccountRecords(identity: identity, sealed: records, in: directory)
    return AccountFile(contents, refusalMark: RefusalMark(of: identity.uid, in: directory.accounts))
  }

  /// The name that an account was registered under; nil if there is no such record.
  ///
  /// - Throws: ``StateError``.
  public static func registeredName(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> [UInt8]?
  {
    guard let records = try AccountFiles.records(in: directory, uid: uid) else { return nil }
    return try AccountFiles.identity(in: records, evenBuried: true)?.name
  }

  /// The accounts other than this one that are registered at the server under a name, the lowest uid first.
  ///
  /// An account whose keys were deregistered or reset here is left out, and so is one whose file cannot be read.
  ///
  /// - Throws: ``StateError`` if the folder cannot be read.
  public static func holders(
    of serverUserName: String, besides uid: UInt32, in directory: borrowing StateDirectory
  ) throws(StateError) -> [AccountIdentity] {
    try AccountFiles.holders(of: serverUserName, besides: uid, in: directory)
  }

  /// Lets a different name of the same uid use an account's registration (root's `uafctl rename`).
  ///
  /// Nothing else changes: secrets, locks, keys and the name at the server stay.
  ///
  /// - Parameter old: a name under which this machine knows the account.
  /// - Returns: the identity that the registration belongs to.
  /// - Throws: ``StateError``; `absent` if nothing was registered, `identityMismatch` if the account is not known by the name
  ///   `old`.
  public static func takeOver(
    in directory: borrowing StateDirectory, uid: UInt32, from old: [UInt8], to name: [UInt8]
  ) throws(StateError) -> AccountIdentity {
    guard let records = try AccountFiles.records(in: directory, uid: uid),
      let identity = try AccountFiles.identity(in: records, evenBuried: true)
    else { throw .absent }
    let contents = AccountRecords(identity: identity, sealed: records, in: directory)
    try contents.write { () throws(StateError) in
      try contents.requireIdentityOrTombstone()
      var names = try AccountNames(of: identity, in: records)
      guard names.names.contains(old) else { throw .identityMismatch }
      names.add(name)
      try names.put(of: identity, in: records)
    }
    return identity
  }

  /// Removes the file of an account, and with it the tombstone (root's `uafctl forget`).
  ///
  /// - Returns: whether there was a file.
  /// - Throws: ``StateError``; `superseded` while another call makes the file.
  public static func forget(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    try AccountFiles.remove(in: directory, uid: uid)
  }

  /// A stand-in for a real account: it exists only in memory, and has a secret of `type` that nobody knows.
  ///
  /// With hidden registrations, the duration of a login must not show who is registered or locked, and SQLite takes
  /// milliseconds. So an entry for an account without a secret is checked against this account.
  /// ``DerivationSlot/chargeInVain()`` takes as long as a real attempt takes on the disk.
  ///
  /// - Throws: ``StateError``.
  public static func standIn(
    _ type: AuthenticatorType, cost: Scrypt.Parameters, in directory: borrowing StateDirectory
  ) throws(StateError) -> AccountFile {
    AccountFile(try AccountRecords.standIn(type, cost: cost, in: directory), refusalMark: nil)
  }
}
