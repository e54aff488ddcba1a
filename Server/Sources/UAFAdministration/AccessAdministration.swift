import UAFCrypto
import UAFMessages
import UAFService

/// The operations on tokens of the API and on administrators.
package struct AccessAdministration: Sendable {
  /// How long a token of any role may be valid, in seconds; see ``Role/longestToken``.
  package static let lifetimes: ClosedRange<Int64> = 60...Role.auditor.longestToken
  /// How many ranges of addresses a token may have.
  package static let mostAddresses = 16

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  // MARK: Tokens

  /// Makes a token.
  ///
  /// The token stops being valid when the administrator who made it loses the role, or when the token with which it was made
  /// stops being valid. It never expires later than that token. A token that allows more than reading requires a signature.
  ///
  /// - Parameters:
  ///   - lifetime: in seconds.
  ///   - addresses: the ranges from which the token is accepted, already checked for their syntax; if the list is empty, every
  ///     address is allowed.
  /// - Returns: the record of the token, and its text, which is shown only once.
  /// - Throws: ``AdministrationRefusal``, also if a token with that name exists or existed; ``StoreFailure``.
  package func createToken(
    _ name: String, role: Role, lifetime: Int64, addresses: [String] = [], by caller: Caller
  ) async throws -> (token: AccessToken, text: String) {
    let permitted = try caller.require(.manageAccess)
    guard Username.isValid(name) else {
      throw AdministrationRefusal.invalid(
        field: "name", .badName)
    }
    if role != .auditor { try caller.requireSignature() }
    guard (Self.lifetimes.lowerBound...role.longestToken).contains(lifetime) else {
      throw AdministrationRefusal.invalid(
        field: "lifetime", .tokenLifetime(Self.lifetimes.lowerBound...role.longestToken, role))
    }
    guard addresses.count <= Self.mostAddresses else {
      throw AdministrationRefusal.invalid(field: "addresses", .tooMany(Self.mostAddresses))
    }
    let now = environment.now()
    let text = TokenText.make(try environment.random(TokenText.randomBytes))
    let token = AccessToken(
      name: name, role: role.rawValue, createdBy: caller.actor.text, createdAt: now, expiresAt: now + lifetime,
      addresses: addresses)
    let detail: JSONObject = [
      "token": .string(name), "role": .string(role.rawValue), "seconds": .integer(lifetime),
      "addresses": .array(addresses.map(JSONValue.string)),
    ]
    try await environment.change(.nobodys, by: permitted) { [environment] records in
      if case .token(let maker) = caller.actor, let end = try records.accessTokens.token(named: maker)?.expiresAt {
        guard token.expiresAt <= end else {
          throw AdministrationRefusal.invalid(
            field: "lifetime", .outlivesMaker)
        }
      }
      guard try records.accessTokens.add(token, hash: TokenText.hash(text)) else {
        throw AdministrationRefusal.conflict(.tokenExists(name))
      }
      let text = JSONValue.object(detail).text
      try records.audit.append([environment.event(.tokenCreation, by: caller, detail: text)])
    }
    return (token, text)
  }

  /// All tokens in the order of their names, including those that have expired or were revoked.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func tokens(by caller: Caller) async throws -> [AccessToken] {
    try caller.require(.manageAccess)
    return try await environment.read { try $0.accessTokens.all() }
  }

  /// Revokes a token, and the tokens and open codes that were made with it.
  ///
  /// Its next request is refused, and so are requests that are already waiting for the store.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func revokeToken(_ name: String, by caller: Caller) async throws {
    try await environment.change(.nobodys, by: caller.require(.manageAccess)) { [environment] records in
      guard try EarlierAuthority(environment: environment, records: records, caller: caller).revoke(name) else {
        throw AdministrationRefusal.unknown("token", name: name)
      }
    }
  }

  // MARK: Administrators

  /// Makes the person of an account an administrator, or changes their role.
  ///
  /// The role is not taken from the last administrator who can sign in. The change ends what was issued before: an open code
  /// for the account, its sessions, and the tokens and codes that it has made. An existing key of the account is accepted for
  /// the steps of administrators if an administrator signed for its enrolment code, or if it is in `keys`. Enrolment codes for
  /// the account need a signature from now on, and keys that are registered with them are accepted too.
  ///
  /// - Parameter keys: the existing keys that are accepted from now on, as they were shown to the caller; this needs a
  ///   signature.
  /// - Throws: ``AdministrationRefusal``, also if a key does not exist, or has a different issuer; ``StoreFailure``.
  package func setAdministrator(
    _ name: String, role: Role, counting keys: [EarlierKey] = [], by caller: Caller
  ) async throws {
    try AccountReach.check(name)
    guard Role.ofPeople.contains(role) else { throw AdministrationRefusal.invalid(field: "role", .unknown) }
    let permitted = try caller.require(.manageAccess)
    if !keys.isEmpty { try caller.requireSignature() }
    try await environment.change(.of(name), by: permitted) { [environment] records in
      guard try records.accounts.exists(name) else {
        throw AdministrationRefusal.unknown("account", name: name)
      }
      let now = environment.now()
      if role != .administrator { try Self.requireAnother(than: name, in: records, environment) }
      try Self.vouch(for: keys, of: name, by: caller, in: records)
      let earlier = EarlierAuthority(environment: environment, records: records, caller: caller)
      // The open code may come from somebody who is not allowed to enrol administrators, and who could use it to become this
      // one.
      if try records.accounts.summary(of: name, now: now)?.hasOpenCode == true { try earlier.closeCode(of: name) }
      try earlier.endAuthority(of: name)
      try records.administrators.set(
        StoredAdministrator(name: name, role: role.rawValue, addedBy: caller.actor.text, addedAt: now))
      var detail: JSONObject = ["role": .string(role.rawValue)]
      if !keys.isEmpty { detail.set("keys", .array(keys.map { .string($0.text) })) }
      let text = JSONValue.object(detail).text
      try records.audit.append([environment.event(.administratorChange, by: caller, account: name, detail: text)])
    }
  }

  private static func vouch(
    for keys: [EarlierKey], of name: String, by caller: Caller, in records: any StoreTransaction
  ) throws {
    let stored =
      try records.credentials.records(of: name).map { EarlierKey($0) }
      + records.passkeys.passkeys(of: name).map { EarlierKey($0) }
    for key in keys {
      guard stored.contains(where: key.isSame), try vouch(for: key.name, of: name, by: caller, in: records) else {
        throw AdministrationRefusal.conflict(.keyGone(name, key: key.text))
      }
    }
  }

  private static func vouch(
    for key: KeyName, of name: String, by caller: Caller, in records: any StoreTransaction
  ) throws -> Bool {
    let voucher = caller.actor.text
    return switch key {
    case .uaf(let aaid, let keyID): try records.credentials.vouch(for: aaid, keyID, of: name, by: voucher)
    case .passkey(let id): try records.passkeys.vouch(for: id, of: name, by: voucher)
    }
  }

  /// The usable keys of an account that are not accepted for the steps of administrators.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func earlierKeys(of name: String, by caller: Caller) async throws -> [EarlierKey] {
    try caller.require(.manageAccess)
    let keys = KeyAdministration(environment)
    return try await keys.keys(of: name, by: caller)
      .filter { $0.revocation == nil && !$0.countsForSteps }.map { EarlierKey($0) }
      + keys.passkeys(of: name, by: caller)
      .filter { $0.revocation == nil && !$0.countsForSteps }.map { EarlierKey($0) }
  }

  /// All administrators in the order of their names.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func administrators(by caller: Caller) async throws -> [StoredAdministrator] {
    try caller.require(.manageAccess)
    return try await environment.read { try $0.administrators.all() }
  }

  /// Removes an administrator; their account stays.
  ///
  /// A role by a mapping is not taken so: the person leaves the group, or the mapping is removed. Whoever is in such a group
  /// has its role after the one by hand is taken.
  ///
  /// - Parameter force: whether even the last administrator is removed.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func removeAdministrator(_ name: String, force: Bool = false, by caller: Caller) async throws {
    try await environment.change(.of(name), by: caller.require(.manageAccess)) { [environment] records in
      if !force { try Self.requireAnother(than: name, in: records, environment) }
      guard let administrator = try records.administrators.administrator(name) else {
        throw AdministrationRefusal.unknown("administrator", name: name)
      }
      if let id = administrator.group, let group = try records.personGroups.group(id) {
        throw AdministrationRefusal.conflict(.roleOfGroup(name, group: group.name))
      }
      _ = try records.administrators.remove(name)
      try EarlierAuthority(environment: environment, records: records, caller: caller).endAuthority(of: name)
      try records.audit.append([environment.event(.administratorRemoval, by: caller, account: name)])
      try MappedRoles(environment, records, caller).settle([name])
    }
  }

  /// Refuses to take the role from an administrator if no other one can sign in.
  private static func requireAnother(
    than name: String, in records: any StoreTransaction, _ environment: AdministrationEnvironment
  ) throws {
    guard try records.administrators.administrator(name)?.role == Role.administrator.rawValue else { return }
    guard
      try records.hasUsableAdministrator(
        besides: name, passkeys: environment.usablePasskeys(in: records), now: environment.now())
    else {
      throw AdministrationRefusal.conflict(.lastAdministrator(name))
    }
  }
}

