import UAFService

/// The table of policies for workstations.
struct MachinePolicyTable: SavedMachinePolicies {
  let connection: Connection

  /// The form of the table.
  static let migration = Migration(
    name: "machine policies",
    statements: [
      """
      CREATE TABLE machinePolicy (
        number bigint PRIMARY KEY,
        machineGroup text COLLATE "C" NOT NULL,
        lifetime bigint NOT NULL,
        savedAt bigint NOT NULL,
        actor text NOT NULL,
        reason text NOT NULL,
        content text NOT NULL
      )
      """,
      "CREATE INDEX machinePolicyByGroup ON machinePolicy (machineGroup, number)",
    ])

  private static let columns = "number, machineGroup, lifetime, savedAt, actor, reason, content"

  func lastNumber() throws -> Int64 {
    try connection.execute("SELECT coalesce(max(number), 0) FROM machinePolicy").first?.integer(0) ?? 0
  }

  func policy(_ number: Int64) throws -> SavedMachinePolicy? {
    try connection.execute(
      "SELECT \(Self.columns) FROM machinePolicy WHERE number = $1", [.integer(number)]
    ).first.map(Self.policy)
  }

  func current(of group: String) throws -> SavedMachinePolicy? { try policies(before: .max, of: group, limit: 1).first }

  func inForce(after group: String, limit: Int) throws -> [SavedMachinePolicy] {
    try connection.execute(
      """
      SELECT \(Self.columns) FROM machinePolicy WHERE number IN (
        SELECT max(number) FROM machinePolicy WHERE machineGroup > $1 GROUP BY machineGroup
        ORDER BY machineGroup LIMIT $2
      ) ORDER BY machineGroup
      """, [.text(group), .integer(limit)]
    ).rows.map(Self.policy)
  }

  func policies(before number: Int64, of group: String?, limit: Int) throws -> [SavedMachinePolicy] {
    let condition = group == nil ? "" : " AND machineGroup = $3"
    return try connection.execute(
      "SELECT \(Self.columns) FROM machinePolicy WHERE number < $1\(condition) ORDER BY number DESC LIMIT $2",
      [.integer(number), .integer(limit)] + (group.map { [.text($0)] } ?? [])
    ).rows.map(Self.policy)
  }

  func add(_ policy: SavedMachinePolicy) throws -> Bool {
    guard try policy.number > lastNumber() else { return false }
    // Another instance may add the same number between the two statements. One of both then adds nothing.
    return try connection.execute(
      """
      INSERT INTO machinePolicy (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (number) DO NOTHING
      """,
      [
        .integer(policy.number), .text(policy.group), .integer(policy.lifetime), .integer(policy.savedAt),
        .text(policy.actor), .text(policy.reason), .text(policy.text),
      ]
    ).changes == 1
  }

  private static func policy(_ row: QueryRow) throws -> SavedMachinePolicy {
    SavedMachinePolicy(
      number: try row.integer(0), group: try row.text(1), lifetime: try row.integer(2), savedAt: try row.integer(3),
      actor: try row.text(4), reason: try row.text(5), text: try row.text(6))
  }
}
