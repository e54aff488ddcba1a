import Synchronization
import UAFCrypto
import UAFMessages

/// Receives the reports of machines that have joined, and gives them their workstation policy.
package struct CheckInService: Sendable {
  /// The outcome of a report.
  package enum Outcome: Sendable {
    case noted(CheckInAnswer, JoinedMachine)
    /// The proof is not that of a machine that has joined.
    case unknown
    /// The proof was used before, or may have been: it is from before a restore.
    case used
  }

  /// For how many seconds a proof is valid: as long before the time that it states as after it.
  private static let proofLifetime = 2 * MachineProofs.clockTolerance

  let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) { self.environment = environment }

  /// Whether a machine's proof covers this body.
  ///
  /// - Throws: ``CryptoError``.
  package static func isProved(_ body: [UInt8], by machine: KnownMachine) throws -> Bool {
    guard machine.isJoined, machine.claim.isCheckIn else { return false }
    return machine.claim == .checkIn(bodyHash: try SHA256.hash(body))
  }

  /// Stores a report, and answers it with a signed statement.
  ///
  /// The report and its rows of the audit are stored in one commit.
  ///
  /// - Parameters:
  ///   - machine: a machine that has proved that it sends this report; see ``isProved(_:by:)``.
  ///   - address: where the request came from; empty if that is not known.
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func checkIn(
    _ request: CheckInRequest, by machine: KnownMachine, from address: String = ""
  ) async throws -> Outcome {
    let (report, provedLogins) = try await proved(request.report, by: machine)
    let now = environment.now()
    // A proof is used once: otherwise somebody could send an intercepted report again, and the server would conclude that there
    // is a copy of the machine.
    let use = "check-in \(Base64URL.encode(machine.nonce))"
    typealias Noted = (machine: JoinedMachine?, isUsed: Bool, troubles: NewTroubles)
    let outcome = try await environment.store.write { records -> Noted in
      // A restored or moved store does not know which proofs were used before.
      let restoredAt = try records.settings.value(of: .restoredAt).flatMap { Int64($0) }
      guard let known = try records.joinedMachines.machine(machineID: machine.machineID) else {
        return (nil, false, NewTroubles())
      }
      guard restoredAt.map({ machine.madeAt > $0 }) ?? true,
        try records.usedProofs.use(tokenID: use, expiresAt: now + Self.proofLifetime, now: now)
      else { return (nil, true, NewTroubles()) }
      let judged = JudgedReport(report, of: known, restoredAt: restoredAt, now: now)
      try records.audit.append(judged.rows(verified: provedLogins, from: address))
      try records.joinedMachines.note(judged.contact, report, machineID: machine.machineID)
      try records.machineTrusts.note(report.trust, of: known.id)
      return (known, false, judged.troubles)
    }
    guard let noted = outcome.machine else { return outcome.isUsed ? .used : .unknown }
    environment.unknown.remove(noted.id)
    environment.troubles.count(outcome.troubles)
    return .noted(try await answer(to: report, of: noted, provedBy: machine, now: now), noted)
  }

  /// The report with only the proved locks and wrong values, and the proved logins.
  ///
  /// The locks and wrong values that are not proved are only counted.
  private func proved(
    _ report: MachineReport, by machine: KnownMachine
  ) async throws -> (report: MachineReport, logins: Set<OfflineLoginNote>) {
    guard !report.locks.isEmpty || !report.offlineLogins.isEmpty || !report.wrongValues.isEmpty else {
      return (report, [])
    }
    let keys = try await environment.store.read { [id = machine.machineID] records -> [KeyRecord] in
      guard let known = try records.joinedMachines.machine(machineID: id) else { return [] }
      return try records.machines.keys(on: known.id, limit: AccountProofs.mostKeys)
    }
    var proofs = AccountProofs(keys, on: machine.machineID, MachineProofs(keys: environment.keys))
    var proved = report
    proved.locks = try report.locks.filter { try proofs.isProved($0) }.map {
      ReportedLock(account: $0.account, type: $0.type, origin: $0.origin, until: $0.until)
    }
    // Capped: a machine may report any number.
    proved.moreLocks = min(report.moreLocks, Int(Int32.max)) + report.locks.count - proved.locks.count
    proved.wrongValues = try report.wrongValues.filter { try proofs.isProved($0) }.map {
      ReportedAttempts(account: $0.account, type: $0.type, origin: $0.origin, count: $0.count)
    }
    proved.moreWrongValues =
      min(report.moreWrongValues, Int(Int32.max)) + report.wrongValues.count - proved.wrongValues.count
    return (proved, Set(try report.offlineLogins.filter { try proofs.isProved($0) }))
  }

  private func answer(
    to report: MachineReport, of noted: JoinedMachine, provedBy machine: KnownMachine, now: Int64
  ) async throws -> CheckInAnswer {
    // Read before the policy: if the policy changes in between, the machine sees a newer number later, and asks again.
    let news = environment.machinePolicies.news
    let policy = try await environment.machinePolicies.policy(for: noted)
    let claims = CheckInClaims(
      deviceID: noted.id, machineID: machine.machineID, nonce: machine.nonce, issuedAt: now)
    let statement = CheckInStatement(claims, policy: policy?.version, news: news)
    let token = try environment.keys.statement(statement.json, .machineCheckIn)
    // A machine that follows no workstation policy names no version, and would refuse one.
    let isNew = policy.map { report.policy != nil && $0.version != report.policy } ?? false
    return CheckInAnswer(
      statusCode: .ok, token: token, policy: isNew ? policy?.document : nil,
      trust: try await trust(claims))
  }

  /// The signed statement about this server's keys, and about the authorities of its certificate.
  private func trust(_ claims: CheckInClaims) async throws -> String {
    let (announced, served) = try await environment.store.read { records in
      (try records.machineTrusts.authorities(), try ServedAuthorities(in: records).fingerprints)
    }
    let keys = environment.keys.verdictTrust
    var statement = TrustStatement(claims)
    (statement.keys, statement.endedKeys) = (keys.announced, keys.endedIDs)
    statement.authorities = announced.filter { $0.endedAt == nil }.prefix(TrustStatement.most).map(\.certificate)
    // The newest ends: machines that have checked in since know the earlier ones.
    // An authority of a certificate that is served does not end, whatever somebody has told the store: machines would refuse
    // this server.
    let ended = announced.filter { authority in
      authority.endedAt != nil && !served.contains(authority.fingerprint) && !environment.served.comes(from: authority)
    }.sorted { ($0.endedAt ?? 0) > ($1.endedAt ?? 0) }
    statement.endedAuthorities = ended.prefix(TrustStatement.most).map(\.fingerprint)
    return try environment.keys.statement(statement.json, .machineTrust)
  }
}

