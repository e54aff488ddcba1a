import UAFCrypto
import UAFMessages

/// Takes what machines that have joined tell of themselves, and gives them their workstation policy.
package struct CheckInService: Sendable {
  /// What became of a report.
  package enum Outcome: Sendable {
    case noted(CheckInAnswer, JoinedMachine)
    /// The proof is of no machine that has joined, of another body, or was used before.
    case unknown
  }

  /// For how long a proof is good, on both sides of its time.
  private static let proofLifetime = 2 * MachineProofs.clockTolerance

  private let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) { self.environment = environment }

  /// Whether a machine's proof goes with a body.
  ///
  /// - Throws: ``CryptoError``.
  package static func isProved(_ body: [UInt8], by machine: KnownMachine) throws -> Bool {
    guard machine.isJoined, machine.claim.isCheckIn else { return false }
    return machine.claim == .checkIn(bodyHash: try SHA256.hash(body))
  }

  /// Keeps a report, and answers it with a signed statement.
  ///
  /// The report and its rows of the audit are stored in one commit.
  ///
  /// - Parameters:
  ///   - machine: has proved that it sends this report; see ``isProved(_:by:)``.
  ///   - address: where the request came from; empty if that is not known.
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func checkIn(
    _ request: CheckInRequest, by machine: KnownMachine, from address: String = ""
  ) async throws -> Outcome {
    let report = request.report
    let now = environment.now()
    let proofs = MachineProofs(keys: environment.keys)
    let made = Set(try report.offlineLogins.filter { try proofs.isMade($0, by: machine.machineID) }.map(\.number))
    // Whoever has got hold of a request must not be taken for a copy of the machine by sending it again.
    let use = "check-in \(Base64URL.encode(machine.nonce))"
    let noted = try await environment.store.write { records -> JoinedMachine? in
      guard let known = try records.joinedMachines.machine(machineID: machine.machineID),
        try records.usedProofs.use(tokenID: use, expiresAt: now + Self.proofLifetime, now: now)
      else { return nil }
      let accounts = report.offlineLogins.isEmpty ? [] : try Self.accounts(on: known, records)
      let judged = JudgedReport(report, of: known, now: now)
      try records.audit.append(judged.rows(verified: made, accounts: accounts, from: address))
      try records.joinedMachines.note(judged.contact, report, machineID: machine.machineID)
      return known
    }
    guard let noted else { return .unknown }
    return .noted(try await answer(to: report, of: noted, provedBy: machine, now: now), noted)
  }

  /// The most keys of a machine that are looked at.
  private static let mostKeys = 1000

  /// The accounts that have or had keys on a machine.
  private static func accounts(on machine: JoinedMachine, _ records: any StoreTransaction) throws -> Set<String> {
    Set(try records.machines.keys(on: machine.id, limit: mostKeys).map(\.username))
  }

  private func answer(
    to report: MachineReport, of noted: JoinedMachine, provedBy machine: KnownMachine, now: Int64
  ) async throws -> CheckInAnswer {
    // Read before the policy: a policy that is changed meanwhile is news for the machine again.
    let news = environment.machinePolicies.news
    let policy = try await environment.machinePolicies.policy(for: noted)
    let statement = CheckInStatement(
      deviceID: noted.id, machineID: machine.machineID, nonce: machine.nonce, policy: policy?.version, news: news,
      issuedAt: now)
    let token = try environment.keys.statement(statement.json, .machineCheckIn)
    // A machine that follows no policy names no version. It would only refuse one.
    let isNew = policy.map { report.policy != nil && $0.version != report.policy } ?? false
    return CheckInAnswer(statusCode: .ok, token: token, policy: isNew ? policy?.document : nil)
  }
}
