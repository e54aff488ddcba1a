import SecretMemory
import UAFCrypto

extension AccountFile {
  /// The value that is set for a type; nil if none is.
  ///
  /// - Throws: ``StateError``; `damaged` where its attempts or its keys are there without it: somebody removed it.
  public func authenticator(_ type: AuthenticatorType) throws(StateError) -> EnrolledAuthenticator? {
    let name = Array(type.rawValue.utf8)
    var isMissed = false
    // All at one moment: what another call registers or removes meanwhile is there whole or not at all.
    for record in try records.records([.authenticator, .ledger, .key], of: identity) {
      switch record.kind {
      case .authenticator where record.name == name: return try EnrolledAuthenticator(record: record.body)
      case .ledger where record.name == name: isMissed = true
      case .key where try UAFKey(record: record.body).type == type: isMissed = true
      default: continue
      }
    }
    guard !isMissed else { throw .damaged }
    return nil
  }

  /// The registered keys, of every application.
  ///
  /// - Throws: ``StateError``.
  public func keys() throws(StateError) -> [UAFKey] {
    var keys: [UAFKey] = []
    for record in try records.records([.key], of: identity) {
      let key = try UAFKey(record: record.body)
      guard key.keyID == record.name else { throw .damaged }
      keys.append(key)
    }
    return keys
  }

  /// Keeps keys the server accepted, and their authenticators where these are new, in one transaction.
  ///
  /// - Parameters:
  ///   - old: keys that the new ones take the place of.
  ///   - replacesValues: whether the authenticators' values, attempts and keys so far go with it, as they do when a
  ///     person registers anew because the value is forgotten.
  /// - Throws: ``StateError``; `superseded` if an authenticator got another value meanwhile, or was reset; `absent`
  ///   if the whole account was.
  public func store(
    _ registrations: [NewRegistration], replacing old: [[UInt8]] = [], replacesValues: Bool = false
  ) throws(StateError) {
    try records.write { () throws(StateError) in
      try requireIdentity()
      // What the server said before was said of other keys.
      try records.remove(.lastAnswer)
      if replacesValues { try removeRows(of: registrations.map(\.key.type)) }
      for keyID in old { try records.remove(.key, name: keyID) }
      try put(registrations)
    }
  }

  /// Keeps keys, and their authenticators where these are new; inside `write`.
  func put(_ registrations: [NewRegistration]) throws(StateError) {
    for registration in registrations {
      let type = registration.key.type
      let stored = try authenticator(type)
      var enrolled = registration.enrolled
      enrolled.registrationCounter = (stored?.registrationCounter ?? 0) &+ 1
      // What was taken away while the person typed does not come back, with a fresh count at that.
      let isAsBefore = registration.isNew ? stored == nil : stored?.sealedKey == enrolled.sealedKey
      guard isAsBefore else { throw .superseded }
      try records.put(.authenticator, name: Array(type.rawValue.utf8), body: enrolled.record, of: identity)
      if stored == nil { try put(AttemptLedger(), type) }
      try records.put(.key, name: registration.key.keyID, body: registration.key.record, of: identity)
    }
  }

  /// Seals an open authenticator under a new value: one row changes, and its keys stay as they are.
  ///
  /// - Throws: ``StateError``; `superseded` if somebody changed it meanwhile.
  public func change(
    _ unlocked: borrowing UnlockedAuthenticator, to value: borrowing Secret, cost: Scrypt.Parameters,
    in directory: borrowing StateDirectory, holding slot: borrowing DerivationSlot
  ) throws(StateError) {
    let type = unlocked.type
    let enrolled = unlocked.enrolled
    let changed = try unlocked.sealed(under: value, cost: cost, deviceSecret: directory.deviceSecret)
    try records.write { () throws(StateError) in
      guard try authenticator(type) == enrolled else { throw .superseded }
      try records.put(.authenticator, name: Array(type.rawValue.utf8), body: changed.record, of: identity)
    }
  }

  /// Which type was used last; nil if that is not known, or it is registered no more.
  ///
  /// - Throws: ``StateError``.
  public func lastUsed() throws(StateError) -> AuthenticatorType? {
    guard let body = try records.body(.lastUsed, of: identity) else { return nil }
    var reader = try RecordReader(body, version: 1)
    guard let type = AuthenticatorType(rawValue: try reader.text()) else { throw .damaged }
    try reader.finish()
    return try authenticator(type) == nil ? nil : type
  }

  /// Notes which type was used; nothing is written where it is the same as before.
  ///
  /// - Throws: ``StateError``.
  public func noteUse(of type: AuthenticatorType) throws(StateError) {
    guard try lastUsed() != type else { return }
    var writer = RecordWriter(version: 1)
    writer.put(type.rawValue)
    try records.write { () throws(StateError) in
      try requireIdentity()
      try records.put(.lastUsed, body: writer.bytes, of: identity)
    }
  }

  /// The account is still the one that was opened; inside `write`.
  func requireIdentity() throws(StateError) {
    guard try records.body(.identity, of: nil) == identity.record else { throw .absent }
  }

  /// The next counter to sign with, on disk before it is used: the server refuses one it has seen.
  ///
  /// - Throws: ``StateError``; `absent` if the key is gone.
  public func nextSignCounter(_ keyID: [UInt8]) throws(StateError) -> UInt32 {
    try change(keyID) { (key: inout UAFKey) throws(StateError) in try key.countSignature() }
  }

  /// Notes what the server said of a key.
  ///
  /// - Throws: ``StateError``.
  public func mark(_ keyID: [UInt8], serverStatus: UInt32) throws(StateError) {
    try change(keyID) { (key: inout UAFKey) throws(StateError) in key.serverStatus = serverStatus }
  }

  private func change<Result>(
    _ keyID: [UInt8], _ body: (inout UAFKey) throws(StateError) -> Result
  ) throws(StateError) -> Result {
    try records.write { () throws(StateError) in
      guard let record = try records.body(.key, name: keyID, of: identity) else { throw .absent }
      var key = try UAFKey(record: record)
      let result = try body(&key)
      try records.put(.key, name: keyID, body: key.record, of: identity)
      return result
    }
  }

  /// Removes keys, the authenticators that are left without one, and, with the last of them,
  /// everything but the tombstone.
  ///
  /// - Throws: ``StateError``.
  public func remove(_ keyIDs: [[UInt8]]) throws(StateError) {
    try records.write { () throws(StateError) in
      for keyID in keyIDs { try records.remove(.key, name: keyID) }
      let left = try keys()
      try removeRows(of: AuthenticatorType.allCases.filter { type in !left.contains { $0.type == type } })
      try buryIfEmpty()
    }
  }

  /// Removes an authenticator's value, its attempts and its keys; with the last one, everything but the tombstone.
  ///
  /// - Throws: ``StateError``.
  public func reset(_ type: AuthenticatorType) throws(StateError) {
    try records.write { () throws(StateError) in
      try removeRows(of: [type])
      try buryIfEmpty()
    }
  }

  private func removeRows(of types: [AuthenticatorType]) throws(StateError) {
    try records.remove(.lastAnswer)
    for key in try keys() where types.contains(key.type) { try records.remove(.key, name: key.keyID) }
    for type in types {
      try records.remove(.authenticator, name: Array(type.rawValue.utf8))
      try records.remove(.ledger, name: Array(type.rawValue.utf8))
    }
  }

  private func buryIfEmpty() throws(StateError) {
    guard try keys().isEmpty else { return }
    try records.remove(.identity)
    try records.remove(.lastUsed)
    try records.put(.tombstone, body: Tombstone.buried.record, of: nil)
  }
}
