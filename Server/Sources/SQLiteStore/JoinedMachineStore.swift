import GRDB
import UAFMessages
import UAFService

/// The table of machines that have joined.
struct JoinedMachineStore: JoinedMachines {
  let db: Database

  // A closed code has no hash. `machineID` is the machine's number at this server, and NULL where it came from another store.
  // `changeNumber` is 0 as long as a machine that joined has never left.
  static let schema = """
    CREATE TABLE joinCode (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      codeHash BLOB UNIQUE,
      machineGroup TEXT NOT NULL,
      machines INTEGER NOT NULL,
      issuedBy TEXT NOT NULL,
      issuedAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE joinedMachine (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      codeNumber INTEGER NOT NULL REFERENCES joinCode (number),
      deviceID TEXT NOT NULL,
      deviceName TEXT,
      deviceModel TEXT,
      deviceOS TEXT,
      machineGroup TEXT NOT NULL,
      machineID BLOB,
      joinedAt INTEGER NOT NULL,
      leftAt INTEGER,
      revokedAt INTEGER,
      changeNumber INTEGER NOT NULL DEFAULT 0,
      UNIQUE (codeNumber, deviceID)
    ) STRICT;
    CREATE INDEX joinedMachineByDevice ON joinedMachine (deviceID, number);
    CREATE INDEX joinedMachineByID ON joinedMachine (machineID) WHERE machineID IS NOT NULL;
    CREATE INDEX joinedMachineByChange ON joinedMachine (changeNumber);
    """

  // What machines tell. `reportMark` and `offlineNumber` are NULL again once the machine has joined again.
  static let contacts = """
    ALTER TABLE joinedMachine ADD COLUMN lastContactAt INTEGER;
    ALTER TABLE joinedMachine ADD COLUMN moduleVersion TEXT;
    ALTER TABLE joinedMachine ADD COLUMN policyVersion INTEGER;
    ALTER TABLE joinedMachine ADD COLUMN standingLocks TEXT;
    ALTER TABLE joinedMachine ADD COLUMN copySeenAt INTEGER;
    ALTER TABLE joinedMachine ADD COLUMN reportMark BLOB;
    ALTER TABLE joinedMachine ADD COLUMN offlineNumber INTEGER;
    """

  /// Higher than all that were given, and another one for each row of a statement.
  private static let nextChange = "(SELECT max(changeNumber) FROM joinedMachine) + joinedMachine.number"

  /// The number of the place that a machine `j` has now: the one that it has not left; otherwise the last one that it took.
  private static let current = """
    (SELECT o.number FROM joinedMachine o WHERE o.deviceID = j.deviceID
      ORDER BY (o.leftAt IS NULL AND o.revokedAt IS NULL) DESC, o.number DESC LIMIT 1)
    """

  func keep(_ machine: JoinedMachine, machineID: [UInt8]) throws {
    try db.execute(
      sql: """
        INSERT INTO joinedMachine
          (codeNumber, deviceID, deviceName, deviceModel, deviceOS, machineGroup, machineID, joinedAt)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (codeNumber, deviceID) DO UPDATE SET deviceName = excluded.deviceName,
          deviceModel = excluded.deviceModel, deviceOS = excluded.deviceOS, machineID = excluded.machineID,
          joinedAt = excluded.joinedAt, leftAt = NULL, reportMark = NULL, offlineNumber = NULL,
          changeNumber = CASE WHEN leftAt IS NULL THEN changeNumber ELSE \(Self.nextChange) END
        """,
      arguments: [
        machine.codeNumber, machine.id, machine.name, machine.model, machine.system, machine.group,
        machineID.databaseBlob, machine.joinedAt,
      ])
    try db.execute(
      sql: """
        UPDATE joinedMachine SET leftAt = ?, changeNumber = \(Self.nextChange)
        WHERE deviceID = ? AND codeNumber <> ? AND leftAt IS NULL AND revokedAt IS NULL
        """, arguments: [machine.joinedAt, machine.id, machine.codeNumber])
  }

  func machine(_ id: String, code number: Int64) throws -> JoinedMachine? {
    try Row.fetchOne(
      db, sql: "SELECT * FROM joinedMachine WHERE codeNumber = ? AND deviceID = ?", arguments: [number, id]
    ).map(Self.machine)
  }

  func machine(_ id: String) throws -> JoinedMachine? {
    try Row.fetchOne(
      db, sql: "SELECT * FROM joinedMachine j WHERE deviceID = ? AND number = \(Self.current)", arguments: [id]
    ).map(Self.machine)
  }

