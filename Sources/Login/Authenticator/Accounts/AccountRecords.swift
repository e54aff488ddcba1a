import AuthenticatorTypes
import SecretMemory
import UAFCrypto

/// The records of one account, as Swift values.
///
/// Nothing else reads or writes an account's file.
///
/// Changes to several records that belong together must be made in one call of ``write(_:)``.
struct AccountRecords {
  let identity: AccountIdentity
  let sealed: SealedRecords
  /// What stores the shares; nil if this machine uses none.
  var shares: (any ShareKeeper)?
  /// The file with the recovery key's public half, to which copies of shares are sealed; nil if no copies are made.
  var recovery: RecoveryPlace?

  init(identity: AccountIdentity, sealed: SealedRecords) {
    self.identity = identity
    self.sealed = sealed
  }

  init(identity: AccountIdentity, sealed: SealedRecords, in directory: borrowing StateDirectory) {
    self.init(identity: identity, sealed: sealed)
    shares = directory.shares
    recovery = directory.recovery
  }

  /// Makes the records of a stand-in account, which exists only in memory.
  ///
  /// There are none at first.
  init(ofNobodyUnder deviceSecret: borrowing Secret) throws(StateError) {
    let identity = AccountIdentity(uid: .max, name: [], serverUserName: "")
    let database = try Database(path: ":memory:")
    try database.execute(SealedRecords.schema)
    self.init(
      identity: identity,
      sealed: try SealedRecords(database: database, uid: identity.uid, deviceSecret: deviceSecret))
  }

  /// What seals and opens an account's keys of `type`, when the account has no records yet.
  static func wrap(
    _ type: AuthenticatorType, of identity: AccountIdentity, in directory: borrowing StateDirectory
  ) -> KeyWrap {
    KeyWrap(identity: identity, type: type, shares: directory.shares, recovery: directory.recovery)
  }

  /// What seals and opens the account's keys of `type`.
  func wrap(_ type: AuthenticatorType) -> KeyWrap {
    KeyWrap(identity: identity, type: type, shares: shares, recovery: recovery)
  }

  /// The records of a stand-in account, which exists only in memory, with a secret of `type` that nobody knows.
  static func standIn(
    _ type: AuthenticatorType, cost: Scrypt.Parameters, in directory: borrowing StateDirectory
  ) throws(StateError) -> AccountRecords {
    var records = try AccountRecords(ofNobodyUnder: directory.deviceSecret)
    (records.shares, records.recovery) = (directory.shares, directory.recovery)
    // Checking an entry against it takes as long as it would for a secret set on this machine now.
    let enrolled = try KeyWrap.unopenable(cost: directory.shares?.cost ?? cost)
    try records.write { () throws(StateError) in
      try records.put(enrolled, type)
      try records.put(AttemptLedger(), type)
    }
    return records
  }

  /// Runs `body` inside one write transaction; whatever it throws leaves the file as it was.
  func write<Result>(_ body: () throws(StateError) -> Result) throws(StateError) -> Result { try sealed.write(body) }

  /// Removes a share that no record names.
  func removeShare(_ kept: [UInt8]) { shares?.remove(kept) }

  /// Runs `body`, which may remove authenticators, inside one write transaction, and then removes the shares that no record
  /// needs any longer.
  ///
  /// A share is removed only after the new records are on the disk: until then, the old secret must still work.
  func writeRemoving<Result>(_ body: () throws(StateError) -> Result) throws(StateError) -> Result {
    let (result, released) = try write { () throws(StateError) in
      let before = try keptShares()
      let result = try body()
      let after = try keptShares()
      return (result, before.filter { !after.contains($0) })
    }
    for kept in released { shares?.remove(kept) }
    return result
  }

  private func keptShares() throws(StateError) -> [[UInt8]] {
    var kept: [[UInt8]] = []
    for record in try sealed.records([.authenticator], of: identity) {
      if let share = try EnrolledAuthenticator(record: record.body).chipShare { kept.append(share) }
    }
    return kept
  }

  /// Throws `absent` unless the file still belongs to the account that was opened; a tombstone of that account is enough.
  ///
  /// Inside `write`.
  func requireIdentityOrTombstone() throws(StateError) {
    guard try sealed.body(.identity, of: nil) == nil else { return try requireIdentity() }
    guard try sealed.tombstone() == .buried(identity) else { throw .absent }
  }

  /// Throws `absent` unless the file still belongs to the account that was opened; inside `write`.
  func requireIdentity() throws(StateError) {
    guard try sealed.body(.identity, of: nil) == identity.record else { throw .absent }
  }

