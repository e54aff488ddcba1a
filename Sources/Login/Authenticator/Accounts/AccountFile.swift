import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// The state of one account in one SQLite file, so that a frozen, full or damaged file concerns only one person.
public final class AccountFile {
  /// The account that this state belongs to.
  public let identity: AccountIdentity
  /// Called once for each lock that has ended, after the end is on the disk: with its type, its attempts and its account.
  public typealias LockEnded = (AuthenticatorType, AttemptOrigin, AccountIdentity) -> Void

  let records: SealedRecords
  let contents: AccountRecords
  private let keyring: AccountKeys
  private let answer: AccountAnswer
  private let attempts: AccountAttempts, counter = ReservedCounter()

  private init(_ contents: AccountRecords, refusalMark: RefusalMark?, lockEnded: LockEnded? = nil) {
    identity = contents.identity
    records = contents.sealed
    self.contents = contents
    keyring = AccountKeys(contents)
    answer = AccountAnswer(records: contents, refusalMark: refusalMark)
    attempts = AccountAttempts(contents, reserving: counter, lockEnded: lockEnded)
  }

  // MARK: The file

  /// Whether an account's file exists, or ever did; `nouserok` depends on this.
  ///
  /// A file that cannot be examined throws, and never counts as "never".
  ///
  /// - Throws: ``StateError``.
  public static func exists(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    try AccountFiles.exists(in: directory, uid: uid)
  }

  /// Opens the file of an account.
  ///
  /// - Parameters:
  ///   - uid: the account's number.
  ///   - name: its canonical name; nil if the caller may not say it (then it is not compared).
  ///   - serverUserName: what root's configuration maps the name to; nil if the caller may not say it.
  ///   - isForState: whether to open even an account whose keys were all deregistered or reset here. Such an account can only
  ///     ask the server for its state.
  ///   - lockEnded: called for each lock that has ended.
  /// - Returns: nil if nothing was ever registered, or only a tombstone is left.
  /// - Throws: ``StateError``: `identityMismatch` if the account was neither registered under this name nor renamed
  ///   to it, `serverNameChanged`, `damaged`, `unsafe` ...
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
  /// Either way it is one step: after an incomplete registration the account is as before.
  ///
  /// - Throws: ``StateError``; `superseded` if another call is making it, or has made it.
  @discardableResult
  public static func create(
    in directory: borrowing StateDirectory, identity: AccountIdentity, storing registrations: [NewRegistration]
  ) throws(StateError) -> AccountFile {
    try AccountFiles.create(in: directory, identity: identity, storing: registrations)
    guard let records = try AccountFiles.records(in: directory, uid: identity.uid) else { throw .absent }
    let contents = AccountRecords(identity: identity, sealed: records, in: directory)
    return AccountFile(contents, refusalMark: RefusalMark(of: identity.uid, in: directory.accounts))
  }

  /// The name that an account was registered under; nil if no record says it.
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

  /// Lets a different name of the same uid take over an account's registration: root's `uafctl rename`.
  ///
  /// Nothing else changes: values, locks, keys and the name at the server stay.
  ///
  /// - Parameter old: a name that the account goes by here.
  /// - Returns: the identity that the registration belongs to.
  /// - Throws: ``StateError``; `absent` if nothing was registered, `identityMismatch` if the account does not go by that name.
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

  /// Removes the file of an account and its tombstone: root's `uafctl forget`.
  ///
  /// - Returns: whether there was a file.
  /// - Throws: ``StateError``; `superseded` while another call makes the file.
  public static func forget(in directory: borrowing StateDirectory, uid: UInt32) throws(StateError) -> Bool {
    try AccountFiles.remove(in: directory, uid: uid)
  }

  /// An account that belongs to nobody, in memory, with a secret of `type` that nobody knows.
  ///
  /// With hidden states, the time must not show who is registered or locked, and SQLite takes milliseconds. So an entry
  /// for an account without a secret is checked against this account. ``DerivationSlot/chargeInVain()`` takes as much
  /// time on the disk.
  ///
  /// - Throws: ``StateError``.
  public static func standIn(
    _ type: AuthenticatorType, cost: Scrypt.Parameters, in directory: borrowing StateDirectory
  ) throws(StateError) -> AccountFile {
    AccountFile(try AccountRecords.standIn(type, cost: cost, in: directory), refusalMark: nil)
  }

  // MARK: Checking a value

