import UAFService

/// The operations on machines.
package struct MachineAdministration: Sendable {
  /// The most keys of one machine that are shown.
  private static let mostKeys = 1000
  /// The longest text that is searched for, in bytes of UTF-8.
  private static let longestWords = 256

  private let environment: AdministrationEnvironment

  package init(_ environment: AdministrationEnvironment) { self.environment = environment }

  /// The machines of the fleet in the order of their ids: those with keys, and those that have joined.
  ///
  /// - Parameters:
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: at most 200.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func page(
    after id: String = "", limit: Int = PageLimit.standard, by caller: Caller
  ) async throws -> Page<FleetMachine> {
    try caller.require(.read)
    try PageLimit.check(limit)
    let rows = try await environment.read { records in
      FleetMachine.merged(
        try records.machines.page(after: id, limit: limit + 1),
        try records.joinedMachines.page(after: id, limit: limit + 1), limit: limit + 1)
    }
    return Page(rows, limit: limit) { $0.id }
  }

  /// Machines of the fleet that meet some conditions, in an order.
  ///
  /// - Parameters:
  ///   - query: at most 200; its `after` is ignored.
  ///   - after: the `next` of the page before, in the same order; empty for the first page.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func search(
    _ query: MachineQuery, after: String = "", by caller: Caller
  ) async throws -> (page: Page<FleetMachine>, total: RowTotal?, isPart: Bool, isCutShort: Bool) {
    try caller.require(.read)
    try PageLimit.check(query.limit)
    guard query.words.utf8.count <= Self.longestWords else {
      throw AdministrationRefusal.invalid(field: "words", .tooLong(bytes: Self.longestWords))
    }
    var query = query
    query.after = after.isEmpty ? nil : MachinePlace(text: after, in: query.order)
    guard after.isEmpty || query.after != nil else {
      throw AdministrationRefusal.invalid(field: "after", .notAPlace)
    }
    // Without a condition, each page is read as quickly as the first one, however many machines there are.
    guard query != query.plain else {
      let page = try await page(after: after, limit: query.limit, by: caller)
      let count = try await environment.read {
        try $0.machines.count(atMost: RowTotal.mostCounted + 1)
      }
      return (page, RowTotal(counted: count), false, false)
    }
    let found = try await environment.read { [query, now = environment.now()] in
      try $0.machines.search(query, now: now)
    }
    return (
      Page(rows: found.machines, next: found.next?.text), found.total.map { RowTotal(counted: $0) },
      found.isPart, found.isCutShort
    )
  }

  /// One machine, and the first 1,000 of its keys, oldest first.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func machine(_ id: String, by caller: Caller) async throws -> (machine: FleetMachine, keys: [KeyRecord]) {
    try caller.require(.read)
    return try await environment.read { records in
      let joined = try records.joinedMachines.machine(id)
      let registered = try records.machines.machine(id)
      guard let machine = registered?.with(joined) ?? joined.map(FleetMachine.init) else {
        throw AdministrationRefusal.unknown("machine", name: id)
      }
      return (machine, try records.machines.keys(on: id, limit: Self.mostKeys))
    }
  }

  /// The machines of an account, the most recently used one first.
  ///
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func machines(of account: String, by caller: Caller) async throws -> [AccountDevice] {
    try caller.require(.read)
    return try await environment.read { records in
      guard try records.accounts.exists(account) else {
        throw AdministrationRefusal.unknown("account", name: account)
      }
      return try records.credentials.devices(of: account)
    }
  }

  /// Revokes all keys on a machine, for example if it was lost.
  ///
  /// If the machine had joined, it is revoked too.
  ///
  /// - Returns: the number of keys that were not revoked before.
  /// - Throws: ``AdministrationRefusal``; ``StoreFailure``.
  package func revoke(_ id: String, reason: String = "", by caller: Caller) async throws -> Int {
    try await KeyAdministration(environment).revoke(.machine(id), reason: reason, by: caller)
  }
}
