import UAFMessages
import UAFService

/// Issues unlocks for people whose accounts a machine has locked.
package struct UnlockAdministration: Sendable {
  /// How long an unlock is valid by default, in seconds.
  package static let standardLifetime: Int64 = 3600

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// Issues an unlock for one account on one machine.
  ///
  /// An unlock logs nobody in. It ends, once, the locks that the machine has put on the account.
  ///
  /// - Parameters:
  ///   - machine: the machine's device ID; if the machine reports none, the KeyID of one of the account's keys on it.
  ///   - lifetime: in seconds.
  ///   - reason: why the unlock is issued, for the audit.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; the errors of the environment's functions.
  package func issue(
    for username: String, on machine: String, lifetime: Int64 = standardLifetime, reason: String = "",
    by caller: Caller
  ) async throws -> IssuedUnlock {
    let permitted = try caller.require(.unlock)
    try AccountReach.check(username)
    guard UnlockStatement.lifetimes.contains(lifetime) else {
      throw AdministrationRefusal.invalid(field: "lifetime", .outOfRange(UnlockStatement.lifetimes, .seconds))
    }
    try ReasonText.check(reason)
    guard let unlocks = try environment.unlocks() else {
      throw AdministrationRefusal.conflict(.noSigningKeys)
    }
    let (id, salt) = (try environment.random(UnlockStatement.idByteCount), try environment.random(1).first ?? 0)
    let now = environment.now()
    return try await environment.change(.of(username), by: permitted) { [environment] records in
      guard try records.accounts.exists(username) else {
        throw AdministrationRefusal.unknown("account", name: username)
      }
      let (target, keyID) = try Self.target(machine, among: try records.credentials.records(of: username))
      let statement = UnlockStatement(
        account: username, target: target, id: id, issuedAt: now, expiresAt: now + lifetime)
      var detail: JSONObject = ["id": .string(Base64URL.encode(id)), "seconds": .integer(lifetime)]
      if case .key(let keyID) = target { detail.set("key", .string(keyID.text)) }
      detail.set("reason", reason.isEmpty ? nil : .string(reason))
      let device: String = if case .device(let device) = target { device } else { "" }
      try records.audit.append([
        environment.event(
          .unlock, by: caller, account: username, machine: device, detail: JSONValue.object(detail).text)
      ])
      return IssuedUnlock(
        statement: statement, payload: try unlocks.payload(statement),
        codes: try unlocks.codes(statement, holding: keyID, random: salt))
    }
  }

  /// The selected machine, and the key to which the machine's secret belongs: the account's first key there that is not
  /// revoked.
  private static func target(
    _ machine: String, among keys: [KeyRecord]
  ) throws(AdministrationRefusal) -> (UnlockStatement.Target, KeyID) {
    let usable = keys.filter { $0.revocation == nil }
    if let key = usable.first(where: { $0.deviceID == machine }) { return (.device(machine), key.keyID) }
    if let key = usable.first(where: { $0.keyID.text == machine }) { return (.key(key.keyID), key.keyID) }
    throw .unknown("machine or usable key of this account:", name: machine)
  }
}

/// An unlock as a person receives it.
///
/// It is shown only once, and is not stored.
package struct IssuedUnlock: Equatable, Sendable {
  package let statement: UnlockStatement
  /// The signed payload, one line.
  package let payload: String
  /// The unlock codes, one for each secret that the machine may have; empty if the server does not know the machine's secret.
  package let codes: [UnlockGrants.Typed]

  /// The ID under which both the server and the machine record the unlock in their logs.
  package var id: String { Base64URL.encode(statement.id) }
}