  /// Tries a secret: counts the attempt on disk, checks it, and clears the count if it is correct.
  ///
  /// No transaction and no lock of the file is held while the key is derived; `slot` shows that the caller holds a
  /// derivation slot. If the count cannot be written, nothing is checked; if it cannot be cleared, the attempt is
  /// refused and stays counted.
  ///
  /// - Parameter onceOpened: called for a correct secret, before the count is cleared; that can still refuse the attempt.
  /// - Throws: ``StateError``; `absent` if no secret is set.
  public func verify(
    _ value: borrowing Secret, for type: AuthenticatorType, from origin: AttemptOrigin, at now: BootTime,
    policy: LockPolicy, in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot,
    onceOpened: () -> Void = {}
  ) throws(StateError) -> Verification {
    try attempts.verify(
      value, for: type, from: origin, at: now, policy: policy, deviceSecret: directory.deviceSecret,
      onceOpened: onceOpened)
  }

  /// Seals a new random key under a new secret, for a registration; nothing is stored before
  /// ``store(_:replacing:replacesValues:)``.
  ///
  /// - Throws: ``StateError/cryptography``.
  public static func enrol(
    _ value: borrowing Secret, for type: AuthenticatorType, identity: AccountIdentity, cost: Scrypt.Parameters,
    in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot
  ) throws(StateError) -> UnlockedAuthenticator {
    let wrap = AccountRecords.wrap(type, of: identity, in: directory)
    return try UnlockedAuthenticator.enrol(value, wrap: wrap, cost: cost, in: directory)
  }

  // MARK: Attempts

  /// Counts one attempt on an authenticator, on disk, before its secret may be checked.
  ///
  /// - Throws: ``StateError``: if nothing could be counted, nothing may be checked.
  public func charge(
    _ type: AuthenticatorType, _ origin: AttemptOrigin, at now: BootTime, policy: LockPolicy
  ) throws(StateError) -> ChargeOutcome {
    try attempts.charge(type, origin, at: now, policy: policy)
  }

  /// Clears the attempts up to this ticket after a correct entry, before anything is signed.
  ///
  /// - Parameter enrolled: the secret that was found correct. It must still be the one that is set: the old one must
  ///   not log in after a change, nor clear attempts counted after a reset.
  /// - Throws: ``StateError``: the count then stays, and the attempt is refused; `superseded` for another secret,
  ///   `absent` for none.
  public func settle(
    _ type: AuthenticatorType, ticket: UInt64, of enrolled: EnrolledAuthenticator
  ) throws(StateError) {
    try attempts.settle(type, ticket: ticket, of: enrolled)
  }

  /// Ends every lock of every authenticator; only for an administrator.
  ///
  /// - Throws: ``StateError``.
  public func unlock() throws(StateError) { try attempts.unlock() }

  /// The attempts on an authenticator; for showing, not for deciding.
  ///
  /// - Throws: ``StateError``; `damaged` if an authenticator has no ledger: somebody removed it.
  public func ledger(_ type: AuthenticatorType) throws(StateError) -> AttemptLedger { try contents.ledger(type) }

  /// The attempts at a moment, for showing.
  ///
  /// The end of a lock is stored, so that a reboot does not restart it. If it cannot be stored, it is shown anyway.
  ///
  /// - Throws: as ``ledger(_:)``.
  public func ledger(_ type: AuthenticatorType, at now: BootTime) throws(StateError) -> AttemptLedger {
    try attempts.ledger(type, at: now)
  }

  // MARK: Keys

  /// The secret that is set for a type; nil if none is.
  ///
  /// - Throws: ``StateError``; `damaged` if there are attempts or keys without it: somebody removed it.
  public func authenticator(_ type: AuthenticatorType) throws(StateError) -> EnrolledAuthenticator? {
    try contents.authenticator(type)
  }

  /// The registered keys, of every application.
  ///
  /// - Throws: ``StateError``.
  public func keys() throws(StateError) -> [UAFKey] { try contents.keys() }

  /// Stores keys that the server accepted, and their new authenticators, in one transaction.
  ///
  /// - Parameters:
  ///   - old: keys that the new ones replace.
  ///   - replacesValues: whether to remove the authenticators' earlier secrets, attempts and keys, as for a person who
  ///     registers anew after forgetting the secret.
  /// - Throws: ``StateError``; `superseded` if the authenticator has been given a different secret in the meantime, or was reset;
  ///   `absent` if the whole account was reset.
  public func store(
    _ registrations: [NewRegistration], replacing old: [[UInt8]] = [], replacesValues: Bool = false
  ) throws(StateError) {
    try keyring.store(registrations, replacing: old, replacesValues: replacesValues)
  }

