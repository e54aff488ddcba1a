import UAFCrypto
import UAFMessages

/// Lets machines join with a code, and leave again.
package struct JoinService: Sendable {
  /// The outcome of a request to join.
  package enum Outcome: Sendable {
    case joined(JoinAnswer, JoinedMachine)
    case refused(ServiceRefusal)
  }

  /// What an accepted request gets: its machine's join record, the group and the secret.
  private struct Place {
    let machine: JoinedMachine
    let group: MachineGroup
    let secret: MachineSecret
  }

  /// How many codes may have been issued between a backup and its restore, and as many again since then, so that a machine which
  /// joined in between can prove itself; each costs an HMAC.
  private static let mostLostCodes: Int64 = 256

  private let environment: ServiceEnvironment

  package init(environment: ServiceEnvironment) { self.environment = environment }

  /// Whether a machine's proof covers this body.
  ///
  /// - Throws: ``CryptoError``.
  package static func isProved(_ body: [UInt8], by machine: KnownMachine) throws -> Bool {
    guard machine.isJoined, machine.claim.isJoining else { return false }
    return machine.claim == .joining(bodyHash: try SHA256.hash(body))
  }

  /// Records that a machine has joined with a code, and gives it its secret with a signed statement.
  ///
  /// The join record and the row of the audit are stored in one commit. A machine that joins again with the same code gets the
  /// same secret, since the first answer may have been lost. Once a machine has sent a report with its secret, it must prove
  /// that it has the secret before it can join again: the code alone does not allow anybody to join as an existing machine.
  ///
  /// - Parameters:
  ///   - prover: a machine that has proved that it sends this request; see ``isProved(_:by:)``. nil for none.
  ///   - address: where the request came from; empty if that is not known.
  /// - Throws: ``StoreFailure``; ``CryptoError``.
  package func join(
    _ request: JoinRequest, provedBy prover: KnownMachine? = nil, from address: String = ""
  ) async throws -> Outcome {
    // Checked first in a transaction that only reads, so that a wrong code does not delay the transactions that write.
    guard try await environment.store.read({ try $0.joinCodes.code(request.code) }) != nil else {
      return .refused(.wrongJoinCode)
    }
    let now = environment.now()
    let proofs = MachineProofs(keys: environment.keys)
    let joined = try await environment.store.write { records in
      try Self.place(for: request, provedBy: prover, from: address, records, proofs, now: now)
    }
    switch joined {
    case .failure(let refusal): return .refused(refusal)
    case .success(let place):
      // The machine may have left before: then it is no longer among the departed ones.
      try? await environment.departed.renew(from: environment.store, keys: environment.keys)
      environment.unknown.remove(place.machine.id)
      return .joined(try answer(to: request, place, now: now), place.machine)
    }
  }

  /// Stores the join record, or returns the reason for a refusal; inside the transaction.
  private static func place(
    for request: JoinRequest, provedBy prover: KnownMachine?, from address: String, _ records: any StoreTransaction,
    _ proofs: MachineProofs, now: Int64
  ) throws -> Result<Place, ServiceRefusal> {
    guard let code = try records.joinCodes.code(request.code) else { return .failure(.wrongJoinCode) }
    let known = try records.joinedMachines.machine(request.deviceID, code: code.number)
    if let refusal = refusal(of: code, known, now: now) { return .failure(refusal) }
    let standing = try standing(request.deviceID, proofs, records.joinedMachines)
    if let standing, standing.codeNumber != code.number || standing.contact?.mark != nil {
      guard let prover, try isOf(request.deviceID, prover, records, proofs) else { return .failure(.machineJoined) }
    }
    guard let group = MachineGroup(known?.group ?? code.group) else { return .failure(.internalError) }
    let machine = JoinedMachine(
      codeNumber: code.number, id: request.deviceID, name: request.deviceName, model: request.deviceModel,
      system: request.deviceOS, group: group.name, joinedAt: now)
    let secret = try proofs.secret(ofMachine: machine.id, joinedWith: code.number)
    try records.joinedMachines.keep(machine, machineID: secret.machineID)
    // It knows what its payload says, and reports that at its first check-in.
    try records.machineTrusts.note(nil, of: machine.id)
    try records.audit.append([event(.machineJoin, machine, isAgain: known != nil, from: address, now: now)])
    return .success(Place(machine: machine, group: group, secret: secret))
  }

  /// Why a machine cannot join with a code; nil if it can.
  private static func refusal(of code: JoinCode, _ known: JoinedMachine?, now: Int64) -> ServiceRefusal? {
    let state = code.state(at: now)
    switch state {
    case .closed: return .wrongJoinCode
    case .expired: return .joinCodeExpired
    case .open, .usedUp: break
    }
    guard let known else { return state == .usedUp ? .joinCodeUsedUp : nil }
    // A revoked machine may have been stolen, and the code with it.
    return known.revokedAt == nil ? nil : .machineRevoked
  }

  /// Whether a machine has proved that it has this device ID.
  ///
  /// If an older copy of the store was restored, the record of the machine's last join may be missing. Then the secret alone
  /// proves it, because it is computed from the device ID. A secret of which there is a record was replaced, or taken away: it
  /// proves nothing.
  private static func isOf(
    _ id: String, _ prover: KnownMachine, _ records: any StoreTransaction, _ proofs: MachineProofs
  ) throws -> Bool {
    if let known = try records.joinedMachines.machine(machineID: prover.machineID) {
      return known.id.isIdentical(to: id)
    }
    let last = try records.joinCodes.page(before: nil, limit: 1).first?.number ?? 0
    let number = try (max(1, last - mostLostCodes)...(last + mostLostCodes)).first { number in
      try proofs.numbers(ofMachine: id, joinedWith: number).contains(prover.machineID)
    }
    guard let number else { return false }
    return try records.joinedMachines.machine(id, code: number) == nil
  }

  /// The join record of a machine that has joined and has a secret with which it can prove itself; nil if it has not joined,
  /// has left, or has a secret that is no longer accepted.
  private static func standing(
    _ id: String, _ proofs: MachineProofs, _ machines: any JoinedMachines
  ) throws -> JoinedMachine? {
    guard let place = try machines.machine(id), place.departedAt == nil else { return nil }
    let numbers = try proofs.numbers(ofMachine: id, joinedWith: place.codeNumber)
    return try numbers.contains { try machines.machine(machineID: $0) != nil } ? place : nil
  }

  private func answer(to request: JoinRequest, _ place: Place, now: Int64) throws -> JoinAnswer {
    let statement = JoinStatement(
      deviceID: place.machine.id, nonce: request.nonce, group: place.group,
      secretHash: try SHA256.hash(place.secret.bytes), issuedAt: now)
    let token = try environment.keys.statement(statement.json, .machineJoin)
    return JoinAnswer(statusCode: .ok, machineSecret: place.secret, token: token)
  }

  /// Lets a machine that has joined leave: the server does not know it from then on.
  ///
  /// It still counts as one of the machines that the code allows.
  ///
  /// - Returns: nil for a machine that has not joined, and for a proof that is not for an empty request.
  /// - Throws: ``StoreFailure``.
  package func leave(_ machine: KnownMachine, from address: String = "") async throws -> JoinedMachine? {
    guard machine.isJoined, machine.claim.asksForState else { return nil }
    let now = environment.now()
    let left = try await environment.store.write { records -> JoinedMachine? in
      guard let left = try records.joinedMachines.markLeft(machineID: machine.machineID, now: now) else { return nil }
      try records.audit.append([Self.event(.machineLeave, left, from: address, now: now)])
      return left
    }
    // The machine has left even if this renewal fails: the next one is a second later.
    if left != nil { try? await environment.departed.renew(from: environment.store, keys: environment.keys) }
    return left
  }

  private static func event(
    _ kind: AuditKind, _ machine: JoinedMachine, isAgain: Bool = false, from address: String, now: Int64
  ) -> AuditEntry {
    var detail: JSONObject = [
      "code": .integer(machine.codeNumber), "group": .string(machine.group), "device": .string(machine.id),
    ]
    if isAgain { detail.set("again", .bool(true)) }
    return AuditEntry(
      time: now, kind: kind, actor: .machine, address: address, machine: machine.name ?? machine.id,
      detail: JSONValue.object(detail).text)
  }
}
