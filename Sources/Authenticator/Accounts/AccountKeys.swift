import SecretMemory
import UAFCrypto

/// The registered keys of an account and the secrets that open them, in the account's file.
struct AccountKeys {
  let records: AccountRecords

  init(_ records: AccountRecords) { self.records = records }

  /// Writes the first records of an account.
  func begin(with registrations: [NewRegistration]) throws(StateError) {
    try records.write { () throws(StateError) in
      try records.begin()
      try put(registrations)
    }
  }

  /// Stores keys that the server accepted, and their new authenticators, in one transaction.
  func store(
    _ registrations: [NewRegistration], replacing old: [[UInt8]], replacesValues: Bool
  ) throws(StateError) {
    try records.writeRemoving { () throws(StateError) in
      try records.requireIdentity()
      // The server's earlier answers were about other keys.
      try records.removeLastAnswer()
      if replacesValues { try records.remove(registrations.map(\.key.type)) }
      for keyID in old { try records.removeKey(keyID) }
      try put(registrations)
    }
  }

  private func put(_ registrations: [NewRegistration]) throws(StateError) {
    for registration in registrations {
      let type = registration.key.type
      let stored = try records.authenticator(type)
      // What was removed while the person typed is not restored, which would also restart its count.
      let isAsBefore = registration.isNew ? stored == nil : stored?.sealedKey == registration.enrolled.sealedKey
      guard isAsBefore else { throw .superseded }
      // Its share may have been released while the person typed: what is on the disk counts.
      var enrolled = stored ?? registration.enrolled
      enrolled.registrationCounter = (stored?.registrationCounter ?? 0) &+ 1
      try records.put(enrolled, type)
      if stored == nil { try records.put(AttemptLedger(), type) }
      try records.put(registration.key)
    }
  }

  /// Seals an open authenticator under a new secret: one row changes, and its keys stay as they are.
  func change(
    _ unlocked: borrowing UnlockedAuthenticator, to value: borrowing Secret, cost: Scrypt.Parameters,
    deviceSecret: borrowing Secret, claimedIn slots: borrowing TrustedDirectory
  ) throws(StateError) {
    let type = unlocked.type
    let enrolled = unlocked.enrolled
    let claim = try unlocked.wrap.claim(in: slots)
    defer { withExtendedLifetime(claim) {} }
    let changed = try unlocked.sealed(under: value, cost: cost, deviceSecret: deviceSecret)
    do throws(StateError) {
      try records.writeRemoving { () throws(StateError) in
        guard try records.authenticator(type) == enrolled else { throw .superseded }
        try records.put(changed, type)
      }
    } catch {
      removeShare(of: changed, type)
      throw error
    }
  }

  /// Removes the share of a value that could not be put, unless its record is on the disk, or may be.
  private func removeShare(of changed: EnrolledAuthenticator, _ type: AuthenticatorType) {
    guard let kept = changed.chipShare else { return }
    do throws(StateError) {
      guard try records.authenticator(type)?.chipShare != kept else { return }
    } catch { return }
    records.removeShare(kept)
  }

  /// Which type was used last; nil if that is not known, or it is no longer registered.
  func lastUsed() throws(StateError) -> AuthenticatorType? {
    guard let type = try records.lastUsed() else { return nil }
    return try records.authenticator(type) == nil ? nil : type
  }

  /// Notes which type was used; nothing is written if it is the same as before.
  func noteUse(of type: AuthenticatorType) throws(StateError) {
    guard try lastUsed() != type else { return }
    try records.write { () throws(StateError) in
      try records.requireIdentity()
      try records.putLastUsed(type)
    }
  }

  /// Changes one key in one transaction.
  ///
  /// - Throws: what `body` throws; ``StateError/absent`` if the key is gone.
  func change<Result>(
    _ keyID: [UInt8], _ body: (inout UAFKey) throws(StateError) -> Result
  ) throws(StateError) -> Result {
    try records.write { () throws(StateError) in
      var key = try records.key(keyID)
      let result = try body(&key)
      try records.put(key)
      return result
    }
  }

  /// Removes keys, the authenticators that are left without one, and, with the last of them, everything but the tombstone.
  func remove(_ keyIDs: [[UInt8]]) throws(StateError) {
    try records.writeRemoving { () throws(StateError) in
      for keyID in keyIDs { try records.removeKey(keyID) }
      let left = try records.keys()
      try records.remove(AuthenticatorType.allCases.filter { type in !left.contains { $0.type == type } })
      try records.buryIfEmpty()
    }
  }

  /// Removes an authenticator's secret, its attempts and its keys; with the last one, everything but the tombstone.
  func reset(_ type: AuthenticatorType) throws(StateError) {
    try records.writeRemoving { () throws(StateError) in
      try records.remove([type])
      try records.buryIfEmpty()
    }
  }
}
