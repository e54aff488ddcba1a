import UAFMessages
import UAFService

/// The table of machines that have joined.
struct JoinedMachineTable<Connection: SQLConnection>: JoinedMachines {
  let connection: Connection

  private static var columns: String {
    """
    codeNumber, deviceID, deviceName, deviceModel, deviceOS, machineGroup, joinedAt, leftAt, revokedAt, changeNumber,
    lastContactAt, moduleVersion, policyVersion, standingLocks, copySeenAt, reportMark, offlineNumber,
    wrongValues, findings, examinedAt
    """
  }

  /// SQL for the next change number: higher than all earlier ones, and different for each row that a statement changes.
  ///
  /// Transactions that write run one after the other, so no other transaction uses the same number.
  private static var nextChange: String { "(SELECT max(changeNumber) FROM joinedMachine) + joinedMachine.number" }

  /// SQL for the number of the join record that the machine of row `j` uses: the one that it has not left, or else the newest.
  private static var current: String {
    """
    (SELECT o.number FROM joinedMachine o WHERE o.deviceID = j.deviceID
      ORDER BY (o.leftAt IS NULL AND o.revokedAt IS NULL) DESC, o.number DESC LIMIT 1)
    """
  }

  func keep(_ machine: JoinedMachine, machineID: [UInt8]) throws {
    try connection.run(
      """
      INSERT INTO joinedMachine
        (codeNumber, deviceID, deviceName, deviceModel, deviceOS, machineGroup, machineID, joinedAt)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (codeNumber, deviceID) DO UPDATE SET deviceName = excluded.deviceName,
        deviceModel = excluded.deviceModel, deviceOS = excluded.deviceOS, machineID = excluded.machineID,
        joinedAt = excluded.joinedAt, leftAt = NULL, reportMark = NULL, offlineNumber = NULL,
        changeNumber = CASE WHEN joinedMachine.leftAt IS NULL THEN joinedMachine.changeNumber
          ELSE \(Self.nextChange) END
      """,
      [
        .integer(machine.codeNumber), .text(machine.id), .text(machine.name), .text(machine.model),
        .text(machine.system), .text(machine.group), .bytes(machineID), .integer(machine.joinedAt),
      ])
    try connection.run(
      """
      UPDATE joinedMachine SET leftAt = ?1, changeNumber = \(Self.nextChange)
      WHERE deviceID = ?2 AND codeNumber <> ?3 AND leftAt IS NULL AND revokedAt IS NULL
      """, [.integer(machine.joinedAt), .text(machine.id), .integer(machine.codeNumber)])
  }

  func machine(_ id: String, code number: Int64) throws -> JoinedMachine? {
    try connection.row(
      "SELECT \(Self.columns) FROM joinedMachine WHERE codeNumber = ?1 AND deviceID = ?2",
      [.integer(number), .text(id)], Self.machine)
  }

  func machine(_ id: String) throws -> JoinedMachine? {
    try connection.row(
      "SELECT \(Self.columns) FROM joinedMachine j WHERE deviceID = ?1 AND number = \(Self.current)", [.text(id)],
      Self.machine)
  }

  func page(after id: String, limit: Int) throws -> [JoinedMachine] {
    try connection.rows(
      """
      SELECT \(Self.columns) FROM joinedMachine j WHERE deviceID > ?1
        AND number = \(Self.current)
      ORDER BY deviceID LIMIT ?2
      """, [.text(id), .integer(limit)], Self.machine)
  }

  /// Those of some machines that have joined, each with the join record that it uses now, or used last.
  func machines(_ ids: [String]) throws -> [JoinedMachine] {
    try connection.rows(
      """
      SELECT \(Self.columns) FROM joinedMachine j
      WHERE deviceID IN (\(Connection.jsonTexts.replacing("?", with: "?1"))) AND number = \(Self.current)
      """, [.text(JSONValue.array(ids.map(JSONValue.string)).text)], Self.machine)
  }

