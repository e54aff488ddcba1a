import UAFMessages
import UAFService

/// The table of machines that have joined.
struct JoinedMachineTable: JoinedMachines {
  let connection: Connection

  /// The form of the tables.
  ///
  /// A closed code has no hash. `machineID` is the machine's number at this server, and NULL where it came from another store.
  /// `changeNumber` is 0 as long as a machine that joined has never left.
  static let migration = Migration(
    name: "joined machines",
    statements: [
      """
      CREATE TABLE joinCode (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        codeHash bytea UNIQUE,
        machineGroup text NOT NULL,
        machines bigint NOT NULL,
        issuedBy text NOT NULL,
        issuedAt bigint NOT NULL,
        expiresAt bigint NOT NULL
      )
      """,
      """
      CREATE TABLE joinedMachine (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        codeNumber bigint NOT NULL REFERENCES joinCode (number),
        deviceID text COLLATE "C" NOT NULL,
        deviceName text,
        deviceModel text,
        deviceOS text,
        machineGroup text NOT NULL,
        machineID bytea,
        joinedAt bigint NOT NULL,
        leftAt bigint,
        revokedAt bigint,
        changeNumber bigint NOT NULL DEFAULT 0,
        UNIQUE (codeNumber, deviceID)
      )
      """,
      "CREATE INDEX joinedMachineByDevice ON joinedMachine (deviceID, number)",
      "CREATE INDEX joinedMachineByID ON joinedMachine (machineID) WHERE machineID IS NOT NULL",
      "CREATE INDEX joinedMachineByChange ON joinedMachine (changeNumber)",
    ])

  /// What machines tell; `reportMark` and `offlineNumber` are NULL again once the machine has joined again.
  static let contacts = Migration(
    name: "machine contacts",
    statements: [
      """
      ALTER TABLE joinedMachine ADD COLUMN lastContactAt bigint, ADD COLUMN moduleVersion text,
        ADD COLUMN policyVersion bigint, ADD COLUMN standingLocks text, ADD COLUMN copySeenAt bigint,
        ADD COLUMN reportMark bytea, ADD COLUMN offlineNumber bigint
      """
    ])

  private static let columns = """
    codeNumber, deviceID, deviceName, deviceModel, deviceOS, machineGroup, joinedAt, leftAt, revokedAt, changeNumber,
    lastContactAt, moduleVersion, policyVersion, standingLocks, copySeenAt, reportMark, offlineNumber
    """

  /// Higher than all that were given, and another one for each row of a statement.
  ///
  /// Transactions that write come one after another, so nobody else gives the same.
  private static let nextChange = "(SELECT max(changeNumber) FROM joinedMachine) + joinedMachine.number"

  /// The number of the place that a machine `j` has now: the one that it has not left; otherwise the last one that it took.
  private static let current = """
    (SELECT o.number FROM joinedMachine o WHERE o.deviceID = j.deviceID
      ORDER BY (o.leftAt IS NULL AND o.revokedAt IS NULL) DESC, o.number DESC LIMIT 1)
    """

