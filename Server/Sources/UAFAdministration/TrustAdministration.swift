import UAFMessages
import UAFService

/// Which machines lack a key or an authority by which they are going to know this server.
package struct TrustAdministration: Sendable {
  /// How many names of lacking machines are shown.
  package static let mostNames = 5

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// What machines have to learn before it is used: verdict keys to come, and announced authorities.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; an error if the keys cannot be read.
  package func coming(by caller: Caller) async throws -> [ComingTrust] {
    try caller.require(.read)
    let (keys, now) = (try environment.comingKeys(), environment.now())
    return try await environment.read { try ComingTrust.all(keys, in: $0, now: now) }
  }

  /// The machines that lack a key or an authority, in the order of their ids.
  ///
  /// - Parameters:
  ///   - name: the id of a verdict key, or the fingerprint of an authority.
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: at most 200.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func lacking(
    _ name: String, after id: String = "", limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<FleetMachine> {
    try caller.require(.read)
    try PageLimit.check(limit)
    guard let anchor = TrustAnchor(name) else { throw AdministrationRefusal.invalid(field: "lacks", .unknown) }
    let since = TrustReach.since(environment.now())
    let rows = try await environment.read { records in
      try records.machineTrusts.lacking(anchor, since: since, after: id, limit: limit + 1).compactMap { machine in
        let joined = try records.joinedMachines.machine(machine.id)
        return try records.machines.machine(machine.id)?.with(joined) ?? joined.map(FleetMachine.init)
      }
    }
    return Page(rows, limit: limit) { $0.id }
  }
}

/// A key or an authority that is going to be used, and who lacks it.
package struct ComingTrust: Equatable, Sendable {
  package let anchor: TrustAnchor
  /// From when on it is used, in seconds since 1970.
  package let usedFrom: Int64
  /// How many machines lack it; see ``MachineTrusts``.
  package let lacking: Int
  /// The names of the first of them.
  package let names: [String]

  package init(anchor: TrustAnchor, usedFrom: Int64, lacking: Int, names: [String]) {
    self.anchor = anchor
    self.usedFrom = usedFrom
    self.lacking = lacking
    self.names = names
  }

  /// Asks the store who lacks it.
  ///
  /// - Throws: ``StoreFailure``.
  package init(_ anchor: TrustAnchor, usedFrom: Int64, in records: any StoreTransaction, now: Int64) throws {
    self.anchor = anchor
    self.usedFrom = usedFrom
    let since = TrustReach.since(now)
    lacking = try records.machineTrusts.countLacking(anchor, since: since)
    names = try records.machineTrusts.lacking(anchor, since: since, after: "", limit: TrustAdministration.mostNames)
      .map(\.text)
  }

  /// What is going to be used: these verdict keys, and the announced authorities.
  ///
  /// An authority stays in the list after its time, until it is ended: the server's certificate may not be from it yet.
  ///
  /// - Throws: ``StoreFailure``.
  package static func all(
    _ keys: [(id: String, from: Int64)], in records: any StoreTransaction, now: Int64
  ) throws -> [ComingTrust] {
    let authorities = try records.machineTrusts.authorities().filter { $0.endedAt == nil }
    let coming =
      keys.map { (TrustAnchor.verdictKey($0.id), $0.from) }
      + authorities.map { (TrustAnchor.authority($0.fingerprint), $0.usedFrom) }
    return try coming.map { try ComingTrust($0, usedFrom: $1, in: records, now: now) }
  }

  /// The names, with a sign that there are more.
  package var namesText: String { names.joined(separator: ", ") + (lacking > names.count ? ", ..." : "") }
}
