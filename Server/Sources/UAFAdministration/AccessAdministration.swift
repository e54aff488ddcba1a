import UAFCrypto
import UAFMessages
import UAFService

/// What administrators do with the API's tokens and with administrators.
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
  /// It ends with the role of the administrator who made it, or with the token that made it, and never outlives that token. A
  /// token that may do more than read is made only after a signature.
  ///
  /// - Parameters:
  ///   - lifetime: in seconds.
  ///   - addresses: ranges, which the caller has checked; an empty list allows every address.
  /// - Returns: what is known about the token, and its text, which is shown once.
  /// - Throws: ``AdministrationRefusal``, including when a token of that name exists or existed; ``StoreFailure``.
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
  /// It is refused from its next request on, and in a request that waits already.
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

  /// Makes an account's person an administrator, or gives them another role.
  ///
  /// The last account with the role administrator keeps that role. Everything handed out before ends with the change: an open
  /// code of the account, its sessions, and the tokens and codes that it has made. A key of the account is valid for
  /// administrators' steps if an administrator signed for its code, or if it is named here. A code that is issued from now on
  /// needs a signature, and makes a key that is valid, too.
  ///
  /// - Parameter keys: the keys of the account that are valid from now on, as they were shown; needs a signature.
  /// - Throws: ``AdministrationRefusal``, including when a key does not exist, or has a different issuer; ``StoreFailure``.
  package func setAdministrator(
    _ name: String, role: Role, counting keys: [EarlierKey] = [], by caller: Caller
  ) async throws {
    try AccountReach.check(name)
    let permitted = try caller.require(.manageAccess)
    if !keys.isEmpty { try caller.requireSignature() }
    try await environment.change(.of(name), by: permitted) { [environment] records in
      guard try records.accounts.exists(name) else {
        throw AdministrationRefusal.unknown("account", name: name)
      }
      let now = environment.now()
      if role != .administrator { try Self.requireAnother(than: name, in: records, now: now) }
      try Self.vouch(for: keys, of: name, by: caller, in: records)
      let earlier = EarlierAuthority(environment: environment, records: records, caller: caller)
      // Somebody who may not enrol administrators may have issued a code before, and could become this one.
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
    let stored = try records.credentials.records(of: name)
    for key in keys {
      guard stored.contains(where: key.isSame),
        try records.credentials.vouch(for: key.name.aaid, key.name.keyID, of: name, by: caller.actor.text)
      else {
        throw AdministrationRefusal.conflict(.keyGone(name, key: key.text))
      }
    }
  }

  /// The usable keys of an account that are not valid for administrators' steps.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func earlierKeys(of name: String, by caller: Caller) async throws -> [EarlierKey] {
    try caller.require(.manageAccess)
    let keys = try await KeyAdministration(environment).keys(of: name, by: caller)
    return keys.filter { $0.revocation == nil && !$0.countsForSteps }.map { EarlierKey($0) }
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
  /// - Parameter force: removes even the last one with the role administrator.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func removeAdministrator(_ name: String, force: Bool = false, by caller: Caller) async throws {
    try await environment.change(.of(name), by: caller.require(.manageAccess)) { [environment] records in
      if !force { try Self.requireAnother(than: name, in: records, now: environment.now()) }
      guard try records.administrators.remove(name) else {
        throw AdministrationRefusal.unknown("administrator", name: name)
      }
      try EarlierAuthority(environment: environment, records: records, caller: caller).endAuthority(of: name)
      try records.audit.append([environment.event(.administratorRemoval, by: caller, account: name)])
    }
  }

  /// Refuses to take the role from the last administrator who can sign in, or from any administrator if none can.
  private static func requireAnother(than name: String, in records: any StoreTransaction, now: Int64) throws {
    guard try records.administrators.administrator(name)?.role == Role.administrator.rawValue else { return }
    guard try records.hasUsableAdministrator(besides: name, now: now) else {
      throw AdministrationRefusal.conflict(.lastAdministrator(name))
    }
  }
}

/// Finds the caller that a token stands for.
package struct TokenCheck: Sendable {
  /// How often the use of a token is recorded, in seconds.
  private static let useInterval: Int64 = 60

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// The caller; nil if the token is not valid, as ``CallerStanding`` decides, or may not be used from the caller's address.
  ///
  /// - Parameters:
  ///   - text: the token.
  ///   - address: the caller's address, for the audit.
  ///   - isWithin: whether the caller is in one of these ranges of addresses.
  /// - Throws: ``StoreFailure``.
  package func caller(
    of text: String, address: String, isWithin: ([String]) -> Bool
  ) async throws -> Caller? {
    guard TokenText.isValid(text) else { return nil }
    // The token is found by its hash: how long the search takes reveals nothing about the token.
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
/// The prefix lets a program that searches files for secrets find a token.
package enum TokenText {
  static let randomBytes = 32
  private static let prefix = "uafs_"

  static func make(_ random: [UInt8]) -> String { prefix + Base64URL.encode(random) }

  /// Whether a text may be a token; no other text is looked up.
  package static func isValid(_ text: String) -> Bool {
    guard text.utf8.starts(with: prefix.utf8), text.utf8.count == prefix.utf8.count + 43 else { return false }
    return text.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        || byte == 0x5F
    }
  }

  /// The hash of a token, which the store keeps.
  static func hash(_ text: String) throws -> [UInt8] { try SHA256.hash(Array(text.utf8)) }
}
