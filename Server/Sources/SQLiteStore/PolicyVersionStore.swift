import GRDB
import UAFService

/// The table of policies.
struct PolicyVersionStore: PolicyVersions {
  let db: Database

  func lastNumber() throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(number) FROM policy")) ?? 0
  }

  func version(_ number: Int64) throws -> PolicyVersion? {
    try Row.fetchOne(
      db, sql: "SELECT number, savedAt, actor, reason, content FROM policy WHERE number = ?", arguments: [number]
    ).map(Self.version)
  }

  func versions(before number: Int64, limit: Int) throws -> [PolicyVersion] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT number, savedAt, actor, reason, content FROM policy WHERE number < ? ORDER BY number DESC LIMIT ?
        """, arguments: [number, limit]
    ).map(Self.version)
  }

  func add(_ version: PolicyVersion) throws -> Bool {
    guard try version.number == lastNumber() + 1 else { return false }
    try db.execute(
      sql: "INSERT INTO policy (number, savedAt, actor, reason, content) VALUES (?, ?, ?, ?, ?)",
      arguments: [version.number, version.savedAt, version.actor, version.reason, version.text])
    return true
  }

  private static func version(_ row: Row) -> PolicyVersion {
    PolicyVersion(number: row[0], savedAt: row[1], actor: row[2], reason: row[3], text: row[4])
  }
}

/// The table of policies for workstations.
struct MachinePolicyStore: SavedMachinePolicies {
  let db: Database

  static let schema = """
    CREATE TABLE machinePolicy (
      number INTEGER PRIMARY KEY NOT NULL,
      machineGroup TEXT NOT NULL,
      lifetime INTEGER NOT NULL,
      savedAt INTEGER NOT NULL,
      actor TEXT NOT NULL,
      reason TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX machinePolicyByGroup ON machinePolicy (machineGroup, number);
    """

  private static let columns = "number, machineGroup, lifetime, savedAt, actor, reason, content"

  func lastNumber() throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(number) FROM machinePolicy")) ?? 0
  }

  func policy(_ number: Int64) throws -> SavedMachinePolicy? {
    try Row.fetchOne(
      db, sql: "SELECT \(Self.columns) FROM machinePolicy WHERE number = ?", arguments: [number]
    ).map(Self.policy)
  }

  func current(of group: String) throws -> SavedMachinePolicy? { try policies(before: .max, of: group, limit: 1).first }

  func inForce(after group: String, limit: Int) throws -> [SavedMachinePolicy] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT \(Self.columns) FROM machinePolicy WHERE number IN (
          SELECT max(number) FROM machinePolicy WHERE machineGroup > ? GROUP BY machineGroup
          ORDER BY machineGroup LIMIT ?
        ) ORDER BY machineGroup
        """, arguments: [group, limit]
    ).map(Self.policy)
  }

  func policies(before number: Int64, of group: String?, limit: Int) throws -> [SavedMachinePolicy] {
    let condition = group == nil ? "" : " AND machineGroup = ?"
    var arguments: StatementArguments = [number]
    if let group { arguments += [group] }
    arguments += [limit]
    return try Row.fetchAll(
      db,
      sql: """
        SELECT \(Self.columns) FROM machinePolicy WHERE number < ?\(condition) ORDER BY number DESC LIMIT ?
        """, arguments: arguments
    ).map(Self.policy)
  }

  func add(_ policy: SavedMachinePolicy) throws -> Bool {
    guard try policy.number > lastNumber() else { return false }
    try db.execute(
      sql: "INSERT INTO machinePolicy (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        policy.number, policy.group, policy.lifetime, policy.savedAt, policy.actor, policy.reason, policy.text,
      ])
    return true
  }

  private static func policy(_ row: Row) -> SavedMachinePolicy {
    SavedMachinePolicy(
      number: row[0], group: row[1], lifetime: row[2], savedAt: row[3], actor: row[4], reason: row[5], text: row[6])
  }
}

/// The table of single values.
struct SettingStore: Settings {
  let db: Database

  func value(of name: SettingName) throws -> String? {
    try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name.rawValue])
  }

  func set(_ name: SettingName, to value: String) throws {
    try db.execute(
      sql: "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      arguments: [name.rawValue, value])
  }

  func remove(_ name: SettingName) throws {
    try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name.rawValue])
  }
}