  /// Seals an open authenticator under a new secret: one row changes, and its keys stay as they are.
  ///
  /// - Throws: ``StateError``; `superseded` if somebody changed it in the meantime.
  public func change(
    _ unlocked: borrowing UnlockedAuthenticator, to value: borrowing Secret, cost: Scrypt.Parameters,
    in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot
  ) throws(StateError) {
    try keyring.change(
      unlocked, to: value, cost: cost, deviceSecret: directory.deviceSecret, claimedIn: directory.slots)
  }

  /// Which type was used last; nil if that is not known, or it is no longer registered.
  ///
  /// - Throws: ``StateError``.
  public func lastUsed() throws(StateError) -> AuthenticatorType? { try keyring.lastUsed() }

  /// Notes which type was used; nothing is written if it is the same as before.
  ///
  /// - Throws: ``StateError``.
  public func noteUse(of type: AuthenticatorType) throws(StateError) { try keyring.noteUse(of: type) }

  /// The next counter to sign with, which is on disk before it is used: the server refuses a counter that it has seen.
  ///
  /// - Throws: ``StateError``; `absent` if the key is gone.
  public func nextSignCounter(_ keyID: [UInt8]) throws(StateError) -> UInt32 {
    if let counter = counter.take(for: try contents.key(keyID)) { return counter }
    return try keyring.change(keyID) { (key: inout UAFKey) throws(StateError) in try key.countSignature() }
  }

  /// Notes what the server said about a key.
  ///
  /// - Throws: ``StateError``.
  public func mark(_ keyID: [UInt8], serverStatus: UInt32) throws(StateError) {
    try keyring.change(keyID) { (key: inout UAFKey) throws(StateError) in key.note(serverStatus: serverStatus) }
  }

  /// Removes keys, and the authenticators that then have no key.
  ///
  /// With the last authenticator, everything is removed but the tombstone and what the machine needs to ask the server for the
  /// account's state.
  ///
  /// - Throws: ``StateError``.
  public func remove(_ keyIDs: [[UInt8]]) throws(StateError) { try keyring.remove(keyIDs) }

  /// Removes an authenticator's secret, its attempts and its keys; with the last one, the same as ``remove(_:)``.
  ///
  /// - Throws: ``StateError``.
  public func reset(_ type: AuthenticatorType) throws(StateError) { try keyring.reset(type) }

  // MARK: The server's last answer

  /// Stores a refusal that could not be stored when it came.
  ///
  /// - Throws: ``StateError``: the previously stored answer is then kept.
  public func settleRefusal(at now: BootTime) throws(StateError) { try answer.settleRefusal(at: now) }

  /// How many of the server's answers were not a success.
  ///
  /// The caller passes it to ``noteYes(asked:with:under:since:)`` later.
  ///
  /// - Throws: ``StateError``.
  public func refusals() throws(StateError) -> UInt64 { try answer.refusals() }

  /// Stores the server's success.
  ///
  /// - Parameters:
  ///   - asked: when the answer was asked for; its age is counted from then.
  ///   - types: what the person had verified.
  ///   - terms: SHA-256 of the server's addresses and keys when it answered.
  ///   - refusals: ``refusals()`` before the server was asked: a success is not stored if a refusal came in between.
  /// - Throws: ``StateError``; then nothing is stored.
  public func noteYes(
    asked: BootTime, with types: [AuthenticatorType], under terms: [UInt8], since refusals: UInt64
  ) throws(StateError) {
    try answer.noteYes(LastAnswer.Yes(asked: asked, types: types, terms: terms), since: refusals)
  }

  /// Makes the server's last success invalid; if the account's file cannot be written, with a marker file next to it.
  ///
  /// - Parameter always: whether to store it even if no answer was ever stored: a success that is still on its way must not
  ///   be stored after it.
  /// - Throws: ``StateError``.
  public func noteRefusal(at now: BootTime, always: Bool) throws(StateError) {
    try answer.noteRefusal(at: now, always: always)
  }

  /// Decides whether the account may log in without the server, after storing that it was asked.
  ///
  /// - Parameters:
  ///   - opened: what the person has just verified.
  ///   - terms: as in ``noteYes(asked:with:under:since:)``.
  /// - Throws: ``StateError``: then the account may not log in; `damaged` for a record that was edited.
  public func judgeOffline(
    at now: BootTime, maximumAge: Duration, opened: [AuthenticatorType], terms: [UInt8]
  ) throws(StateError) -> OfflineJudgement {
    try answer.judgeOffline(at: now, maximumAge: maximumAge, opened: opened, terms: terms)
  }
}
