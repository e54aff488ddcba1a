import UAFCrypto
import UAFMessages
import UAFService

/// What administrators do with the API's tokens and with administrators.
package struct AccessAdministration: Sendable {
  /// How long a token may be good for, in seconds.
  package static let lifetimes: ClosedRange<Int64> = 60...315_360_000
  /// How many ranges of addresses a token may have.
  package static let mostAddresses = 16

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  // MARK: Tokens

  /// Makes a token.
  ///
  /// - Parameters:
  ///   - lifetime: in seconds.
  ///   - addresses: ranges, which the caller has checked; none for every address.
  /// - Returns: what is known about it, and the token itself, which is shown once.
  /// - Throws: ``AdministrationRefusal``, also if there was one of the name; ``StoreFailure``.
  package func createToken(
    _ name: String, role: Role, lifetime: Int64, addresses: [String] = [], by caller: Caller
  ) async throws -> (token: AccessToken, text: String) {
    try caller.require(.manageAccess)
    guard Username.isValid(name) else {
      throw AdministrationRefusal.invalid(
        field: "name", reason: "must be 1 to 128 printable ASCII characters without white space")
    }
    guard Self.lifetimes.contains(lifetime) else {
      throw AdministrationRefusal.invalid(field: "lifetime", reason: "must be 60 to 315360000 seconds")
    }
    guard addresses.count <= Self.mostAddresses else {
      throw AdministrationRefusal.invalid(field: "addresses", reason: "at most \(Self.mostAddresses)")
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
    try await environment.store.write { [environment] records in
      try Self.require(caller, in: records)
      guard try records.accessTokens.add(token, hash: TokenText.hash(text)) else {
        throw AdministrationRefusal.conflict("there is, or was, a token \(name)")
      }
      let text = JSONValue.object(detail).text
      try records.audit.append([environment.event(.tokenCreation, by: caller, detail: text)])
    }
    return (token, text)
  }

  /// All tokens in the order of their names, those that ended included.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func tokens(by caller: Caller) async throws -> [AccessToken] {
    try caller.require(.manageAccess)
    return try await environment.store.read { try $0.accessTokens.all() }
  }

  /// Revokes a token, from its next request on.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func revokeToken(_ name: String, by caller: Caller) async throws {
    try caller.require(.manageAccess)
    try await environment.store.write { [environment] records in
      try Self.require(caller, in: records)
      guard try records.accessTokens.revoke(name, now: environment.now()) else {
        throw AdministrationRefusal.unknown("token", name: name)
      }
      let detail = JSONValue.object(["token": .string(name)]).text
      try records.audit.append([environment.event(.tokenRevocation, by: caller, detail: detail)])
    }
  }

  // MARK: Administrators

  /// Makes an account's person an administrator, or gives them another role.
  ///
  /// The last one with the role administrator keeps it. An open code of the account is closed.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func setAdministrator(_ name: String, role: Role, by caller: Caller) async throws {
    try caller.require(.manageAccess)
    try AccountReach.check(name)
    try await environment.store.write { [environment] records in
      try Self.require(caller, in: records)
      guard try records.accounts.exists(name) else {
        throw AdministrationRefusal.unknown("account", name: name)
      }
      let now = environment.now()
      if role != .administrator { try Self.requireAnother(than: name, in: records, now: now) }
      // Somebody who may not enrol administrators may have given out a code before, and could become this one.
      if try records.accounts.summary(of: name, now: now)?.hasOpenCode == true {
        try records.enrolments.close(for: name)
        try records.audit.append([environment.event(.enrolmentClosure, by: caller, account: name)])
      }
      try records.administrators.set(
        StoredAdministrator(name: name, role: role.rawValue, addedBy: caller.actor.text, addedAt: now))
      try records.consoleSessions.removeAll(of: name)
      let detail = JSONValue.object(["role": .string(role.rawValue)]).text
      try records.audit.append([environment.event(.administratorChange, by: caller, account: name, detail: detail)])
    }
  }

  /// All administrators in the order of their names.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func administrators(by caller: Caller) async throws -> [StoredAdministrator] {
    try caller.require(.manageAccess)
    return try await environment.store.read { try $0.administrators.all() }
  }

  /// Removes an administrator; their account stays.
  ///
  /// - Parameter force: also the last one with the role administrator.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func removeAdministrator(_ name: String, force: Bool = false, by caller: Caller) async throws {
    try caller.require(.manageAccess)
    try await environment.store.write { [environment] records in
      try Self.require(caller, in: records)
      if !force { try Self.requireAnother(than: name, in: records, now: environment.now()) }
      guard try records.administrators.remove(name) else {
        throw AdministrationRefusal.unknown("administrator", name: name)
      }
      try records.consoleSessions.removeAll(of: name)
      try records.audit.append([environment.event(.administratorRemoval, by: caller, account: name)])
    }
  }

  /// Refuses to take the role from the last administrator who can sign in.
  private static func requireAnother(than name: String, in records: any StoreTransaction, now: Int64) throws {
    let administrators = try records.administrators.all().filter { $0.role == Role.administrator.rawValue }
    guard administrators.contains(where: { $0.name == name }) else { return }
    let another = try administrators.first { other in
      guard other.name != name, let account = try records.accounts.summary(of: other.name, now: now) else {
        return false
      }
      return account.keys > 0 && account.block?.refusal(at: now) == nil
    }
    guard another != nil else {
      throw AdministrationRefusal.conflict("\(name) is the last administrator who can sign in")
    }
  }

  /// Refuses a caller whose role or token was taken since the request came: it may have waited for other transactions.
  private static func require(_ caller: Caller, in records: any StoreTransaction) throws {
    let isStill =
      switch caller.actor {
      case .administrator(let name): try records.administrators.administrator(name)?.role == caller.role.rawValue
      case .token(let name): try records.accessTokens.all().contains { $0.name == name && $0.revokedAt == nil }
      case .person, .server, .machine, .commandLine: true
      }
    guard isStill else { throw AdministrationRefusal.notAllowed(.manageAccess) }
  }
}
