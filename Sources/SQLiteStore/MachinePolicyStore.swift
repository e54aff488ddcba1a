import GRDB
import UAFService

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
