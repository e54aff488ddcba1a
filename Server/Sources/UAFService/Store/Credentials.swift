import UAFCrypto
import UAFMessages

/// The registered keys.
package protocol Credentials {
  /// The keys of an account for an AppID, oldest first, revoked ones included.
  ///
  /// - Throws: an error of the store, and one if a stored value is not a key; a caller then refuses.
  func keys(of username: String, appID: String) throws -> [StoredKey]

  /// How many keys an account has for an AppID, and how long their KeyIDs are together; revoked keys are not counted.
  func usage(of username: String, appID: String) throws -> KeyUsage

  /// The key shapes of some accounts, revoked keys included; none for those without keys.
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
  /// It reads every key: a second for a million of them.
  func countsByModel() throws -> [ModelCount]

  /// Whether somebody has a key of this model with this KeyID, revoked or not.
  func exists(_ aaid: AAID, _ keyID: KeyID) throws -> Bool

  /// The machines on which an account has keys, the most recently used one first.
  ///
  /// Keys that name no machine are one entry: it is not known whether they are on the same machine.
  func devices(of username: String) throws -> [AccountDevice]

  /// Stores a new key.
  ///
  /// A machine that already has a name here keeps it.
  ///
  /// - Parameters:
  ///   - origin: what allowed its registration.
  ///   - now: seconds since 1970.
  /// - Returns: false if the machine keeps a name that differs from the request's.
  func add(_ key: VerifiedRegistration, issued: IssuedRequest, origin: KeyOrigin, now: Int64) throws -> Bool

  /// Lets a key be used for the steps of administrators from now on.
  ///
  /// - Parameter voucher: who vouches for it, as the audit names them.
  /// - Returns: false if the account has no such key that is not revoked.
  func vouch(for aaid: AAID, _ keyID: KeyID, of username: String, by voucher: String) throws -> Bool

  /// Stores the counter of a verified signature, if the key may be used and its counter has grown, or both are 0.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: false if the key was revoked, blocked or used in the meantime.
  func raiseCounter(_ signature: VerifiedAuthentication, of username: String, now: Int64) throws -> Bool

  /// Deletes the keys of one person on one machine.
  ///
  /// The KeyIDs of those that were not revoked are kept, see ``deregisteredKeyIDs(of:)``.
  ///
  /// - Parameters:
  ///   - deviceID: nil means keys that were registered without naming a machine, not all machines.
  ///   - aaid: nil for every model.
  ///   - keyIDs: the keys to delete; empty for all that the machine has.
  /// - Returns: the deleted keys.
  func removeAll(
    of username: String, appID: String, deviceID: String?, aaid: AAID?, keyIDs: [KeyID]
  ) throws -> [(aaid: AAID, keyID: KeyID)]

  /// The keys of an account for its administrators, oldest first, including revoked ones and those of other AppIDs.
  func records(of username: String) throws -> [KeyRecord]

  /// The KeyIDs of keys that an account had, and that its person has deregistered or replaced; the newest
  /// ``DeregisteredKeys/mostKept`` of them.
  ///
  /// They are removed with the account, and when all its keys or all on their machine are revoked.
  func deregisteredKeyIDs(of username: String) throws -> [KeyID]

  /// Marks keys as revoked; keys that were revoked before keep that record.
  ///
  /// - Returns: how many were not revoked before.
  func revoke(_ keys: KeySelection, _ revocation: Revocation) throws -> Int
}

/// The limits for records of keys that their person has deregistered.
///
/// The machine that had one still asks for the state of the account: a person who deregistered and is disabled later must not
/// get in there.
package enum DeregisteredKeys {
  /// How many KeyIDs are kept of an account.
  ///
  /// A machine whose KeyID is forgotten is told that the account is disabled.
  package static let mostKept = 32
}

