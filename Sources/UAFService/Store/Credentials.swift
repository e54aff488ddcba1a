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
  /// - Parameter now: seconds since 1970.
  /// - Returns: false if the request names the machine otherwise than before.
  func add(_ key: VerifiedRegistration, issued: IssuedRequest, now: Int64) throws -> Bool

  /// Deletes the keys of one person on one machine.
  ///
  /// - Parameters:
  ///   - deviceID: nil stands for keys that were registered without naming a machine, not for all machines.
  ///   - aaid: nil for every model.
  ///   - keyIDs: the keys it is about; none for all that the machine has.
  /// - Returns: which keys were deleted.
  func removeAll(
    of username: String, appID: String, deviceID: String?, aaid: AAID?, keyIDs: [KeyID]
  ) throws -> [(aaid: AAID, keyID: KeyID)]

  /// Marks every key of an account as revoked.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: how many were not revoked before.
  func revokeAll(of username: String, now: Int64) throws -> Int
}
