import UAFMessages
import UAFService

/// The operations on keys.
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

  /// The passkeys of an account, oldest first, revoked ones included.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func passkeys(of username: String, by caller: Caller) async throws -> [PasskeyRecord] {
    try caller.require(.read)
    return try await environment.read { records in
      guard try records.accounts.exists(username) else {
        throw AdministrationRefusal.unknown("account", name: username)
      }
      return try records.passkeys.passkeys(of: username)
    }
  }

  /// Revokes keys; keys that were revoked before are not changed.
  ///
  /// If all keys on a machine are revoked and the machine had joined, the server no longer knows it, and it cannot join again
  /// with the same code.
  ///
  /// If all keys of an account are revoked, its codes and open texts are closed too. If any key is revoked, the console
  /// sessions of its account end.
  ///
  /// No signature is required here: revoking only takes rights away, and a token cannot sign. The console requires one if
  /// ``AccountAdministration/needsSignature(toChange:by:)`` says so, and always before it revokes all keys of an account or a
  /// machine.
  ///
  /// - Returns: the number of keys that were not revoked before.
  /// - Throws: ``AdministrationRefusal``, also if no key is selected; ``StoreFailure``.
  @discardableResult
  package func revoke(_ keys: KeySelection, reason: String = "", by caller: Caller) async throws -> Int {
    let permitted = try caller.require(.revoke)
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
      let count = try records.revoke(keys, revocation)
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
      guard isThere else { throw AdministrationRefusal.unknown("key", name: KeyName.uaf(aaid, keyID).text) }
    case .passkey(let id, let username):
      let isThere = try records.passkeys.passkeys(of: username).contains { $0.id == id }
      guard isThere else { throw AdministrationRefusal.unknown("key", name: KeyName.passkey(id).text) }
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
      detail.set("key", .string(KeyName.uaf(aaid, keyID).text))
    case .passkey(let id, let username):
      account = username
      detail.set("key", .string(KeyName.passkey(id).text))
    case .onMachine(let id, let username): (account, machine) = (username, id)
    case .machine(let id): machine = id
    }
    return environment.event(
      .revocation, by: caller, account: account, machine: machine, detail: JSONValue.object(detail).text)
  }
}

/// The name of a key, for people and programs.
package enum KeyName: Equatable, Sendable {
  /// A key of UAF.
  case uaf(AAID, KeyID)
  /// A passkey, by the credential's identifier.
  case passkey([UInt8])

  private static let passkeyWord = "passkey"

  /// AAID or `passkey`, a space, and KeyID or identifier in base64url.
  package var text: String { "\(modelText) \(idText)" }

  /// AAID or `passkey`.
  package var modelText: String {
    switch self {
    case .uaf(let aaid, _): aaid.text
    case .passkey: Self.passkeyWord
    }
  }

  /// KeyID or identifier in base64url.
  package var idText: String {
    switch self {
    case .uaf(_, let keyID): keyID.text
    case .passkey(let id): Base64URL.encode(id)
    }
  }

  /// This key of an account.
  package func selection(of username: String) -> KeySelection {
    switch self {
    case .uaf(let aaid, let keyID): .one(aaid, keyID, of: username)
    case .passkey(let id): .passkey(id, of: username)
    }
  }

  /// Reads what ``text`` has written; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return nil }
    if parts[0].isIdentical(to: Self.passkeyWord) {
      guard let id = try? Base64URL.decode(parts[1], maximumCount: 1023), !id.isEmpty else { return nil }
      self = .passkey(id)
      return
    }
    guard let aaid = try? AAID(parts[0]), let keyID = try? KeyID(json: .string(parts[1]), path: "key") else {
      return nil
    }
    self = .uaf(aaid, keyID)
  }

  /// Reads a key that somebody has typed: AAID or `passkey`, a space, and the KeyID or identifier.
  ///
  /// - Parameter field: the name of the field with the text, for the refusal.
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)`` for anything else.
  package init(named text: String, field: String) throws(AdministrationRefusal) {
    guard let name = KeyName(text) else { throw .invalid(field: field, .notAKey) }
    self = name
  }
}

/// A key that a person registered before they got a role.
///
/// It is not accepted for the steps of administrators until an administrator says so.
package struct EarlierKey: Equatable, Sendable {
  package let name: KeyName
  /// The issuer of its enrolment code, as it was shown to the administrator who accepts the key; nil if no issuer was shown.
  package let issuedBy: String?

  /// The text for an unknown issuer.
  static let unknownIssuer = "unknown"

  package init(_ name: KeyName, issuedBy: String? = nil) {
    self.name = name
    self.issuedBy = issuedBy
  }

  package init(_ key: KeyRecord) {
    self.init(.uaf(key.aaid, key.keyID), issuedBy: key.origin.issuedBy ?? Self.unknownIssuer)
  }

  package init(_ passkey: PasskeyRecord) {
    self.init(.passkey(passkey.id), issuedBy: passkey.origin.issuedBy ?? Self.unknownIssuer)
  }

  /// The name of the key, followed by a space and the issuer if one was shown.
  package var text: String { ([name.text] + [issuedBy].compactMap(\.self)).joined(separator: " ") }

  /// Reads what ``text`` has written; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard let name = KeyName(parts.prefix(2).joined(separator: " ")) else { return nil }
    self.init(name, issuedBy: parts.count == 3 ? String(parts[2]) : nil)
  }

  /// Reads keys, one on each line, that were shown together with the issuers of their codes.
  ///
  /// Keys without an issuer are refused: the administrator could not see who let them be registered.
  ///
  /// - Parameter field: the name of the field with the text, for the refusal.
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
  func isSame(as other: EarlierKey) -> Bool {
    name == other.name && (issuedBy == nil || issuedBy == other.issuedBy)
  }
}
