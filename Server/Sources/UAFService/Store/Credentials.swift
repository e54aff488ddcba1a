import UAFCrypto
import UAFMessages

/// The registered keys.
package protocol Credentials {
  /// The keys of an account for an AppID, oldest first, revoked ones included.
  ///
  /// - Throws: an error of the store, also if a stored value is not a key; the caller must then refuse.
  func keys(of username: String, appID: String) throws -> [StoredKey]

  /// The number of keys that an account has for an AppID, and the total length of their KeyIDs; revoked keys are not counted.
  func usage(of username: String, appID: String) throws -> KeyUsage

  /// The key shapes of some accounts, revoked keys included; accounts without keys are left out.
  ///
  /// - Parameter numbers: the accounts' numbers, see ``Accounts/lastNumber()``.
  func shapes(ofAccounts numbers: [Int64], appID: String) throws -> [KeyShape]

  /// The models of the keys that are not revoked, for accounts that have such keys, in the order of the names' bytes.
  ///
  /// - Parameters:
  ///   - username: accounts that come after this name; empty for the first ones.
  ///   - limit: how many accounts at most.
  func usableModels(after username: String, appID: String, limit: Int) throws -> [AccountModels]

  /// The number of keys of each model that has keys, for all AppIDs together, in the order of the AAIDs.
  ///
  /// It reads every key, which takes a second for a million keys.
  func countsByModel() throws -> [ModelCount]

  /// Whether any account has a key of this model with this KeyID, revoked or not.
  func exists(_ aaid: AAID, _ keyID: KeyID) throws -> Bool

  /// The machines on which an account has keys, the most recently used one first.
  ///
  /// All keys that name no machine are one entry: the server does not know whether they are on the same machine.
  func devices(of username: String) throws -> [AccountDevice]

  /// Stores a new key.
  ///
  /// A machine that already has a name at this server keeps it.
  ///
  /// - Parameters:
  ///   - origin: what allowed the registration of the key.
  ///   - now: seconds since 1970.
  /// - Returns: false if the machine keeps a name that differs from the one in the request.
  func add(_ key: VerifiedRegistration, issued: IssuedRequest, origin: KeyOrigin, now: Int64) throws -> Bool

  /// Marks a key as accepted for the steps of administrators.
  ///
  /// - Parameter voucher: who vouches for the key, in the form of ``AuditActor/text``.
  /// - Returns: false if the account has no such key that is not revoked.
  func vouch(for aaid: AAID, _ keyID: KeyID, of username: String, by voucher: String) throws -> Bool

  /// Stores the counter of a verified signature, if the key may be used and the counter is higher than the stored one, or both
  /// are 0.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: false if the key was revoked, blocked or used in the meantime.
  func raiseCounter(_ signature: VerifiedAuthentication, of username: String, now: Int64) throws -> Bool

  /// Deletes the keys of one person on one machine.
  ///
  /// The KeyIDs of the keys that were not revoked are remembered, see ``deregisteredKeyIDs(of:)``.
  ///
  /// - Parameters:
  ///   - deviceID: the machine; nil for the keys that name no machine, not for the keys on all machines.
  ///   - aaid: nil for every model.
  ///   - keyIDs: the keys to delete; empty for all keys on the machine.
  /// - Returns: the deleted keys.
  func removeAll(
    of username: String, appID: String, deviceID: String?, aaid: AAID?, keyIDs: [KeyID]
  ) throws -> [(aaid: AAID, keyID: KeyID)]

  /// The keys of an account for its administrators, oldest first, including revoked ones and those of other AppIDs.
  func records(of username: String) throws -> [KeyRecord]

  /// The KeyIDs of the keys that the account's person has deregistered or replaced: the newest ``DeregisteredKeys/mostKept``.
  ///
  /// They are removed with the account, and when all keys of the account, or all on the machine, are revoked.
  func deregisteredKeyIDs(of username: String) throws -> [KeyID]

  /// Marks keys of UAF as revoked; keys that were revoked before keep their earlier record.
  ///
  /// ``StoreTransaction/revoke(_:_:)`` revokes passkeys too.
  ///
  /// - Returns: how many were not revoked before.
  func revoke(_ keys: KeySelection, _ revocation: Revocation) throws -> Int
}

