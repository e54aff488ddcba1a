import UAFMessages

/// The registered keys.
package protocol Credentials {
  /// The keys of an account for an AppID, oldest first, revoked ones included.
  ///
  /// - Throws: also if what is stored is no key; a caller then refuses.
  func keys(of username: String, appID: String) throws -> [StoredKey]

  /// How many keys an account has for an AppID, and how long their KeyIDs are together; revoked keys do not count.
  func usage(of username: String, appID: String) throws -> KeyUsage

  /// What the keys of some accounts look like, revoked ones included; nothing for those without keys.
  ///
  /// - Parameter numbers: the accounts' numbers, see ``Accounts/lastNumber()``.
  func shapes(ofAccounts numbers: [Int64], appID: String) throws -> [KeyShape]

  /// The models of the keys that are not revoked, of some accounts that have such keys, in the order of the names' bytes.
  ///
  /// - Parameters:
  ///   - username: accounts that come after this name; empty for the first ones.
  ///   - limit: how many accounts at most.
  func usableModels(after username: String, appID: String, limit: Int) throws -> [AccountModels]

  /// How many keys there are of each model that has any, whatever their AppID, in the order of the AAIDs.
  ///
  /// Looks at each key: a second for a million of them.
  func countsByModel() throws -> [ModelCount]

  /// Whether somebody has a key of this model with this KeyID, revoked or not.
  func exists(_ aaid: AAID, _ keyID: KeyID) throws -> Bool

  /// The machines an account has keys on, the one that was used last first.
  ///
  /// Keys that name no machine are one entry: nobody can say whether they are of one.
  func devices(of username: String) throws -> [AccountDevice]

  /// Stores a new key.
  ///
  /// A machine that already has a name here keeps it.
  ///
  /// - Parameters:
  ///   - origin: what let it be registered.
  ///   - now: seconds since 1970.
  /// - Returns: false if the request names the machine otherwise than before.
  func add(_ key: VerifiedRegistration, issued: IssuedRequest, origin: KeyOrigin, now: Int64) throws -> Bool

  /// Has a key count for the steps of administrators from now on.
  ///
  /// - Parameter voucher: by whose word, as the audit names them.
  /// - Returns: false if the account has no such key that is not revoked.
  func vouch(for aaid: AAID, _ keyID: KeyID, of username: String, by voucher: String) throws -> Bool

  /// Stores the counter of a verified signature, if the key may be used and its counter has grown, or both are 0.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: false if it was revoked, blocked or used beside this meanwhile.
  func raiseCounter(_ signature: VerifiedAuthentication, of username: String, now: Int64) throws -> Bool

  /// Deletes the keys of one person on one machine.
  ///
  /// The KeyIDs of those that were not revoked are kept, see ``deregisteredKeyIDs(of:)``.
  ///
  /// - Parameters:
  ///   - deviceID: nil stands for keys that were registered without naming a machine, not for all machines.
  ///   - aaid: nil for every model.
  ///   - keyIDs: the keys it is about; none for all that the machine has.
  /// - Returns: which keys were deleted.
  func removeAll(
    of username: String, appID: String, deviceID: String?, aaid: AAID?, keyIDs: [KeyID]
  ) throws -> [(aaid: AAID, keyID: KeyID)]

  /// The keys of an account for those who administer them, oldest first, revoked ones and those of other AppIDs included.
  func records(of username: String) throws -> [KeyRecord]

  /// The KeyIDs of keys that an account had, and that its person has deregistered or replaced; the newest
  /// ``DeregisteredKeys/mostKept`` of them.
  ///
  /// They go with the account, and with a revocation of all its keys or of all on their machine.
  func deregisteredKeyIDs(of username: String) throws -> [KeyID]

  /// Marks keys as revoked; those that were revoked before keep what is known about that.
  ///
  /// - Returns: how many were not revoked before.
  func revoke(_ keys: KeySelection, _ revocation: Revocation) throws -> Int
}

/// What is kept of keys that their person has deregistered.
///
/// The machine that had one still asks for the state of the account: whoever deregistered and is disabled then must not get in
/// there.
package enum DeregisteredKeys {
  /// How many KeyIDs are kept of an account.
  ///
  /// A machine whose KeyID is forgotten is told that the account is disabled.
  package static let mostKept = 32
}

extension Credentials {
  /// The keys of an account for an AppID that count for the steps of administrators, oldest first.
  ///
  /// - Throws: as ``keys(of:appID:)``.
  func vouchedKeys(of username: String, appID: String) throws -> [StoredKey] {
    let counting = try records(of: username).filter(\.countsForSteps)
    return try keys(of: username, appID: appID).filter { key in
      counting.contains { $0.aaid == key.aaid && $0.keyID == key.keyID }
    }
  }

  /// Whether a proof of an account's person allows a further key: the account has a key that can be used, and none of its keys
  /// was revoked since the proof was made.
  ///
  /// Revoking the keys of an account means that its person gets no other one without a code.
  ///
  /// - Parameter time: when the proof was made, or the registration that it began; in seconds since 1970.
  func allowFurtherKey(for username: String, byProofMadeAt time: Int64) throws -> Bool {
    let revocations = try records(of: username).map(\.revocation)
    return revocations.contains(nil)
      && revocations.allSatisfy { revocation in revocation.map { $0.time < time } ?? true }
  }
}