  func count(in group: String) throws -> Int {
    try connection.requiredRow(
      """
      SELECT count(*) FROM joinedMachine j WHERE machineGroup = ?1 AND leftAt IS NULL AND revokedAt IS NULL
        AND number = \(Self.current)
      """, [.text(group)]
    ) { try $0.integer(0, as: Int.self) }
  }

  func counts(in groups: [String]) throws -> [String: Int] {
    guard !groups.isEmpty else { return [:] }
    let found = try connection.rows(
      """
      SELECT machineGroup, count(*) FROM joinedMachine j
      WHERE machineGroup IN (\(SQLValue.list(groups.count, from: 1))) AND leftAt IS NULL AND revokedAt IS NULL
        AND number = \(Self.current)
      GROUP BY machineGroup
      """, groups.map { .text($0) }
    ) { (try $0.text(0), try $0.integer(1, as: Int.self)) }
    return Dictionary(uniqueKeysWithValues: found)
  }

  func markLeft(machineID: [UInt8], now: Int64) throws -> JoinedMachine? {
    try connection.row(
      """
      UPDATE joinedMachine SET leftAt = ?1, changeNumber = \(Self.nextChange)
      WHERE machineID = ?2 AND leftAt IS NULL AND revokedAt IS NULL RETURNING \(Self.columns)
      """, [.integer(now), .bytes(machineID)], Self.machine)
  }

  func machine(machineID: [UInt8]) throws -> JoinedMachine? {
    try connection.row(
      """
      SELECT \(Self.columns) FROM joinedMachine j WHERE machineID = ?1 AND leftAt IS NULL AND revokedAt IS NULL
        AND number = \(Self.current)
      """, [.bytes(machineID)], Self.machine)
  }

  func note(_ contact: MachineContact, _ report: MachineReport, machineID: [UInt8]) throws {
    try connection.run(
      """
      UPDATE joinedMachine SET deviceName = coalesce(?1, deviceName), deviceModel = coalesce(?2, deviceModel),
        deviceOS = coalesce(?3, deviceOS), lastContactAt = ?4, moduleVersion = ?5, policyVersion = ?6,
        standingLocks = ?7, copySeenAt = ?8, reportMark = ?9, offlineNumber = ?10, wrongValues = ?11, findings = ?12,
        examinedAt = ?13
      WHERE machineID = ?14 AND leftAt IS NULL AND revokedAt IS NULL
      """,
      [
        .text(report.deviceName), .text(report.deviceModel), .text(report.deviceOS), .integer(contact.at),
        .text(contact.module), .integer(contact.policy), .text(contact.locks.text), .integer(contact.copySeenAt),
        .bytes(contact.mark), .integer(contact.offlineNumber), .text(contact.wrongValues.text),
        .text(contact.examination?.text), .integer(contact.examination?.at), .bytes(machineID),
      ])
  }

  func revoke(_ id: String, now: Int64) throws {
    try connection.run(
      """
      UPDATE joinedMachine SET revokedAt = ?1, changeNumber = \(Self.nextChange)
      WHERE deviceID = ?2 AND revokedAt IS NULL
      """, [.integer(now), .text(id)])
  }

  func changes(after number: Int64, limit: Int) throws -> [MachineChange] {
    try connection.rows(
      "SELECT \(Self.columns) FROM joinedMachine WHERE changeNumber > ?1 ORDER BY changeNumber LIMIT ?2",
      [.integer(number), .integer(limit)]
    ) { MachineChange(number: try $0.integer(9), machine: try Self.machine($0)) }
  }

  private static func machine(_ row: Connection.ResultRow) throws -> JoinedMachine {
    JoinedMachine(
      codeNumber: try row.integer(0), id: try row.text(1), name: try row.optionalText(2),
      model: try row.optionalText(3), system: try row.optionalText(4), group: try row.text(5),
      joinedAt: try row.integer(6), leftAt: try row.optionalInteger(7), revokedAt: try row.optionalInteger(8),
      contact: try contact(row))
  }

