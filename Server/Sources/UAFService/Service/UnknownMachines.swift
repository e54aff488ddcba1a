import Synchronization
import UAFCrypto
import UAFMessages

/// A machine that says that it has joined, and that this server does not know.
///
/// Nothing that it says about itself is verified: anybody can send such a report.
package struct UnknownMachine: Equatable, Sendable {
  /// The device ID that it names; for a machine of an earlier version, the ID that it got from a server, as base64url.
  package let id: String
  package let name: String?
  /// Where its last report came from; empty if that is not known.
  package let address: String
  /// Its first and its last report, in seconds since 1970.
  package let firstAt: Int64
  package let lastAt: Int64
  /// How many reports it has sent.
  package let count: Int
}

/// The machines that this instance has refused as unknown.
///
/// They are in memory alone, because strangers can name any: an entry lasts a week, and there are at most ``most`` of them. When
/// they are that many, a new machine replaces the newest one from the address with the most entries. So somebody who invents
/// machines displaces only what he has invented himself, unless he has as many addresses as there are entries.
package final class UnknownMachines: Sendable {
  /// The most machines that are remembered.
  package static let most = 500
  /// For how many seconds a machine is remembered after its last report.
  static let lifetime: Int64 = 604_800

  private struct State {
    var machines: [String: UnknownMachine] = [:]
    var reports = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// How many reports were refused since the start.
  package var reports: Int { state.withLock { $0.reports } }

  /// The remembered machines, the latest report first.
  ///
  /// - Parameter now: seconds since 1970.
  package func all(now: Int64) -> [UnknownMachine] {
    state.withLock { state in
      Self.forget(in: &state, now: now)
      return state.machines.values.sorted { ($1.lastAt, $0.id) < ($0.lastAt, $1.id) }
    }
  }

  /// Remembers a refused report.
  ///
  /// - Parameters:
  ///   - id: as ``UnknownMachine/id``.
  ///   - now: seconds since 1970.
  func note(_ id: String, name: String?, from address: String, now: Int64) {
    state.withLock { state in
      state.reports += 1
      Self.forget(in: &state, now: now)
      let before = state.machines[id]
      if before == nil, state.machines.count >= Self.most { Self.makeRoom(in: &state) }
      state.machines[id] = UnknownMachine(
        id: id, name: name, address: address, firstAt: before?.firstAt ?? now, lastAt: now,
        count: (before?.count ?? 0) + 1)
    }
  }

  /// Forgets a machine that this server knows now.
  func remove(_ id: String) { state.withLock { $0.machines[id] = nil } }

  private static func forget(in state: inout State, now: Int64) {
    guard state.machines.values.contains(where: { now &- $0.lastAt >= lifetime }) else { return }
    state.machines = state.machines.filter { now &- $0.value.lastAt < lifetime }
  }

  private static func makeRoom(in state: inout State) {
    var counts: [String: Int] = [:]
    for machine in state.machines.values { counts[machine.address, default: 0] += 1 }
    let fullest = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    let newest = state.machines.values.filter { $0.address == fullest }.max {
      ($0.firstAt, $0.id) < ($1.firstAt, $1.id)
    }
    if let newest { state.machines[newest.id] = nil }
  }
}

extension CheckInService {
  /// The signed answer to a machine that this server does not know, and remembers it.
  ///
  /// Only a proof that is in its form, in time and for this body is answered. So an answer never says that a machine is unknown
  /// because of a wrong clock or a changed report. The caller has found that no machine of this server made the proof.
  ///
  /// - Parameters:
  ///   - header: the proof as it was received.
  ///   - address: where the request came from; empty if that is not known.
  /// - Returns: nil for anything else, which gets no reason.
  /// - Throws: ``CryptoError``.
  package func denial(of header: String?, over body: [UInt8], from address: String) throws -> CheckInAnswer? {
    let now = environment.now()
    guard let header, let proof = try MachineProofs.covering(body, in: header, now: now),
      let report = (try? CheckInRequest(parsing: body))?.report
    else { return nil }
    environment.unknown.note(
      report.deviceID ?? Base64URL.encode(proof.machineID), name: report.deviceName, from: address, now: now)
    let statement = UnknownMachineStatement(proofHash: try SHA256.hash(Array(header.utf8)), issuedAt: now)
    return CheckInAnswer(
      statusCode: .forbidden, token: try environment.keys.statement(statement.json, .machineUnknown))
  }
}

extension MachineProofs {
  /// The proof in a header if it is for a check-in with this body, and in time; its code is not checked.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``CryptoError``.
  static func covering(_ body: [UInt8], in header: String, now: Int64) throws -> MachineProof? {
    guard header.utf8.count <= MachineProof.maximumCharacters, let proof = MachineProof.read(header)?.proof,
      isInTime(proof, now: now), proof.claim == .checkIn(bodyHash: try SHA256.hash(body))
    else { return nil }
    return proof
  }
}