  func keep(_ machine: JoinedMachine, machineID: [UInt8]) throws {
    try connection.execute(
      """
      INSERT INTO joinedMachine
        (codeNumber, deviceID, deviceName, deviceModel, deviceOS, machineGroup, machineID, joinedAt)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
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
    try connection.execute(
      """
      UPDATE joinedMachine SET leftAt = $1, changeNumber = \(Self.nextChange)
      WHERE deviceID = $2 AND codeNumber <> $3 AND leftAt IS NULL AND revokedAt IS NULL
      """, [.integer(machine.joinedAt), .text(machine.id), .integer(machine.codeNumber)])
  }

  func machine(_ id: String, code number: Int64) throws -> JoinedMachine? {
    try connection.execute(
      "SELECT \(Self.columns) FROM joinedMachine WHERE codeNumber = $1 AND deviceID = $2",
      [.integer(number), .text(id)]
    ).first.map(Self.machine)
  }

  func machine(_ id: String) throws -> JoinedMachine? {
    try connection.execute(
      "SELECT \(Self.columns) FROM joinedMachine j WHERE deviceID = $1 AND number = \(Self.current)", [.text(id)]
    ).first.map(Self.machine)
  }

  func page(after id: String, limit: Int) throws -> [JoinedMachine] {
    try connection.execute(
      """
      SELECT \(Self.columns) FROM joinedMachine j WHERE deviceID > $1
        AND number = \(Self.current)
      ORDER BY deviceID LIMIT $2
      """, [.text(id), .integer(limit)]
    ).rows.map(Self.machine)
  }

  func count(in group: String) throws -> Int {
    let count = try connection.execute(
      """
      SELECT count(*) FROM joinedMachine j WHERE machineGroup = $1 AND leftAt IS NULL AND revokedAt IS NULL
        AND number = \(Self.current)
      """, [.text(group)]
    ).first?.integer(0)
    return Int(clamping: count ?? 0)
  }

  func counts(in groups: [String]) throws -> [String: Int] {
    guard !groups.isEmpty else { return [:] }
    let places = groups.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let found = try connection.execute(
      """
      SELECT machineGroup, count(*) FROM joinedMachine j
      WHERE machineGroup IN (\(places)) AND leftAt IS NULL AND revokedAt IS NULL
        AND number = \(Self.current)
      GROUP BY machineGroup
      """, groups.map { .text($0) })
    return try found.rows.reduce(into: [:]) { $0[try $1.text(0)] = Int(clamping: try $1.integer(1)) }
  }

  func markLeft(machineID: [UInt8], now: Int64) throws -> JoinedMachine? {
    try connection.execute(
      """
      UPDATE joinedMachine SET leftAt = $1, changeNumber = \(Self.nextChange)
      WHERE machineID = $2 AND leftAt IS NULL AND revokedAt IS NULL RETURNING \(Self.columns)
      """, [.integer(now), .bytes(machineID)]
    ).first.map(Self.machine)
  }

  func machine(machineID: [UInt8]) throws -> JoinedMachine? {
    try connection.execute(
      """
      SELECT \(Self.columns) FROM joinedMachine j WHERE machineID = $1 AND leftAt IS NULL AND revokedAt IS NULL
        AND number = \(Self.current)
      """, [.bytes(machineID)]
    ).first.map(Self.machine)
  }

  func note(_ contact: MachineContact, _ report: MachineReport, machineID: [UInt8]) throws {
    try connection.execute(
      """
      UPDATE joinedMachine SET deviceName = coalesce($1, deviceName), deviceModel = coalesce($2, deviceModel),
        deviceOS = coalesce($3, deviceOS), lastContactAt = $4, moduleVersion = $5, policyVersion = $6,
        standingLocks = $7, copySeenAt = $8, reportMark = $9, offlineNumber = $10
      WHERE machineID = $11 AND leftAt IS NULL AND revokedAt IS NULL
      """,
      [
        .text(report.deviceName), .text(report.deviceModel), .text(report.deviceOS), .integer(contact.at),
        .text(contact.module), .integer(contact.policy), .text(contact.locks.text), .integer(contact.copySeenAt),
        .bytes(contact.mark), .integer(contact.offlineNumber), .bytes(machineID),
      ])
  }

  func revoke(_ id: String, now: Int64) throws {
    try connection.execute(
      """
      UPDATE joinedMachine SET revokedAt = $1, changeNumber = \(Self.nextChange)
      WHERE deviceID = $2 AND revokedAt IS NULL
      """, [.integer(now), .text(id)])
  }

  func changes(after number: Int64, limit: Int) throws -> [MachineChange] {
    try connection.execute(
      "SELECT \(Self.columns) FROM joinedMachine WHERE changeNumber > $1 ORDER BY changeNumber LIMIT $2",
      [.integer(number), .integer(limit)]
    ).rows.map { MachineChange(number: try $0.integer(9), machine: try Self.machine($0)) }
  }

  private static func machine(_ row: QueryRow) throws -> JoinedMachine {
    JoinedMachine(
      codeNumber: try row.integer(0), id: try row.text(1), name: try row.optionalText(2),
      model: try row.optionalText(3), system: try row.optionalText(4), group: try row.text(5),
      joinedAt: try row.integer(6), leftAt: try row.optionalInteger(7), revokedAt: try row.optionalInteger(8),
      contact: try contact(row))
  }

  private static func contact(_ row: QueryRow) throws -> MachineContact? {
    guard let at = try row.optionalInteger(10) else { return nil }
    return MachineContact(
      at: at, module: try row.optionalText(11) ?? "", policy: try row.optionalInteger(12),
      locks: try row.optionalText(13).map(ReportedLocks.init) ?? ReportedLocks(),
      copySeenAt: try row.optionalInteger(14), mark: row.bytes(15),
      offlineNumber: try row.optionalInteger(16))
  }
}

/// The machines in the table of registered keys.
struct MachineTable: Machines {
  let connection: Connection

  func page(after id: String, limit: Int) throws -> [FleetMachine] {
    try connection.execute(
      Self.machines(#"deviceID COLLATE "C" > $1"#, "LIMIT $2"), [.text(id), .integer(limit)]
    ).rows.map(Self.machine)
  }

  func machine(_ id: String) throws -> FleetMachine? {
    try connection.execute(Self.machines(#"deviceID COLLATE "C" = $1"#), [.text(id)]).first.map(Self.machine)
  }

  func keys(on id: String, limit: Int) throws -> [KeyRecord] {
    try connection.execute(
      #"SELECT \#(KeyRecord.columns) FROM credential WHERE deviceID COLLATE "C" = $1 ORDER BY id LIMIT $2"#,
      [.text(id), .integer(limit)]
    ).rows.map(KeyRecord.init(row:))
  }

  /// Machines in the order of their ids; each is described as by its last registration.
  private static func machines(_ condition: String, _ limit: String = "") -> String {
    """
    SELECT m.id, last.deviceName, last.deviceModel, last.deviceOS, m.people, m.keys, m.revoked, m.registeredAt,
      m.lastUsedAt
    FROM (
      SELECT deviceID COLLATE "C" AS id, max(id) AS lastKey, count(DISTINCT username) AS people,
        count(*) FILTER (WHERE revokedAt IS NULL) AS keys, count(*) FILTER (WHERE revokedAt IS NOT NULL) AS revoked,
        max(registeredAt) AS registeredAt, max(lastUsedAt) AS lastUsedAt
      FROM credential WHERE deviceID IS NOT NULL AND \(condition)
      GROUP BY deviceID COLLATE "C" ORDER BY deviceID COLLATE "C" \(limit)
    ) AS m JOIN credential last ON last.id = m.lastKey ORDER BY m.id
    """
  }

  private static func machine(_ row: QueryRow) throws -> FleetMachine {
    FleetMachine(
      id: try row.text(0), name: try row.optionalText(1), model: try row.optionalText(2),
      system: try row.optionalText(3), people: try row.integer(4, as: Int.self), keys: try row.integer(5, as: Int.self),
      revokedKeys: try row.integer(6, as: Int.self), registeredAt: try row.integer(7),
      lastUsedAt: try row.optionalInteger(8))
  }
}
