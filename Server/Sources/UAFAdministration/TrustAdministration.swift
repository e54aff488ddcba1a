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
  /// - Parameter names: how many names of lacking machines are looked up at most.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``; an error if the keys cannot be read.
  package func coming(names: Int = TrustAdministration.mostNames, by caller: Caller) async throws -> [ComingTrust] {
    try caller.require(.read)
    let (keys, now) = (try environment.comingKeys(), environment.now())
    return try await environment.read { try ComingTrust.all(keys, names: names, in: $0, now: now) }
  }

  /// The machines that lack a key or an authority, in the order of their ids.
  ///
  /// - Parameters:
  ///   - name: the id of a verdict key, or the fingerprint of an authority, as ``TrustAnchor/init(typed:)`` reads it.
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: at most 200.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func lacking(
    _ name: String, after id: String = "", limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<FleetMachine> {
    try caller.require(.read)
    try PageLimit.check(limit)
    guard let anchor = TrustAnchor(typed: name) else { throw AdministrationRefusal.invalid(field: "lacks", .unknown) }
    let since = TrustReach.since(environment.now())
    let rows = try await environment.read { records in
      try records.machineTrusts.lacking(anchor, since: since, after: id, limit: limit + 1).compactMap { machine in
        let joined = try records.joinedMachines.machine(machine.id)
        return try records.machines.machine(machine.id)?.with(joined) ?? joined.map(FleetMachine.init)
      }
    }
    return Page(rows, limit: limit) { $0.id }
  }

  /// How many machines lack a key or an authority: as many as ``lacking(_:after:limit:by:)`` has on all pages,
  /// and of more than ``RowTotal/mostCounted`` that they are more.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func countLacking(_ anchor: TrustAnchor, by caller: Caller) async throws -> RowTotal {
    try caller.require(.read)
    let since = TrustReach.since(environment.now())
    return try await environment.read {
      RowTotal(counted: try $0.machineTrusts.countLacking(anchor, since: since, upTo: RowTotal.mostCounted + 1))
    }
  }
}

/// A key or an authority that is going to be used, and who lacks it.
package struct ComingTrust: Equatable, Sendable {
  package let anchor: TrustAnchor
  /// From when on it is used, in seconds since 1970.
  package let usedFrom: Int64
  /// How many machines lack it, at most ``RowTotal/mostCounted``; see ``MachineTrusts``.
  package let lacking: Int
  /// Whether more machines lack it than were counted.
  package let hasMore: Bool
  /// How many machines learn no authorities, at most ``RowTotal/mostCounted``: nobody knows whether they accept this one; 0 for
  /// a key, and if only the others were counted.
  package let learningNone: Int
  /// The names of the first that lack it.
  package let names: [String]

  package init(anchor: TrustAnchor, usedFrom: Int64, lacking: Int, names: [String], learningNone: Int = 0) {
    self.anchor = anchor
    self.usedFrom = usedFrom
    self.lacking = lacking
    self.names = names
    self.learningNone = learningNone
    hasMore = false
  }

  /// Asks the store who lacks it.
  ///
  /// - Parameters:
  ///   - names: how many names are looked up at most. With 0, the store is asked only how many machines lack it.
  ///   - now: seconds since 1970.
  /// - Throws: ``StoreFailure``.
  package init(
    _ anchor: TrustAnchor, usedFrom: Int64, names: Int = TrustAdministration.mostNames,
    in records: any StoreTransaction, now: Int64
  ) throws {
    self.anchor = anchor
    self.usedFrom = usedFrom
    let (since, most) = (TrustReach.since(now), RowTotal.mostCounted)
    let total = RowTotal(counted: try records.machineTrusts.countLacking(anchor, since: since, upTo: most + 1))
    (lacking, hasMore) = (total.rows, total.hasMore)
    self.names =
      lacking == 0 || names == 0
      ? [] : try records.machineTrusts.lacking(anchor, since: since, after: "", limit: names).map(\.text)
    learningNone =
      switch anchor {
      case .authority where names > 0: try records.machineTrusts.countLearningNone(since: since, upTo: most)
      case .authority, .verdictKey: 0
      }
  }

  /// What is going to be used: these verdict keys, and the announced authorities.
  ///
  /// An authority stays in the list after its time, until it is ended: the server's certificate may not be from it yet.
  ///
  /// - Throws: ``StoreFailure``.
  package static func all(
    _ keys: [(id: String, from: Int64)], names: Int = TrustAdministration.mostNames,
    in records: any StoreTransaction, now: Int64
  ) throws -> [ComingTrust] {
    let authorities = try records.machineTrusts.authorities().filter { $0.endedAt == nil }
    let coming =
      keys.map { (TrustAnchor.verdictKey($0.id), $0.from) }
      + authorities.map { (TrustAnchor.authority($0.fingerprint), $0.usedFrom) }
    return try coming.map { try ComingTrust($0, usedFrom: $1, names: names, in: records, now: now) }
  }

  /// The number of machines that lack it, with a sign if there are more.
  package var countText: String { "\(lacking)\(hasMore ? "+" : "")" }

  /// How many machines lack it, as the beginning of a sentence.
  package var lackingText: String {
    "\(countText) joined \(lacking == 1 ? "machine lacks" : "machines lack")"
  }

  /// A sentence about the machines that learn no authorities; nil if there are none.
  package var learningNoneText: String? {
    guard learningNone > 0 else { return nil }
    return learningNone == 1
      ? "1 joined machine learns no authorities, because it has no ca_file, or one with more than 64 certificates; it is not "
        + "counted: see there whether it accepts this one"
      : "\(learningNone) joined machines learn no authorities, because they have no ca_file, or one with more than 64 "
        + "certificates; they are not counted: see there whether they accept this one"
  }

  /// The names, with a sign that there are more.
  package var namesText: String { names.joined(separator: ", ") + (lacking > names.count ? ", ..." : "") }
}