/// Finds the caller to whom a token belongs.
package struct TokenCheck: Sendable {
  /// How often the use of a token is recorded, in seconds.
  private static let useInterval: Int64 = 60

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// The caller; nil if ``CallerStanding`` finds the token invalid, or if it cannot be used from the caller's address.
  ///
  /// - Parameters:
  ///   - text: the token.
  ///   - address: the caller's address, for the audit.
  ///   - isWithin: returns whether the caller's address is in one of these ranges.
  /// - Throws: ``StoreFailure``.
  package func caller(
    of text: String, address: String, isWithin: ([String]) -> Bool
  ) async throws -> Caller? {
    guard TokenText.isValid(text) else { return nil }
    // The token is looked up by its hash, so the duration of the search reveals nothing about it.
    let hash = try TokenText.hash(text)
    let now = environment.now()
    let found = try await environment.read { records in
      try records.accessTokens.token(hash: hash).flatMap { token in
        try CallerStanding(records: records, now: now).isGood(token) ? token : nil
      }
    }
    guard let token = found, let role = Role(rawValue: token.role),
      token.addresses.isEmpty || isWithin(token.addresses)
    else { return nil }
    if token.lastUsedAt.map({ now - $0 >= Self.useInterval }) ?? true {
      try await environment.writeCallerRecords { try $0.accessTokens.markUsed(token.name, now: now) }
    }
    return Caller(actor: .token(token.name), role: role, address: address)
  }
}

/// The format of the API's tokens: `uafs_`, and 32 random bytes in base64url.
///
/// By the prefix, a secret scanner can recognise a token in a file.
package enum TokenText {
  static let randomBytes = 32
  private static let prefix = "uafs_"

  static func make(_ random: [UInt8]) -> String { prefix + Base64URL.encode(random) }

  /// Whether a text has the form of a token; only such texts are looked up.
  package static func isValid(_ text: String) -> Bool {
    guard text.utf8.starts(with: prefix.utf8), text.utf8.count == prefix.utf8.count + 43 else { return false }
    return text.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        || byte == 0x5F
    }
  }

  /// The hash of a token; the store keeps only this hash.
  static func hash(_ text: String) throws -> [UInt8] { try SHA256.hash(Array(text.utf8)) }
}
