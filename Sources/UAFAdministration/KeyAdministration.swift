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

  /// Revokes keys; those that were revoked before stay as they are.
  ///
  /// With a machine it is an unknown one again, if it had joined, and does not join again with the same code.
  ///
  /// With all keys of an account its codes and open texts are closed, too. With any key, the sessions of its account in the
  /// console end.
  ///
  /// - Returns: how many were not revoked before.
  /// - Throws: ``AdministrationRefusal``, also if no key is meant; ``StoreFailure``.
  package func revoke(_ keys: KeySelection, reason: String = "", by caller: Caller) async throws -> Int {
    try caller.require(.revoke)
    try ReasonText.check(reason)
    return try await environment.change(.revoke, .having(keys), by: caller) { [environment] records in
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