extension Credentials {
  /// The keys of an account for an AppID that are accepted for the steps of administrators, oldest first.
  ///
  /// - Throws: like ``keys(of:appID:)``.
  func vouchedKeys(of username: String, appID: String) throws -> [StoredKey] {
    let counting = try records(of: username).filter(\.countsForSteps)
    return try keys(of: username, appID: appID).filter { key in
      counting.contains { $0.aaid == key.aaid && $0.keyID == key.keyID }
    }
  }

  /// Whether a proof of an account's person allows a further key: the account has a key that can be used, and none of its keys
  /// was revoked since the proof was made.
  ///
  /// To revoke the keys of an account means that its person gets no new one without a code. Times have whole seconds, so they
  /// cannot show which came first of a proof and a revocation in one second. The digest can.
  ///
  /// - Parameters:
  ///   - time: when the proof was made, or the registration that it began; in seconds since 1970.
  ///   - mark: ``revocationMark(of:)`` at that time; nil in data that an earlier version has issued.
  func allowFurtherKey(for username: String, byProofMadeAt time: Int64, marked mark: [UInt8]?) throws -> Bool {
    let revocations = try records(of: username).map(\.revocation)
    guard revocations.contains(nil) else { return false }
    if let mark { return try revocationMark(of: username) == mark }
    return revocations.allSatisfy { revocation in revocation.map { $0.time < time } ?? true }
  }

  /// SHA-256 of the account's revoked keys: it changes as soon as a further key is revoked.
  ///
  /// - Throws: the store's errors; ``CryptoError``.
  func revocationMark(of username: String) throws -> [UInt8] {
    let revoked = try records(of: username).filter { $0.revocation != nil }
    let names = revoked.map { "\($0.aaid.text) \($0.keyID.text)\n" }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    return try SHA256.hash(Array(names.joined().utf8))
  }
}

/// One registered key, as administrators see it.
package struct KeyRecord: Equatable, Sendable {
  package let username: String
  package let aaid: AAID
  package let keyID: KeyID
  package let authenticatorVersion: UInt16
  package let signCounter: UInt32
  /// The machine that it was registered on; nil if the client named none.
  package let deviceID: String?
  package let deviceName: String?
  /// Seconds since 1970, and so are the others.
  package let registeredAt: Int64
  package let lastUsedAt: Int64?
  /// nil for a key that can be used.
  package let revocation: Revocation?
  /// Where its registration came from.
  package let origin: KeyOrigin

  package init(
    username: String, aaid: AAID, keyID: KeyID, authenticatorVersion: UInt16, signCounter: UInt32, deviceID: String?,
    deviceName: String?, registeredAt: Int64, lastUsedAt: Int64?, revocation: Revocation?,
    origin: KeyOrigin = KeyOrigin()
  ) {
    self.username = username
    self.aaid = aaid
    self.keyID = keyID
    self.authenticatorVersion = authenticatorVersion
    self.signCounter = signCounter
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.registeredAt = registeredAt
    self.lastUsedAt = lastUsedAt
    self.revocation = revocation
    self.origin = origin
  }

  /// Whether it can be used for the steps of administrators: to sign in to the console, and to confirm there.
  package var countsForSteps: Bool { revocation == nil && origin.vouchedBy != nil }
}

