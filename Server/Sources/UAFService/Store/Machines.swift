import UAFMessages

/// The machines on which keys were registered.
package protocol Machines {
  /// Machines in the order of their IDs' bytes.
  ///
  /// Keys that name no machine belong to none of them.
  ///
  /// - Parameters:
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: how many at most.
  func page(after id: String, limit: Int) throws -> [FleetMachine]

  /// How many machines there are, those that have joined included; at most `limit` are counted.
  func count(atMost limit: Int) throws -> Int

  /// Machines that meet some conditions, in an order, those that have joined included.
  ///
  /// The first ``FleetSearch/mostSorted`` machines in the order of their IDs are searched and sorted. If there are more, a search
  /// in the order of the IDs continues with the others, and looks at ``MachineQuery/mostLookedAt`` machines for a page: such a
  /// page may have few machines, or none, although a further page follows, and the result says so. In every other order, the
  /// others are left out, and the result says that too.
  ///
  /// - Parameter now: seconds since 1970.
  func search(_ query: MachineQuery, now: Int64) throws -> FleetSearch

  /// nil if this machine has no key.
  func machine(_ id: String) throws -> FleetMachine?

  /// The keys of a machine, oldest first, revoked ones included.
  ///
  /// - Parameter limit: how many at most.
  func keys(on id: String, limit: Int) throws -> [KeyRecord]
}

/// One machine of the fleet, by its device ID: keys were registered on it, or it has joined.
///
/// What a machine says about itself is not verified.
package struct FleetMachine: Equatable, Sendable {
  /// The device ID.
  package let id: String
  /// The name in its last registration, or the one with which it joined if it has no key.
  package let name: String?
  package let model: String?
  package let system: String?
  /// How many accounts have or had keys on it.
  package let people: Int
  package let keys: Int
  package let revokedKeys: Int
  /// The latest registration, in seconds since 1970; nil without a key.
  package let registeredAt: Int64?
  /// The latest login or confirmed text, in seconds since 1970.
  package let lastUsedAt: Int64?
  /// Its latest join record; nil if it never joined.
  package let joined: JoinedMachine?

  package init(
    id: String, name: String?, model: String?, system: String?, people: Int, keys: Int, revokedKeys: Int,
    registeredAt: Int64?, lastUsedAt: Int64?, joined: JoinedMachine? = nil
  ) {
    self.id = id
    self.name = name
    self.model = model
    self.system = system
    self.people = people
    self.keys = keys
    self.revokedKeys = revokedKeys
    self.registeredAt = registeredAt
    self.lastUsedAt = lastUsedAt
    self.joined = joined
  }

  /// A machine without a key.
  package init(_ joined: JoinedMachine) {
    self.init(
      id: joined.id, name: joined.name, model: joined.model, system: joined.system, people: 0, keys: 0, revokedKeys: 0,
      registeredAt: nil, lastUsedAt: nil, joined: joined)
  }

  /// The same machine with its join record.
  package func with(_ joined: JoinedMachine?) -> FleetMachine {
    FleetMachine(
      id: id, name: name, model: model, system: system, people: people, keys: keys, revokedKeys: revokedKeys,
      registeredAt: registeredAt, lastUsedAt: lastUsedAt, joined: joined)
  }

  /// Merges the machines with keys and the machines that have joined, in the order of their IDs' bytes.
  ///
  /// - Parameter limit: how many at most. Each list must contain its first machines in that order, up to the limit.
  package static func merged(
    _ registered: [FleetMachine], _ joined: [JoinedMachine], limit: Int
  ) -> [FleetMachine] {
    // By bytes and not by strings: Swift treats different encodings of the same letter as equal.
    var places = Dictionary(joined.map { (Array($0.id.utf8), $0) }) { first, _ in first }
    var all = registered.map { $0.with(places.removeValue(forKey: Array($0.id.utf8))) }
    all += places.values.map { FleetMachine($0) }
    return Array(all.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }.prefix(limit))
  }
}

/// One machine of an account, for `uaf-server devices`.
///
/// What a machine says about itself is not verified.
package struct AccountDevice: Equatable, Sendable {
  package let name: String?
  package let model: String?
  package let system: String?
  package let keys: Int
  package let revokedKeys: Int
  /// The latest registration, in seconds since 1970.
  package let registeredAt: Int64
  /// The latest login or confirmed text, in seconds since 1970.
  package let lastUsedAt: Int64?

  package init(
    name: String?, model: String?, system: String?, keys: Int, revokedKeys: Int, registeredAt: Int64, lastUsedAt: Int64?
  ) {
    self.name = name
    self.model = model
    self.system = system
    self.keys = keys
    self.revokedKeys = revokedKeys
    self.registeredAt = registeredAt
    self.lastUsedAt = lastUsedAt
  }
}

/// The last report of a joined machine about itself, and the values by which its next report is judged.
///
/// What a machine says about itself is not verified.
package struct MachineContact: Equatable, Sendable {
  /// The last report, in seconds since 1970.
  package let at: Int64
  /// The version of the module's package.
  package let module: String
  /// The version of the workstation policy that it uses; nil for none.
  package let policy: Int64?
  package let locks: ReportedLocks
  /// When the server last found that two machines have the same state, or that the machine was restored from a backup; nil if
  /// it never did.
  package let copySeenAt: Int64?
  /// The nonce that the last report set; nil after the machine has joined again.
  package let mark: [UInt8]?
  /// The highest number of an offline login that the machine has reported; nil after it has joined again.
  package let offlineNumber: Int64?
  /// The wrong values in a row that the machine reported last.
  package let wrongValues: ReportedWrongValues
  /// What doctor found last; nil if the machine has never reported that.
  package let examination: MachineExamination?

  package init(
    at: Int64, module: String, policy: Int64?, locks: ReportedLocks, copySeenAt: Int64?, mark: [UInt8]?,
    offlineNumber: Int64?, wrongValues: ReportedWrongValues = ReportedWrongValues(),
    examination: MachineExamination? = nil
  ) {
    self.wrongValues = wrongValues
    self.examination = examination
    self.at = at
    self.module = module
    self.policy = policy
    self.locks = locks
    self.copySeenAt = copySeenAt
    self.mark = mark
    self.offlineNumber = offlineNumber
  }
}

extension FleetMachine {
  /// After how many seconds without a report a machine counts as silent: a week.
  package static let silentAfter: Int64 = 604_800

  /// What the server knows about a machine's reports.
  package enum Standing: String, CaseIterable, Sendable {
    case reporting
    case silent
    case neverReported
    case notJoined
    case departed
  }

  /// - Parameter now: seconds since 1970.
  package func standing(at now: Int64) -> Standing {
    guard let joined else { return .notJoined }
    guard joined.departedAt == nil else { return .departed }
    guard let contact = joined.contact else { return .neverReported }
    let (since, overflow) = now.subtractingReportingOverflow(contact.at)
    return overflow || since > Self.silentAfter ? .silent : .reporting
  }
}