  func page(after id: String, limit: Int) throws -> [JoinedMachine] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT * FROM joinedMachine j WHERE deviceID > ?
          AND number = \(Self.current)
        ORDER BY deviceID LIMIT ?
        """, arguments: [id, limit]
    ).map(Self.machine)
  }

  func count(in group: String) throws -> Int {
    try Int.fetchOne(
      db,
      sql: """
        SELECT count(*) FROM joinedMachine j WHERE machineGroup = ? AND leftAt IS NULL AND revokedAt IS NULL
          AND number = \(Self.current)
        """, arguments: [group]) ?? 0
  }

  func counts(in groups: [String]) throws -> [String: Int] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT machineGroup, count(*) FROM joinedMachine j
        WHERE machineGroup IN (\(databaseQuestionMarks(count: groups.count))) AND leftAt IS NULL AND revokedAt IS NULL
          AND number = \(Self.current)
        GROUP BY machineGroup
        """, arguments: StatementArguments(groups))
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  func markLeft(machineID: [UInt8], now: Int64) throws -> JoinedMachine? {
    try Row.fetchOne(
      db,
      sql: """
        UPDATE joinedMachine SET leftAt = ?, changeNumber = \(Self.nextChange)
        WHERE machineID = ? AND leftAt IS NULL AND revokedAt IS NULL RETURNING *
        """, arguments: [now, machineID.databaseBlob]
    ).map(Self.machine)
  }

  func machine(machineID: [UInt8]) throws -> JoinedMachine? {
    try Row.fetchOne(
      db,
      sql: """
        SELECT * FROM joinedMachine j WHERE machineID = ? AND leftAt IS NULL AND revokedAt IS NULL
          AND number = \(Self.current)
        """, arguments: [machineID.databaseBlob]
    ).map(Self.machine)
  }

  func note(_ contact: MachineContact, _ report: MachineReport, machineID: [UInt8]) throws {
    try db.execute(
      sql: """
        UPDATE joinedMachine SET deviceName = coalesce(?, deviceName), deviceModel = coalesce(?, deviceModel),
          deviceOS = coalesce(?, deviceOS), lastContactAt = ?, moduleVersion = ?, policyVersion = ?, standingLocks = ?,
          copySeenAt = ?, reportMark = ?, offlineNumber = ?
        WHERE machineID = ? AND leftAt IS NULL AND revokedAt IS NULL
        """,
      arguments: [
        report.deviceName, report.deviceModel, report.deviceOS, contact.at, contact.module, contact.policy,
        contact.locks.text, contact.copySeenAt, contact.mark?.databaseBlob, contact.offlineNumber,
        machineID.databaseBlob,
      ])
  }

  func revoke(_ id: String, now: Int64) throws {
    try db.execute(
      sql: """
        UPDATE joinedMachine SET revokedAt = ?, changeNumber = \(Self.nextChange)
        WHERE deviceID = ? AND revokedAt IS NULL
        """, arguments: [now, id])
  }

  func changes(after number: Int64, limit: Int) throws -> [MachineChange] {
    try Row.fetchAll(
      db, sql: "SELECT * FROM joinedMachine WHERE changeNumber > ? ORDER BY changeNumber LIMIT ?",
      arguments: [number, limit]
    ).map { MachineChange(number: $0["changeNumber"], machine: Self.machine($0)) }
  }

  private static func machine(_ row: Row) -> JoinedMachine {
    JoinedMachine(
      codeNumber: row["codeNumber"], id: row["deviceID"], name: row["deviceName"], model: row["deviceModel"],
      system: row["deviceOS"], group: row["machineGroup"], joinedAt: row["joinedAt"], leftAt: row["leftAt"],
      revokedAt: row["revokedAt"], contact: contact(row))
  }

  private static func contact(_ row: Row) -> MachineContact? {
    guard let at: Int64 = row["lastContactAt"] else { return nil }
    let locks: String? = row["standingLocks"]
    let mark = [UInt8](databaseBlob: row["reportMark"])
    return MachineContact(
      at: at, module: row["moduleVersion"] ?? "", policy: row["policyVersion"],
      locks: locks.map(ReportedLocks.init) ?? ReportedLocks(), copySeenAt: row["copySeenAt"],
      mark: mark.isEmpty ? nil : mark, offlineNumber: row["offlineNumber"])
  }
}

/// The machines in the table of registered keys.
struct MachineStore: Machines {
  let db: Database

  func page(after id: String, limit: Int) throws -> [FleetMachine] {
    try Row.fetchAll(db, sql: Self.machines("deviceID > ?", "LIMIT ?"), arguments: [id, limit]).map(Self.machine)
  }

  func machine(_ id: String) throws -> FleetMachine? {
    try Row.fetchOne(db, sql: Self.machines("deviceID = ?"), arguments: [id]).map(Self.machine)
  }

  func keys(on id: String, limit: Int) throws -> [KeyRecord] {
    try Row.fetchAll(
      db, sql: "SELECT * FROM credential WHERE deviceID = ? ORDER BY id LIMIT ?", arguments: [id, limit]
    ).map(KeyRecord.init(row:))
  }

  /// Machines in the order of their ids; each is described as by its last registration.
  private static func machines(_ condition: String, _ limit: String = "") -> String {
    """
    SELECT m.*, last.deviceName, last.deviceModel, last.deviceOS FROM (
      SELECT deviceID, max(id) AS lastKey, count(DISTINCT username) AS people,
        count(*) FILTER (WHERE revokedAt IS NULL) AS keys, count(*) FILTER (WHERE revokedAt IS NOT NULL) AS revoked,
        max(registeredAt) AS registeredAt, max(lastUsedAt) AS lastUsedAt
      FROM credential WHERE deviceID IS NOT NULL AND \(condition) GROUP BY deviceID ORDER BY deviceID \(limit)
    ) AS m JOIN credential last ON last.id = m.lastKey ORDER BY m.deviceID
    """
  }

  private static func machine(_ row: Row) -> FleetMachine {
    FleetMachine(
      id: row["deviceID"], name: row["deviceName"], model: row["deviceModel"], system: row["deviceOS"],
      people: row["people"], keys: row["keys"], revokedKeys: row["revoked"], registeredAt: row["registeredAt"],
      lastUsedAt: row["lastUsedAt"])
  }
}