/// The joined machines that have left or were revoked, by their IDs at this server.
///
/// No request may wait for the store before it is admitted. So the IDs are kept in memory, and renewed once a second. Each such
/// machine has one ID for each accepted secret of the server.
package final class DepartedMachines: Sendable {
  /// How many changes are read in one transaction.
  private static let together = 1000

  private struct State {
    /// The secrets from which the IDs were computed.
    var secrets: [String] = []
    /// The number of the last change that is included.
    var last: Int64 = 0
    var numbers: Set<[UInt8]> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether the machine that proves itself with this ID has left or was revoked.
  package func contains(_ machineID: [UInt8]) -> Bool { state.withLock { $0.numbers.contains(machineID) } }

  /// Reads the changes since the last call from the store; if the server's secrets are different, all changes.
  ///
  /// Several tasks may renew at the same time.
  ///
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func renew(from store: any ServerStore, keys: ServerKeys) async throws {
    while true {
      let secrets = keys.machineSecretIDs
      let last = begin(secrets)
      let changes = try await store.read { try $0.joinedMachines.changes(after: last, limit: Self.together) }
      let proofs = MachineProofs(keys: keys)
      let found = try changes.map { change in
        (
          numbers: try proofs.numbers(ofMachine: change.machine.id, joinedWith: change.machine.codeNumber),
          isGone: change.machine.departedAt != nil
        )
      }
      let isTaken = state.withLock { state in
        // Otherwise a different task was faster, and may have newer changes.
        guard state.secrets == secrets, state.last == last else { return false }
        for (numbers, isGone) in found {
          if isGone { state.numbers.formUnion(numbers) } else { state.numbers.subtract(numbers) }
        }
        state.last = changes.last?.number ?? last
        return true
      }
      if isTaken, changes.count < Self.together { return }
    }
  }

  /// The number of the last change that is included with these secrets.
  ///
  /// IDs that were computed with secrets that are no longer accepted stay until the server ends. They do no harm: no machine
  /// has one.
  private func begin(_ secrets: [String]) -> Int64 {
    state.withLock { state in
      if state.secrets != secrets { (state.secrets, state.last) = (secrets, 0) }
      return state.last
    }
  }
}