  // MARK: Secrets

  /// The secret that is set for a type; nil if none is.
  ///
  /// - Throws: ``StateError``; `damaged` if there are attempts or keys without it: somebody removed it.
  func authenticator(_ type: AuthenticatorType) throws(StateError) -> EnrolledAuthenticator? {
    var isMissed = false
    // All are read at one moment, so that a change by another call is seen as a whole or not at all.
    for record in try sealed.records([.authenticator, .ledger, .key], of: identity) {
      switch record.kind {
      case .authenticator where record.name == type.recordName: return try EnrolledAuthenticator(record: record.body)
      case .ledger where record.name == type.recordName: isMissed = true
      case .key where try RegisteredKey(record: record.body).type == type: isMissed = true
      default: continue
      }
    }
    guard !isMissed else { throw .damaged }
    return nil
  }

  func put(_ enrolled: EnrolledAuthenticator, _ type: AuthenticatorType) throws(StateError) {
    try sealed.put(.authenticator, name: type.recordName, body: enrolled.record, of: identity)
  }

  func put(_ record: BiometricRecord) throws(StateError) {
    guard let kind = RecordKind(biometric: record.type) else { throw .damaged }
    try sealed.put(kind, body: record.body, of: identity)
  }

  /// Replaces the record of a secret, in a transaction of its own.
  ///
  /// - Throws: ``StateError``; `superseded` if `old` is no longer set.
  func replace(
    _ enrolled: EnrolledAuthenticator, with other: EnrolledAuthenticator, _ type: AuthenticatorType
  ) throws(StateError) {
    try write { () throws(StateError) in
      guard try authenticator(type) == enrolled else { throw .superseded }
      try put(other, type)
    }
  }

  /// Removes secrets, their attempts and keys, and the server's last answer about them; inside `write`.
  func remove(_ types: [AuthenticatorType]) throws(StateError) {
    try sealed.remove(.lastAnswer)
    for key in try keys() where types.contains(key.type) { try removeKey(key.keyID) }
    for type in types {
      try sealed.remove(.authenticator, name: type.recordName)
      try sealed.remove(.ledger, name: type.recordName)
      try removeKeyring(type)
      if let kind = RecordKind(biometric: type) { try sealed.remove(kind) }
    }
  }

  // MARK: Attempts

  /// The attempts on an authenticator.
  ///
  /// - Throws: ``StateError``; `damaged` if an authenticator has no ledger: somebody removed it.
  func ledger(_ type: AuthenticatorType) throws(StateError) -> AttemptLedger {
    guard let body = try sealed.body(.ledger, name: type.recordName, of: identity) else { throw .damaged }
    return try AttemptLedger(record: body)
  }

  func put(_ ledger: AttemptLedger, _ type: AuthenticatorType) throws(StateError) {
    try sealed.put(.ledger, name: type.recordName, body: ledger.record, of: identity)
  }

  /// Ends every lock of every authenticator, and clears its attempts; inside `write`.
  func clearAttempts() throws(StateError) {
    for type in AuthenticatorType.allCases where try authenticator(type) != nil {
      var ledger = try ledger(type)
      ledger.unlock()
      try put(ledger, type)
    }
  }

  // MARK: Keys

  /// The registered keys, of every application.
  func keys() throws(StateError) -> [RegisteredKey] {
    var keys: [RegisteredKey] = []
    for record in try sealed.records([.key], of: identity) {
      let key = try RegisteredKey(record: record.body)
      guard key.keyID == record.name else { throw .damaged }
      keys.append(key)
    }
    return keys
  }

  /// - Throws: ``StateError/absent`` if there is no such key.
  func key(_ keyID: [UInt8]) throws(StateError) -> RegisteredKey {
    guard let record = try sealed.body(.key, name: keyID, of: identity) else { throw .absent }
    return try RegisteredKey(record: record)
  }

  func put(_ key: RegisteredKey) throws(StateError) {
    try sealed.put(.key, name: key.keyID, body: key.record, of: identity)
  }

  func removeKey(_ keyID: [UInt8]) throws(StateError) { try sealed.remove(.key, name: keyID) }

  // MARK: The keyring

  /// What is stored of the person's keyring for a type; nil if nothing is.
  func keyring(_ type: AuthenticatorType) throws(StateError) -> KeyringRecord? {
    guard let body = try sealed.body(.keyring, name: type.recordName, of: identity) else { return nil }
    return try KeyringRecord(record: body)
  }

  func put(_ record: KeyringRecord, _ type: AuthenticatorType) throws(StateError) {
    try sealed.put(.keyring, name: type.recordName, body: record.record, of: identity)
  }

