import UAFService

/// The table of policies.
struct PolicyVersionTable<Connection: SQLConnection>: PolicyVersions {
  let connection: Connection

  func lastNumber() throws -> Int64 {
    try connection.requiredRow("SELECT coalesce(max(number), 0) FROM policy") { try $0.integer(0) }
  }

  func version(_ number: Int64) throws -> PolicyVersion? {
    try connection.row(
      "SELECT number, savedAt, actor, reason, content FROM policy WHERE number = ?1", [.integer(number)], Self.version)
  }

  func versions(before number: Int64, limit: Int) throws -> [PolicyVersion] {
    try connection.rows(
      "SELECT number, savedAt, actor, reason, content FROM policy WHERE number < ?1 ORDER BY number DESC LIMIT ?2",
      [.integer(number), .integer(limit)], Self.version)
  }

  func add(_ version: PolicyVersion) throws -> Bool {
    guard try version.number == lastNumber() + 1 else { return false }
    // A different instance may add the same number between the two statements. Then one of the two adds nothing.
    return try connection.run(
      """
      INSERT INTO policy (number, savedAt, actor, reason, content) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (number) DO NOTHING
      """,
      [
        .integer(version.number), .integer(version.savedAt), .text(version.actor), .text(version.reason),
        .text(version.text),
      ]) == 1
  }

  private static func version(_ row: Connection.ResultRow) throws -> PolicyVersion {
    PolicyVersion(
      number: try row.integer(0), savedAt: try row.integer(1), actor: try row.text(2), reason: try row.text(3),
      text: try row.text(4))
  }
}

/// The table of policies for workstations.
struct MachinePolicyTable<Connection: SQLConnection>: SavedMachinePolicies {
  let connection: Connection

  private static var columns: String { "number, machineGroup, lifetime, savedAt, actor, reason, content" }

  func lastNumber() throws -> Int64 {
    try connection.requiredRow("SELECT coalesce(max(number), 0) FROM machinePolicy") { try $0.integer(0) }
  }

  func policy(_ number: Int64) throws -> SavedMachinePolicy? {
    try connection.row(
      "SELECT \(Self.columns) FROM machinePolicy WHERE number = ?1", [.integer(number)], Self.policy)
  }

  func current(of group: String) throws -> SavedMachinePolicy? { try policies(before: .max, of: group, limit: 1).first }

  func inForce(after group: String, limit: Int) throws -> [SavedMachinePolicy] {
    try connection.rows(
      """
      SELECT \(Self.columns) FROM machinePolicy WHERE number IN (
        SELECT max(number) FROM machinePolicy WHERE machineGroup > ?1 GROUP BY machineGroup
        ORDER BY machineGroup LIMIT ?2
      ) ORDER BY machineGroup
      """, [.text(group), .integer(limit)], Self.policy)
  }

  func policies(before number: Int64, of group: String?, limit: Int) throws -> [SavedMachinePolicy] {
    let condition = group == nil ? "" : " AND machineGroup = ?3"
    return try connection.rows(
      "SELECT \(Self.columns) FROM machinePolicy WHERE number < ?1\(condition) ORDER BY number DESC LIMIT ?2",
      [.integer(number), .integer(limit)] + (group.map { [.text($0)] } ?? []), Self.policy)
  }

  func ends(now: Int64) throws -> [MachinePolicyEnd] {
    // A machine whose root lends nothing names no policy, and has none. A policy that was saved since the last report has not
    // reached the machine, which then has the one that it has reported.
    let ends = try connection.rows(
      """
      SELECT p.number, p.machineGroup, p.lifetime, count(*), min(j.lastContactAt) FROM joinedMachine j
      JOIN (SELECT machineGroup, max(number) AS number FROM machinePolicy GROUP BY machineGroup) AS newest
        ON newest.machineGroup = j.machineGroup
      JOIN machinePolicy c ON c.number = newest.number
      JOIN machinePolicy p ON p.number = CASE WHEN c.savedAt > j.lastContactAt THEN j.policyVersion ELSE c.number END
      WHERE j.leftAt IS NULL AND j.revokedAt IS NULL AND j.policyVersion IS NOT NULL AND p.content <> ''
        AND j.lastContactAt < ?1 - (p.lifetime - p.lifetime / 2)
        AND NOT EXISTS (SELECT 1 FROM joinedMachine o WHERE o.deviceID = j.deviceID AND o.number > j.number
          AND o.leftAt IS NULL AND o.revokedAt IS NULL)
      GROUP BY p.number, p.machineGroup, p.lifetime
      """, [.integer(now)]
    ) { row -> MachinePolicyEnd? in
      let (lifetime, reportedAt): (Int64, Int64) = (try row.integer(2), try row.integer(4))
      let (end, overflow) = reportedAt.addingReportingOverflow(lifetime)
      return overflow
        ? nil
        : MachinePolicyEnd(
          number: try row.integer(0), group: try row.text(1), machines: try row.integer(3, as: Int.self), endsAt: end)
    }
    return ends.compactMap(\.self).sorted { ($0.endsAt, $0.number) < ($1.endsAt, $1.number) }
  }

  func add(_ policy: SavedMachinePolicy) throws -> Bool {
    guard try policy.number > lastNumber() else { return false }
    // A different instance may add the same number between the two statements. Then one of the two adds nothing.
    return try connection.run(
      """
      INSERT INTO machinePolicy (\(Self.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (number) DO NOTHING
      """,
      [
        .integer(policy.number), .text(policy.group), .integer(policy.lifetime), .integer(policy.savedAt),
        .text(policy.actor), .text(policy.reason), .text(policy.text),
      ]) == 1
  }

  private static func policy(_ row: Connection.ResultRow) throws -> SavedMachinePolicy {
    SavedMachinePolicy(
      number: try row.integer(0), group: try row.text(1), lifetime: try row.integer(2), savedAt: try row.integer(3),
      actor: try row.text(4), reason: try row.text(5), text: try row.text(6))
  }
}

/// The table of single values.
struct SettingTable<Connection: SQLConnection>: Settings {
  let connection: Connection

  func value(of name: SettingName) throws -> String? {
    try connection.row("SELECT value FROM setting WHERE name = ?1", [.text(name.rawValue)]) { try $0.text(0) }
  }

  func set(_ name: SettingName, to value: String) throws {
    try connection.run(
      "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [.text(name.rawValue), .text(value)])
  }

  func remove(_ name: SettingName) throws {
    try connection.run("DELETE FROM setting WHERE name = ?1", [.text(name.rawValue)])
  }
}