  private static func contact(_ row: Connection.ResultRow) throws -> MachineContact? {
    guard let at = try row.optionalInteger(10) else { return nil }
    return MachineContact(
      at: at, module: try row.optionalText(11) ?? "", policy: try row.optionalInteger(12),
      locks: try row.optionalText(13).map(ReportedLocks.init) ?? ReportedLocks(),
      copySeenAt: try row.optionalInteger(14), mark: try row.bytes(15),
      offlineNumber: try row.optionalInteger(16),
      wrongValues: try row.optionalText(17).map(ReportedWrongValues.init) ?? ReportedWrongValues(),
      examination: try MachineExamination(text: row.optionalText(18), at: row.optionalInteger(19)))
  }
}

/// The machines in the table of registered keys.
struct MachineTable<Connection: SQLConnection>: Machines {
  let connection: Connection

  func page(after id: String, limit: Int) throws -> [FleetMachine] {
    try connection.rows(
      Self.machines("deviceID\(Connection.byBytes) > ?1", "LIMIT ?2"), [.text(id), .integer(limit)], Self.machine)
  }

  func machine(_ id: String) throws -> FleetMachine? {
    try connection.row(Self.machines("deviceID\(Connection.byBytes) = ?1"), [.text(id)], Self.machine)
  }

  func count(atMost limit: Int) throws -> Int {
    try FleetTable(connection: connection).count(atMost: limit)
  }

  func search(_ query: MachineQuery, now: Int64) throws -> FleetSearch {
    try FleetTable(connection: connection).search(query, now: now)
  }

  /// Those of some machines that have keys.
  func machines(_ ids: [String]) throws -> [FleetMachine] {
    try connection.rows(
      Self.machines(
        "deviceID\(Connection.byBytes) IN (\(Connection.jsonTexts.replacing("?", with: "?1")))"),
      [.text(JSONValue.array(ids.map(JSONValue.string)).text)], Self.machine)
  }

  func keys(on id: String, limit: Int) throws -> [KeyRecord] {
    try connection.rows(
      "SELECT \(KeyRecord.columns) FROM credential WHERE deviceID\(Connection.byBytes) = ?1 ORDER BY id LIMIT ?2",
      [.text(id), .integer(limit)], KeyRecord.init(row:))
  }

  /// The query for machines, in the order of their IDs; name, model and system are those of the last registration.
  private static func machines(_ condition: String, _ limit: String = "") -> String {
    """
    SELECT m.id, last.deviceName, last.deviceModel, last.deviceOS, m.people, m.keys, m.revoked, m.registeredAt,
      m.lastUsedAt
    FROM (
      SELECT deviceID\(Connection.byBytes) AS id, max(id) AS lastKey, count(DISTINCT username) AS people,
        count(*) FILTER (WHERE revokedAt IS NULL) AS keys, count(*) FILTER (WHERE revokedAt IS NOT NULL) AS revoked,
        max(registeredAt) AS registeredAt, max(lastUsedAt) AS lastUsedAt
      FROM credential WHERE deviceID IS NOT NULL AND \(condition)
      GROUP BY deviceID\(Connection.byBytes) ORDER BY deviceID\(Connection.byBytes) \(limit)
    ) AS m JOIN credential last ON last.id = m.lastKey ORDER BY m.id
    """
  }

  private static func machine(_ row: Connection.ResultRow) throws -> FleetMachine {
    FleetMachine(
      id: try row.text(0), name: try row.optionalText(1), model: try row.optionalText(2),
      system: try row.optionalText(3), people: try row.integer(4, as: Int.self), keys: try row.integer(5, as: Int.self),
      revokedKeys: try row.integer(6, as: Int.self), registeredAt: try row.integer(7),
      lastUsedAt: try row.optionalInteger(8))
  }
}