/// The limits for the remembered KeyIDs of deregistered keys.
///
/// A machine on which a person has deregistered still asks the server for the state of the account: if the account is disabled
/// later, the machine must not let the person in.
package enum DeregisteredKeys {
  /// How many KeyIDs are remembered for an account.
  ///
  /// If a machine's KeyID is forgotten, the server tells the machine that the account is disabled.
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

  /// Whether a proof by an account's person allows a further key: it does if the account has a key that can be used, and none
  /// of its keys was revoked since the proof was made.
  ///
  /// Once an administrator has revoked keys of an account, its person must not get a new key without a code. Times are whole
  /// seconds, so if a proof and a revocation happen in the same second, the times cannot show which came first. The digest
  /// shows it.
  ///
  /// - Parameters:
  ///   - time: when the proof was made, or when the registration began that it allowed; in seconds since 1970.
  ///   - mark: ``revocationMark(of:)`` at that time; nil if the proof was issued by an earlier version of the server.
  func allowFurtherKey(for username: String, byProofMadeAt time: Int64, marked mark: [UInt8]?) throws -> Bool {
    let revocations = try records(of: username).map(\.revocation)
    guard revocations.contains(nil) else { return false }
    if let mark { return try revocationMark(of: username) == mark }
    return revocations.allSatisfy { revocation in revocation.map { $0.time < time } ?? true }
  }

  /// A digest of the account's revoked keys, which changes whenever a further key is revoked.
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
  /// In seconds since 1970, like the times below.
  package let registeredAt: Int64
  package let lastUsedAt: Int64?
  /// nil for a key that can be used.
  package let revocation: Revocation?
  /// What allowed the registration of the key.
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

  /// Whether the key is accepted for the steps of administrators: to sign in to the console, and to confirm steps there.
  package var countsForSteps: Bool { revocation == nil && origin.vouchedBy != nil }
}

/// The code or proof with which a key was registered, and who vouches for it in the steps of administrators.
package struct KeyOrigin: Equatable, Sendable {
  /// Who issued the code with which the key was registered, in the form of ``AuditActor/text``.
  ///
  /// ``byProof`` for a key that was added with a registered key; nil if the issuer is not known.
  package let issuedBy: String?
  /// Who vouches for the key, so that it is accepted for the steps of administrators; nil if nobody does.
  package let vouchedBy: String?
  /// Whether a joined machine has proved that the key was made on it.
  package var isMachineProved = false

  /// The value of ``issuedBy`` and ``vouchedBy`` if a different key of the account allowed the registration.
  package static let byProof = "proof"

  package init(issuedBy: String? = nil, vouchedBy: String? = nil) {
    self.issuedBy = issuedBy
    self.vouchedBy = vouchedBy
  }

  /// The origin of a key that is registered with a code.
  ///
  /// The key is accepted for the steps of administrators if the code may be for a privileged account.
  ///
  /// - Parameter code: nil if the issuer is not known.
  package init(_ code: IssuedCode?) {
    self.init(issuedBy: code?.issuedBy, vouchedBy: code?.reachesPrivileged == true ? code?.issuedBy : nil)
  }

  /// The origin of a key that registered keys have signed.
  ///
  /// The new key is accepted for the steps of administrators if each of those keys is.
  package init(signedBy keys: [KeyRecord]) {
    let counts = !keys.isEmpty && keys.allSatisfy { $0.revocation == nil && $0.countsForSteps }
    self.init(issuedBy: Self.byProof, vouchedBy: counts ? Self.byProof : nil)
  }
}

/// The number and the size of an account's keys, and their limits; revoked keys are not counted.
package struct KeyUsage: Equatable, Sendable {
  /// The most keys of an account: enough for two models on each of 128 machines.
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

  /// Whether keys with these KeyIDs can be added without exceeding a limit.
  func hasRoom(for keyIDs: [KeyID]) -> Bool {
    let bytes = keyIDs.reduce(keyIDBytes) { $0 + $1.bytes.count }
    return keys + keyIDs.count <= Self.maximumKeys && bytes <= Self.maximumKeyIDBytes
  }
}

/// The keys that an operation applies to.
package enum KeySelection: Equatable, Sendable {
  /// All keys of an account, passkeys included.
  case all(of: String)
  /// One key of an account.
  case one(AAID, KeyID, of: String)
  /// One passkey of an account.
  case passkey([UInt8], of: String)
  /// All keys of an account on one machine.
  case onMachine(String, of: String)
  /// All keys on one machine, of any account.
  case machine(String)
}

/// When a key was revoked, by whom and why.
package struct Revocation: Equatable, Sendable {
  /// Seconds since 1970.
  package let time: Int64
  /// In the form of ``AuditActor/text``; empty for a key that an older version of the server revoked.
  package let by: String
  /// Empty if no reason was given.
  package let reason: String

  package init(time: Int64, by: String, reason: String = "") {
    self.time = time
    self.by = by
    self.reason = reason
  }
}

/// The models of the keys with which an account can log in, for each machine.
package struct AccountModels: Equatable, Sendable {
  package let username: String
  /// AAIDs in lower case, a set for each machine.
  ///
  /// Keys that name no machine are one set.
  package let machines: [Set<String>]

  package init(username: String, machines: [Set<String>]) {
    self.username = username
    self.machines = machines
  }

  /// Merges rows, each about one machine, into one value for each account.
  ///
  /// The rows of an account must follow each other.
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
