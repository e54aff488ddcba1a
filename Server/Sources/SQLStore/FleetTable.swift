import UAFMessages
import UAFService

/// The machines with keys and the machines that have joined, searched and sorted together.
struct FleetTable<Connection: SQLConnection> {
  /// How many machines one statement looks at if there are too many to sort them.
  private static var step: Int { 5_000 }

  let connection: Connection

  private struct Place {
    let place: MachinePlace
    let total: Int
  }

  func count(atMost limit: Int) throws -> Int {
    try connection.requiredRow(
      "SELECT count(*) FROM (\(Self.ids)) AS i", [.text(""), .integer(limit)]
    ) {
      try $0.integer(0, as: Int.self)
    }
  }

  func search(_ query: MachineQuery, now: Int64) throws -> FleetSearch {
    let isLarge = try count(atMost: FleetSearch.mostSorted + 1) > FleetSearch.mostSorted
    guard isLarge, query.order == .id, !query.isDescending else {
      let found = try places(query, from: "", lookingAt: FleetSearch.mostSorted, now: now)
      let machines = try machines(found.prefix(query.limit).map(\.place.id))
      return FleetSearch(
        machines: machines, next: found.count > query.limit ? found[query.limit - 1].place : nil,
        total: isLarge ? nil : found.first?.total ?? (query.after == nil ? 0 : nil), isPart: isLarge
      )
    }
    return try readOn(query, now: now)
  }

  /// Machines in the order of their IDs, looked at step by step until the page is full, the last machine has been looked at, or
  /// as many machines have been looked at as the query allows.
  private func readOn(_ query: MachineQuery, now: Int64) throws -> FleetSearch {
    var (found, start, looked, isAtEnd) = ([MachinePlace](), query.after?.id ?? "", 0, false)
    while !isAtEnd, looked < query.mostLookedAt {
      let step = min(Self.step, query.mostLookedAt - looked)
      var rest = query
      rest.limit = query.limit - found.count
      found += try places(rest, from: start, lookingAt: step, now: now).map(\.place)
      if found.count > query.limit {
        let machines = try machines(found.prefix(query.limit).map(\.id))
        return FleetSearch(machines: machines, next: found[query.limit - 1], total: nil, isPart: false)
      }
      let last = try connection.requiredRow(
        "SELECT max(id), count(*) FROM (\(Self.ids)) AS i", [.text(start), .integer(step)]
      ) { (id: try $0.optionalText(0), count: try $0.integer(1, as: Int.self)) }
      start = last.id ?? start
      looked += last.count
      isAtEnd = last.count < step
    }
    return FleetSearch(
      machines: try machines(found.map(\.id)),
      next: isAtEnd ? nil : MachinePlace(order: .id, value: .text(start), id: start), total: nil, isPart: false,
      isCutShort: !isAtEnd)
  }

  /// The places of the machines of a page, and one more if a further page follows.
  ///
  /// - Parameters:
  ///   - id: only machines after this one are looked at.
  ///   - most: how many machines are looked at.
  private func places(_ query: MachineQuery, from id: String, lookingAt most: Int, now: Int64)
    throws -> [Place]
  {
    let (silent, overflow) = now.subtractingReportingOverflow(FleetMachine.silentAfter)
    let value: SQLValue =
      switch query.after?.value {
      case .text(let text)?: .text(text)
      case .number(let number)?: .integer(number)
      case nil: query.order.isOfTexts ? .text("") : .integer(0)
      }
    return try connection.rows(
      Self.sql(query.order, isDescending: query.isDescending),
      [
        .text(id), .integer(most), .integer(overflow ? Int64.min : silent),
        .text(query.standing?.rawValue ?? ""),
        .text(query.words.isEmpty ? "%" : AuditFilter.pattern(query.words, escape: "!")),
        .integer(query.after == nil ? 0 : 1), value, .text(query.after?.id ?? ""),
        .integer(query.limit + 1),
      ]
    ) { row in
      let id = try row.text(0)
      let value: MachinePlace.Value =
        query.order.isOfTexts ? .text(try row.text(1)) : .number(try row.integer(1))
      return Place(
        place: MachinePlace(order: query.order, value: value, id: id),
        total: try row.integer(2, as: Int.self))
    }
  }

  private func machines(_ ids: [String]) throws -> [FleetMachine] {
    let registered = try MachineTable(connection: connection).machines(ids)
    let joined = try JoinedMachineTable(connection: connection).machines(ids)
    let found = FleetMachine.merged(registered, joined, limit: ids.count)
    // By bytes and not by strings: Swift treats different encodings of the same letter as equal.
    let places = Dictionary(found.map { (Array($0.id.utf8), $0) }) { first, _ in first }
    return ids.compactMap { places[Array($0.utf8)] }
  }

