import UAFMessages
import UAFService

/// What administrators do with keys.
package struct KeyAdministration: Sendable {
  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// The keys of an account, oldest first, revoked ones included.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func keys(of username: String, by caller: Caller) async throws -> [KeyRecord] {
    try caller.require(.read)
    return try await environment.read { records in
      guard try records.accounts.exists(username) else {
        throw AdministrationRefusal.unknown("account", name: username)
      }
      return try records.credentials.records(of: username)
    }
  }

  /// Revokes keys of an account, which are named in the way that people name them.
  ///
  /// - Parameters:
  ///   - key: the key to revoke, as ``EarlierKey/init(named:field:)`` reads it; nil for all.
  ///   - device: the device id of the machine whose keys to revoke; nil for all.
  /// - Returns: how many were not revoked before.
  /// - Throws: as ``revoke(_:reason:by:)``; ``AdministrationRefusal/invalid(field:_:)`` if both a key and a machine are named,
  ///   and for what is not a key.
  @discardableResult
  package func revoke(
    of account: String, key: String? = nil, device: String? = nil, reason: String = "", by caller: Caller
  ) async throws -> Int {
    let permitted = try caller.require(.revoke)
    let keys: KeySelection
    switch (key, device) {
    case (nil, nil): keys = .all(of: account)
    case (nil, let device?): keys = .onMachine(device, of: account)
    case (let key?, nil):
      let key = try EarlierKey(named: key, field: "key")
      keys = .one(key.aaid, key.keyID, of: account)
    default:
      throw AdministrationRefusal.invalid(field: "key", .keyAndDevice)
    }
    return try await revoke(keys, reason: reason, by: permitted)
  }

  /// Revokes keys; keys that were revoked before stay as they are.
  ///
  /// If a machine is named and had joined, it is unknown again, and cannot join again with the same code.
  ///
  /// If all keys of an account are revoked, its codes and open texts are closed, too. If any key is revoked, the sessions of
  /// its account in the console end.
  ///
  /// - Returns: how many were not revoked before.
  /// - Throws: ``AdministrationRefusal``, including when no key is selected; ``StoreFailure``.
  package func revoke(_ keys: KeySelection, reason: String = "", by caller: Caller) async throws -> Int {
    try await revoke(keys, reason: reason, by: caller.require(.revoke))
  }

  private func revoke(_ keys: KeySelection, reason: String, by permitted: PermittedCaller) async throws -> Int {
    let caller = permitted.caller
    try ReasonText.check(reason)
    return try await environment.change(.having(keys), by: permitted) { [environment] records in
      try check(keys, in: records)
      if case .all(let username) = keys {
        try records.enrolments.close(for: username)
        try records.approvals.close(for: username)
      }
      for username in try ChangedAccounts.people(of: keys, in: records) {
        try records.consoleSessions.removeAll(of: username)
      }
      let revocation = Revocation(time: environment.now(), by: caller.actor.text, reason: reason)
      let count = try records.credentials.revoke(keys, revocation)
      if case .machine(let id) = keys { try records.joinedMachines.revoke(id, now: revocation.time) }
      try records.audit.append([event(keys, count, reason, by: caller)])
      return count
    }
  }

  private func check(_ keys: KeySelection, in records: any StoreTransaction) throws {
    switch keys {
    case .all(let username):
      guard try records.accounts.exists(username) else {
        throw AdministrationRefusal.unknown("account", name: username)
      }
    case .one(let aaid, let keyID, let username):
      let isThere = try records.credentials.records(of: username).contains { $0.aaid == aaid && $0.keyID == keyID }
      guard isThere else { throw AdministrationRefusal.unknown("key", name: "\(aaid.text) \(keyID.text)") }
    case .onMachine(let id, let username):
      let isThere = try records.credentials.records(of: username).contains { $0.deviceID == id }
      guard isThere else { throw AdministrationRefusal.unknown("machine", name: id) }
    case .machine(let id):
      guard try records.machines.machine(id) != nil || records.joinedMachines.machine(id) != nil else {
        throw AdministrationRefusal.unknown("machine", name: id)
      }
    }
  }

  private func event(_ keys: KeySelection, _ count: Int, _ reason: String, by caller: Caller) -> AuditEntry {
    var detail: JSONObject = ["keys": .integer(Int64(count))]
    if !reason.isEmpty { detail.set("reason", .string(reason)) }
    var (account, machine) = ("", "")
    switch keys {
    case .all(let username): account = username
    case .one(let aaid, let keyID, let username):
      account = username
      detail.set("key", .string("\(aaid.text) \(keyID.text)"))
    case .onMachine(let id, let username): (account, machine) = (username, id)
    case .machine(let id): machine = id
    }
    return environment.event(
      .revocation, by: caller, account: account, machine: machine, detail: JSONValue.object(detail).text)
  }
}

/// A key as people name it: one to be revoked, or, with its issuer, an earlier key of a person who is given a role.
package struct EarlierKey: Equatable, Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// The issuer of its code, as shown to the administrator who accepts the key; nil if no issuer was shown.
  package let issuedBy: String?

  /// The text for an unknown issuer.
  static let unknownIssuer = "unknown"

  package init(aaid: AAID, keyID: KeyID, issuedBy: String? = nil) {
    self.aaid = aaid
    self.keyID = keyID
    self.issuedBy = issuedBy
  }

  package init(_ key: KeyRecord) {
    self.init(aaid: key.aaid, keyID: key.keyID, issuedBy: key.origin.issuedBy ?? Self.unknownIssuer)
  }

  /// AAID, a space, KeyID; then a space and the issuer, if there is one.
  package var text: String { ([aaid.text, keyID.text] + [issuedBy].compactMap(\.self)).joined(separator: " ") }

  /// Reads what ``text`` has written; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 2, let aaid = try? AAID(parts[0]),
      let keyID = try? KeyID(json: .string(parts[1]), path: "key")
    else { return nil }
    self.init(aaid: aaid, keyID: keyID, issuedBy: parts.count == 3 ? parts[2] : nil)
  }

  /// Reads a key as people name it: AAID, a space, and the KeyID in base64url.
  ///
  /// - Parameter field: the field that contains it, for the refusal.
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)`` for anything else.
  package init(named text: String, field: String) throws(AdministrationRefusal) {
    guard let key = EarlierKey(text), key.issuedBy == nil else {
      throw .invalid(field: field, .notAKey)
    }
    self = key
  }

  /// Reads keys that were shown with the issuers of their codes, one on a line: without an issuer nobody could see where a key
  /// comes from.
  ///
  /// - Parameter field: the field that contains them, for the refusal.
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)`` for anything else.
  package static func shown(_ text: String, field: String) throws(AdministrationRefusal) -> [EarlierKey] {
    let lines = text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
    let keys = lines.compactMap { EarlierKey($0) }
    guard keys.count == lines.count, keys.allSatisfy({ $0.issuedBy != nil }) else {
      throw .invalid(field: field, .notOnlyKeys)
    }
    return keys
  }

  /// Whether a stored key is this one, with the issuer that was shown.
  func isSame(as key: KeyRecord) -> Bool {
    let other = EarlierKey(key)
    return aaid == other.aaid && keyID == other.keyID && (issuedBy == nil || issuedBy == other.issuedBy)
  }
}