  func removeKeyring(_ type: AuthenticatorType) throws(StateError) {
    try sealed.remove(.keyring, name: type.recordName)
  }

  /// The types under which a password is kept.
  func typesWithKeyring() throws(StateError) -> [AuthenticatorType] {
    var types: [AuthenticatorType] = []
    for type in AuthenticatorType.allCases {
      if case .sealed? = try keyring(type) { types.append(type) }
    }
    return types
  }

  // MARK: Records that exist once

  /// The type that was used last; nil if that is not known.
  func lastUsed() throws(StateError) -> AuthenticatorType? {
    guard let body = try sealed.body(.lastUsed, of: identity) else { return nil }
    var reader = try RecordReader(body, version: 1)
    guard let type = AuthenticatorType(rawValue: try reader.text()) else { throw .damaged }
    try reader.finish()
    return type
  }

  func putLastUsed(_ type: AuthenticatorType) throws(StateError) {
    var writer = RecordWriter(version: 1)
    writer.put(type.rawValue)
    try sealed.put(.lastUsed, body: writer.bytes, of: identity)
  }

  /// What the server answered last; nil if nothing was stored.
  func lastAnswer() throws(StateError) -> LastAnswer? {
    guard let body = try sealed.body(.lastAnswer, of: identity) else { return nil }
    return try LastAnswer(record: body)
  }

  func put(_ answer: LastAnswer) throws(StateError) {
    try sealed.put(.lastAnswer, body: answer.record, of: identity)
  }

  func removeLastAnswer() throws(StateError) { try sealed.remove(.lastAnswer) }

  // MARK: Beginning and end

  /// Writes the account's identity; inside `write`.
  ///
  /// - Throws: ``StateError``; `superseded` if there is an account already.
  func begin() throws(StateError) {
    guard try sealed.body(.identity, of: nil) == nil else { throw .superseded }
    // If a different account had this uid before, the MACs of its remaining records are wrong for the new identity.
    if let former = try sealed.tombstone(), former != .buried(identity) { try removeKept() }
    try sealed.put(.identity, body: identity.record, of: nil)
    try sealed.put(.tombstone, body: Tombstone.registered.record, of: nil)
  }

  /// Removes everything from an account without keys, except the tombstone and the records that the machine needs to ask the
  /// server for the account's state; inside `write`.
  func buryIfEmpty() throws(StateError) {
    guard try keys().isEmpty else { return }
    try sealed.remove(.identity)
    try sealed.remove(.lastUsed)
    try sealed.remove(.unlock)
    try sealed.put(.tombstone, body: Tombstone.buried(identity).record, of: nil)
  }

  private func removeKept() throws(StateError) {
    try sealed.remove(.machine)
    try sealed.remove(.standing)
    try sealed.remove(.names)
  }
}

extension AuthenticatorType {
  /// The name of this type's records.
  fileprivate var recordName: [UInt8] { Array(rawValue.utf8) }
}

/// The kinds of records in an account's file.
enum RecordKind: String, CaseIterable {
  /// The account's identity; one record, without a name.
  case identity
  /// The tombstone: something was once registered for this account; one record, without a name.
  case tombstone
  /// A secret that is set: one for each authenticator type.
  case authenticator
  /// The attempts on an authenticator: one for each authenticator type.
  case ledger
  /// Which type was used last; at most one, without a name.
  case lastUsed
  /// What the server answered last, for logins without it; at most one, without a name.
  case lastAnswer
  /// The account's state, as the server last reported it; at most one, without a name.
  case standing
  /// The machine secret; at most one, without a name.
  case machine
  /// The prints with which the fingerprint was registered; at most one, without a name.
  case fingerprint
  /// The templates with which the face was registered; at most one, without a name.
  case face
  /// The helpdesk's unlock that was used last, and the count of wrong codes; at most one, without a name.
  case unlock
  /// The sealed password of the person's keyring: at most one for each authenticator type.
  case keyring
  /// Further names of the account; at most one, without a name.
  case names
  /// A UAF key, by KeyID.
  case key

  /// The kind that holds what was enrolled when an authenticator of this type was registered; nil for a type with a typed
  /// secret.
  init?(biometric type: AuthenticatorType) {
    guard !type.isTyped, let kind = Self(rawValue: type.rawValue) else { return nil }
    self = kind
  }
}

/// One record of an account's file, whose MAC has been verified.
struct SealedRecord {
  let kind: RecordKind
  let name: [UInt8]
  let body: [UInt8]
}