  // MARK: SQL

  /// The IDs of machines after ?1 in their order, at most ?2.
  private static var ids: String {
    """
    SELECT id FROM (
      SELECT id FROM (SELECT DISTINCT deviceID\(Connection.byBytes) AS id FROM credential
        WHERE deviceID IS NOT NULL AND deviceID\(Connection.byBytes) > ?1 ORDER BY 1 LIMIT ?2) AS registered
      UNION
      SELECT id FROM (SELECT DISTINCT deviceID\(Connection.byBytes) AS id FROM joinedMachine
        WHERE deviceID\(Connection.byBytes) > ?1 ORDER BY 1 LIMIT ?2) AS joined
    ) AS every ORDER BY id LIMIT ?2
    """
  }

  /// The query for the places of machines: IDs, values of the order, and how many machines match.
  ///
  /// There are few statements, because the conditions are parameters: standing and words are compared even if all are wanted.
  private static func sql(_ order: MachineQuery.Order, isDescending: Bool) -> String {
    let direction = isDescending ? "DESC" : "ASC"
    return """
      SELECT id, place, total FROM (
        SELECT id, \(place(order)) AS place, count(*) OVER () AS total FROM (
          SELECT id, \(shown("deviceName")) AS name, \(shown("deviceModel")) AS model, \(shown("deviceOS")) AS system,
            machineGroup, moduleVersion, lastContactAt, standing
          FROM (
            SELECT i.id AS id, \(ofKeys("max(c.id)", of: "i.id")) AS lastKey, j.deviceName, j.deviceModel, j.deviceOS,
              j.machineGroup, j.moduleVersion, j.lastContactAt,
              CASE WHEN j.number IS NULL THEN 'notJoined'
                WHEN j.leftAt IS NOT NULL OR j.revokedAt IS NOT NULL THEN 'departed'
                WHEN j.lastContactAt IS NULL THEN 'neverReported'
                WHEN j.lastContactAt < ?3 THEN 'silent' ELSE 'reporting' END AS standing
            FROM (\(ids)) AS i
            LEFT JOIN joinedMachine j ON j.number = (
              SELECT o.number FROM joinedMachine o WHERE o.deviceID = i.id
              ORDER BY (o.leftAt IS NULL AND o.revokedAt IS NULL) DESC, o.number DESC LIMIT 1)
          ) AS r
        ) AS m
        WHERE (?4 = '' OR standing = ?4) AND (?5 = '%' OR (id || ' ' || coalesce(name, '') || ' ' || coalesce(model, '')
          || ' ' || coalesce(system, '') || ' ' || coalesce(machineGroup, '') || ' ' || coalesce(moduleVersion, ''))
          \(Connection.like) ?5 ESCAPE '!')
      ) AS found
      WHERE ?6 = 0 OR (place, id) \(isDescending ? "<" : ">") (?7, ?8)
      ORDER BY place \(direction), id \(direction) LIMIT ?9
      """
  }

  /// SQL for what a machine said about itself in its last registration, or if it has no key, in its join record.
  ///
  /// A subquery and not a join: PostgreSQL would join with all keys.
  private static func shown(_ column: String) -> String {
    "CASE WHEN lastKey IS NULL THEN \(column) ELSE (SELECT c.\(column) FROM credential c WHERE c.id = lastKey) END"
  }

  /// SQL for a value of all keys on a machine.
  private static func ofKeys(_ value: String, of id: String) -> String {
    "(SELECT \(value) FROM credential c WHERE c.deviceID IS NOT NULL AND c.deviceID\(Connection.byBytes) = \(id))"
  }

  /// SQL for the value by which machines are sorted.
  private static func place(_ order: MachineQuery.Order) -> String {
    switch order {
    case .id: "id"
    case .name: "lower(coalesce(name, '')\(Connection.byBytes))"
    case .group: "coalesce(machineGroup, '')\(Connection.byBytes)"
    case .version: "coalesce(moduleVersion, '')\(Connection.byBytes)"
    case .accounts: ofKeys("count(DISTINCT c.username)", of: "m.id")
    case .keys: ofKeys("count(*) FILTER (WHERE c.revokedAt IS NULL)", of: "m.id")
    case .lastUsed: "coalesce(\(ofKeys("max(c.lastUsedAt)", of: "m.id")), -1)"
    case .lastReport: "coalesce(lastContactAt, -1)"
    }
  }
}