/// The code or proof with which a key was registered, and who vouches for it in the steps of administrators.
package struct KeyOrigin: Equatable, Sendable {
  /// Who issued the code with which the key was registered, as the audit names them.
  ///
  /// ``byProof`` for a key that was added with a registered key; nil if it is not known.
  package let issuedBy: String?
  /// Who vouches that the key is accepted for the steps of administrators; nil for a key that is not.
  package let vouchedBy: String?
  /// Whether the machine, which has joined, has proved that the key was made on it.
  package var isMachineProved = false

  /// The value for a proof by a different key of the account.
  package static let byProof = "proof"

  package init(issuedBy: String? = nil, vouchedBy: String? = nil) {
    self.issuedBy = issuedBy
    self.vouchedBy = vouchedBy
  }

  /// The origin of a key that is registered with a code: the key is accepted for the steps of administrators if an
  /// administrator has signed for the code, or if it was issued at the server.
  ///
  /// - Parameter code: nil if the issuer is not known.
  package init(_ code: IssuedCode?) {
    self.init(issuedBy: code?.issuedBy, vouchedBy: code?.reachesPrivileged == true ? code?.issuedBy : nil)
  }

  /// The origin of a key that registered keys have signed for: it is accepted for the steps of administrators if each of them
  /// is.
  package init(signedBy keys: [KeyRecord]) {
    let counts = !keys.isEmpty && keys.allSatisfy { $0.revocation == nil && $0.countsForSteps }
    self.init(issuedBy: Self.byProof, vouchedBy: counts ? Self.byProof : nil)
  }
}

/// How much of its limits an account uses; revoked keys are not counted.
package struct KeyUsage: Equatable, Sendable {
  /// The most keys of an account: two models on each of 128 machines.
  static let maximumKeys = 256
  /// The most bytes of all its KeyIDs together.
  ///
  /// A request for a name contains its KeyIDs in base64url, once for each version of UAF. With this limit that is 180 KB at the
  /// most, and uaf-fetch accepts 256 KiB. KeyIDs of this project's authenticators have 32 bytes, others up to 2048.
  static let maximumKeyIDBytes = 65_536

  let keys: Int
  let keyIDBytes: Int

  package init(keys: Int, keyIDBytes: Int) {
    self.keys = keys
    self.keyIDBytes = keyIDBytes
  }

  /// Whether the account may have keys with these KeyIDs in addition.
  func hasRoom(for keyIDs: [KeyID]) -> Bool {
    let bytes = keyIDs.reduce(keyIDBytes) { $0 + $1.bytes.count }
    return keys + keyIDs.count <= Self.maximumKeys && bytes <= Self.maximumKeyIDBytes
  }
}

/// The keys of an operation.
package enum KeySelection: Equatable, Sendable {
  /// All keys of an account.
  case all(of: String)
  /// One key of an account.
  case one(AAID, KeyID, of: String)
  /// All keys of an account on one machine.
  case onMachine(String, of: String)
  /// All keys on one machine, of any account.
  case machine(String)
}

/// When a key was revoked, by whom and why.
package struct Revocation: Equatable, Sendable {
  /// Seconds since 1970.
  package let time: Int64
  /// As the audit names them; empty for a key that an older version of the server revoked.
  package let by: String
  /// Empty if no reason was given.
  package let reason: String

  package init(time: Int64, by: String, reason: String = "") {
    self.time = time
    self.by = by
    self.reason = reason
  }
}

/// The models of the keys with which an account can log in, machine by machine.
package struct AccountModels: Equatable, Sendable {
  package let username: String
  /// AAIDs in lower case, a set for each machine.
  ///
  /// Keys without a machine are a set of their own.
  package let machines: [Set<String>]

  package init(username: String, machines: [Set<String>]) {
    self.username = username
    self.machines = machines
  }

  /// Joins rows of one machine each, in the order of accounts.
  package static func joined(_ rows: [(username: String, aaids: Set<String>)]) -> [AccountModels] {
    rows.reduce(into: []) { accounts, row in
      let isNext = accounts.last?.username != row.username
      let machines = isNext ? [] : accounts.removeLast().machines
      accounts.append(AccountModels(username: row.username, machines: machines + [row.aaids]))
    }
  }
}

/// How many keys of one model are registered.
package struct ModelCount: Equatable, Sendable {
  package let aaid: AAID
  /// The keys that are not revoked.
  package let keys: Int
  package let revokedKeys: Int

  package init(aaid: AAID, keys: Int, revokedKeys: Int) {
    self.aaid = aaid
    self.keys = keys
    self.revokedKeys = revokedKeys
  }
}
